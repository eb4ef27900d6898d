// Vectors of B sources, and the tables that fields of vectors are stepped by (joint_fields.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "engine/plan/branch_equation.hpp"

namespace fdtd::bench {

template <int B>
struct VectorOf {
  typedef float Of __attribute__((vector_size(4 * B)));
};
template <int B>
using V = typename VectorOf<B>::Of;
// Rows are marched 16 values at a time: one node of 16 sources, or two of 8.
typedef float Wide __attribute__((vector_size(64), aligned(4), may_alias));
template <int B>
struct DoublesOf {
  typedef double Of __attribute__((vector_size(8 * B)));
};

// As VectorArithmetic of engine/vector/isa/branch_vectors.hpp: nothing is fused.
struct Arithmetic {
  template <class A, class X>
  static auto multiply(A a, X b) {
    return a * b;
  }
  template <class A, class X>
  static X multiply_add(A a, X b, X c) {
    return a * b + c;
  }
  template <class A, class X>
  static X less(X c, A a, X b) {
    return c - a * b;
  }
  template <class A, class C, class X>
  static X difference(A a, X b, C c, X d) {
    return a * b - c * d;
  }
  template <class X>
  static X half(X a) {
    return a * 0.5F;
  }
  template <class X>
  static X kept(X a) {
    return a;
  }
};
using Equation = BranchEquation<Arithmetic>;

// Aligned to lines.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count) : count_(count), data_(new (std::align_val_t(64)) T[count]()) {}
  T* data() { return data_.get(); }
  void clear() { std::fill_n(data_.get(), count_, T{}); }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete[](p, std::align_val_t(64)); }
  };
  std::size_t count_;
  std::unique_ptr<T[], Free> data_;
};

// A row of four planes: `nodes` from `at` of the first plane on are marched, then its solid nodes cleared, its segments
// corrected.
struct RowOfSlab {
  std::ptrdiff_t at, nodes;  // in vectors
  std::size_t solid_end = 0, segment_end = 0;
};

struct Segment {
  std::ptrdiff_t at, nodes;
  std::uint32_t pattern;
};

struct WallNode {
  std::ptrdiff_t at;
  std::uint32_t site_begin, site_end;
  std::uint32_t taps;  // index of Taps
  NodeCoefficients<float> rule;
};
struct Taps {
  std::vector<float> tap, part;
  std::ptrdiff_t step = 0;
};
struct Site {
  std::uint32_t law;
  float weight;
};

// One shared sum of a stencil that is no leggy one: the rows at the same distances along y and z, and what the sum is
// multiplied by at the shifts along x.
struct RowSum {
  std::vector<std::ptrdiff_t> rows;  // in vectors
  std::vector<float> weight;         // by |shift|
};

}  // namespace fdtd::bench

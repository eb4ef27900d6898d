// The branch equation (plan/branch_equation.hpp) on vectors, of T. Nothing is fused: every instruction set computes the
// same bytes.
#pragma once

#include "engine/vector/isa/simd.hpp"

namespace fdtd::cpu {
namespace {

// A factor is a vector, or a number that all lanes have in common.
template <class T>
struct VectorArithmetic {
  template <class A, class B>
  static FDTD_INLINE auto multiply(A a, B b) {
    return a * b;
  }
  template <class A, class V>
  static FDTD_INLINE V multiply_add(A a, V b, V c) {
    return a * b + c;
  }
  template <class A, class V>
  static FDTD_INLINE V less(V c, A a, V b) {
    return c - a * b;
  }
  template <class A, class C, class V>
  static FDTD_INLINE V difference(A a, V b, C c, V d) {
    return a * b - c * d;
  }
  template <class V>
  static FDTD_INLINE V half(V a) {
    return a * static_cast<T>(0.5);
  }
  template <class V>
  static FDTD_INLINE V kept(V a) {
    return a;
  }
};
template <class T>
using VectorEquation = BranchEquation<VectorArithmetic<T>>;

// The state of a branch at a vector of nodes: its values lie `apart`, the first at `at`. L: how a vector is loaded.
template <class L, class T>
FDTD_INLINE auto load_branch(const T* at, std::ptrdiff_t apart) {
  return each_made(
      [](const T* p) __attribute__((always_inline)) { return L::load(p); }, values_apart(at, apart));
}
template <class L, class T, class V>
FDTD_INLINE void store_branch(T* at, std::ptrdiff_t apart, const BranchValues<V>& state) {
  each_value(
      [](T * p, V v) __attribute__((always_inline)) { L::store(p, v); }, values_apart(at, apart), state);
}

}  // namespace
}  // namespace fdtd::cpu

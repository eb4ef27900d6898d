// The reads of all walls in each field of a block of steps, kept for a gradient (engine/adjoint/): a row a field, its values
// in the order of BoundaryView::q, which has them after each step.
//
// A small launch after the walls copies a row. Each of its blocks counts the rows itself, so that a captured graph of steps
// finds its place.
#pragma once

#include <cstdint>

#include "engine/cuda/gpu/device_array.hpp"
#include "engine/cuda/gpu/stream.hpp"

namespace fdtd::cuda {

// Where rows go; nullptr: nowhere.
template <class T>
struct ReadsTarget {
  T* rows;
  std::int64_t capacity;  // rows
};

template <class T>
struct ReadsView {
  std::uint32_t blocks;
  std::uint64_t values;  // of a row
  const ReadsTarget<T>* target;
  std::int64_t* counter;  // by block: rows that are there
};

template <class T>
class ReadsMemory {
 public:
  explicit ReadsMemory(std::uint64_t values);
  // Rows go there from here on; so many are there.
  void start(const ReadsTarget<T>& target, std::int64_t rows);
  ReadsView<T> view() const {
    return {static_cast<std::uint32_t>(counter_.size()), values_, target_.data(), counter_.data()};
  }

 private:
  std::uint64_t values_;
  DeviceArray<ReadsTarget<T>> target_;
  DeviceArray<std::int64_t> counter_;
};

// After a step: q of its parity is the next row.
template <class T>
void launch_keep_reads(const ReadsView<T>& view, const T* q, Stream stream);

}  // namespace fdtd::cuda

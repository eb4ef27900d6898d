// The histories of walls in the first run, kept for the second: block by block, with the states of the sites' filters before each
// block.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/adjoint/site_filters.hpp"
#include "engine/vector/aligned_memory.hpp"

namespace fdtd {

// Bytes of a block of rows of `places` samples, with `states` values of the filters. `precision`: of the run, in which its
// samples are kept where the format is not coarser.
std::int64_t history_bytes(HistoryFormat format, Precision precision, std::int64_t places, std::int64_t states,
                           std::int64_t steps);

// Memory of values whose pages are untouched.
template <class Value>
using Values = std::unique_ptr<Value[], cpu::Free>;
template <class Value>
Values<Value> untouched(std::size_t count) {
  return Values<Value>(static_cast<Value*>(cpu::allocate_memory(count * sizeof(Value)).release()));
}

// A block. Rows have room for the lanes of a filter beyond the last.
template <class T>
class WallHistory {
 public:
  WallHistory(HistoryFormat format, std::size_t places, std::int64_t steps, const std::vector<T>& before);

  // Rows of u of two steps before the block and of its steps; null where deltas are kept instead, by deltas().
  T* rows() { return rows_.get(); }
  KeptDeltas deltas();
  cpu::WallRows<T> read() const;
  const std::vector<T>& before() const { return before_; }

 private:
  std::ptrdiff_t row_;
  Values<T> rows_;
  Values<float> f32_, scales_;
  Values<std::int16_t> i16_;
  std::vector<T> before_;  // states of the filters
};

// Rows of so many steps and the two before, zero beyond the last.
template <class T>
Values<T> rows_of(std::size_t places, std::int64_t steps);

}  // namespace fdtd

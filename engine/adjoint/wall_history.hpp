// The pressure that walls read in the first run, kept for the second: block by block, with the states of the sites'
// filters before each block.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/adjoint/site_filters.hpp"

namespace fdtd {

// Bytes of a block: `reads` samples a step, and V and G of `states` values, as float but for f64.
std::int64_t history_bytes(HistoryFormat format, std::size_t reads, std::size_t states, std::int64_t steps);

class WallHistory {
 public:
  WallHistory(HistoryFormat format, std::size_t reads) : format_(format), reads_(reads) {}

  // deltas[i * steps + n] of wall node i; `before`: the states before the block's first step.
  void keep(std::size_t block, const std::vector<double>& deltas, std::int64_t steps,
            const SiteFilters::States& before);
  // Gives a block back, and its memory free.
  void take(std::size_t block, std::vector<double>& deltas, SiteFilters::States& before);

 private:
  struct Block {
    std::vector<double> f64;
    std::vector<float> f32, scale;
    std::vector<std::int16_t> i16;
    SiteFilters::States exact;
    BranchValues<std::vector<float>> rounded;
  };
  HistoryFormat format_;
  std::size_t reads_;
  std::vector<Block> blocks_;
};

}  // namespace fdtd

// The row in which a step hands out what walls read (Backend::read_walls): the taps' sums of u+ that batches and groups keep,
// without their padding, nodes of equal laws side by side. A tile's values are copied while they are in cache.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/plan/boundary.hpp"

namespace fdtd::cpu {

// A boundary node and the place of what it reads among the sums of its batches or groups.
struct ReadNode {
  std::size_t q = 0;
  std::uint32_t node = 0;  // of Boundary::nodes
};

class WallRow {
 public:
  // The batches, or groups, of one kind: ascending by place, and the first place of each part, with the end.
  struct Reads {
    std::vector<ReadNode> nodes;
    std::vector<std::size_t> part_begin;
  };
  static constexpr std::size_t kinds = 4;
  WallRow(const Boundary& boundary, const std::array<Reads, kinds>& reads);

  const std::vector<std::uint32_t>& nodes() const { return nodes_; }  // by place of the row
  // Copies parts [begin, end) of a kind from its sums to a row.
  template <class T>
  void copy(std::size_t kind, std::size_t begin, std::size_t end, const T* sums, T* row) const {
    const std::vector<Run>& runs = runs_[kind];
    std::size_t i = part_begin_[kind][begin];
    const std::size_t last = part_begin_[kind][end];
    while (i < last) {
      Run run = runs[i++];
      for (; i < last && runs[i].q == run.q + run.count && runs[i].place == run.place + run.count; ++i)
        run.count += runs[i].count;
      constexpr std::size_t line = 64 / sizeof(T);  // most runs of walls across x: copied without a call
      if (run.count == line)
        std::memcpy(row + run.place, sums + run.q, line * sizeof(T));
      else
        std::memcpy(row + run.place, sums + run.q, run.count * sizeof(T));
    }
  }

 private:
  // Values side by side in both.
  struct Run {
    std::size_t q = 0;
    std::uint32_t place = 0, count = 0;
  };
  std::vector<std::uint32_t> nodes_;
  std::array<std::vector<Run>, kinds> runs_;
  std::array<std::vector<std::size_t>, kinds> part_begin_;  // of runs_
};

}  // namespace fdtd::cpu

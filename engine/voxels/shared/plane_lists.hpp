// Lists of which each of the processes that share a room holds a part, in order of planes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "engine/voxels/shared/plane_partition.hpp"

namespace fdtd {

// All processes' lists, one after the other, at each of them.
template <class Value>
std::vector<Value> gathered(std::vector<Value> mine, const PlanePartition& partition) {
  if (partition.whole()) return mine;
  std::vector<std::byte> bytes;
  pack(mine, bytes);
  mine = {};
  std::vector<Value> all;
  for (const std::vector<std::byte>& one : partition.gather(bytes)) {
    std::span<const std::byte> rest = one;
    unpack(rest, all);
  }
  return all;
}

// Of all processes' lists, one after the other in order of plane(item): the items of planes [begin, end) =
// `wanted[index]`, where `wanted` is the same at each. A process holds the list of one other at a time.
template <class Value, class PlaneOf>
std::vector<Value> of_planes(const std::vector<Value>& mine, const std::vector<std::array<int, 2>>& wanted,
                             const PlanePartition& partition, const PlaneOf& plane) {
  std::vector<Value> all;
  for (std::size_t to = 0; to < wanted.size(); ++to) {
    const auto before = [&](const Value& item, int border) { return plane(item) < border; };
    const auto first = std::lower_bound(mine.begin(), mine.end(), wanted[to][0], before),
               last = std::lower_bound(first, mine.end(), std::max(wanted[to][0], wanted[to][1]), before);
    std::vector<Value> found = gathered(std::vector<Value>(first, last), partition);
    if (static_cast<int>(to) == partition.index) all = std::move(found);
  }
  return all;
}

}  // namespace fdtd

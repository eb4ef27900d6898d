#include "engine/walls/cut/cut_table.hpp"

#include <stdexcept>

namespace fdtd {

CutTable::CutTable(const std::array<int, 3>& size, const SecuredCut& cut)
    : size_(size), marks_(AirMask::walls(size)), words_((static_cast<std::size_t>(size[0]) + 63) / 64) {
  const auto nx = static_cast<std::uint64_t>(size[0]), ny = static_cast<std::uint64_t>(size[1]);
  const auto place = [&](std::uint64_t node) {
    return std::array<int, 3>{static_cast<int>(node % nx), static_cast<int>(node / nx % ny),
                              static_cast<int>(node / nx / ny)};
  };
  const auto mark = [&](const std::array<int, 3>& v) { marks_.set(v[0], v[1], v[2], true); };
  for (const NodeFraction& one : cut.masses) mark(place(one.node));
  for (std::size_t d = 0; d < 3; ++d) {
    for (const NodeFraction& one : cut.passages[d]) {
      auto v = place(one.node);
      mark(v);
      ++v[d];
      mark(v);
    }
  }
  count();
  for (const NodeFraction& one : cut.masses) entries_[place_of(place(one.node))].volume = one.fraction;
  for (std::size_t d = 0; d < 3; ++d)
    for (const NodeFraction& one : cut.passages[d]) entries_[place_of(place(one.node))].passages[d] = one.fraction;
}

void CutTable::count() {
  std::size_t sum = 0;
  for (int z = 0; z < size_[2]; ++z) {
    for (int y = 0; y < size_[1]; ++y) {
      for (std::size_t w = 0; w < words_; ++w) {
        before_.push_back(static_cast<std::uint32_t>(sum));
        sum += static_cast<std::size_t>(std::popcount(marks_.bits(static_cast<int>(64 * w), y, z)));
      }
    }
  }
  if (sum > 0xffffffffU) throw std::length_error("CutTable: 2^32 cut voxels or more");
  entries_.resize(sum);
}

}  // namespace fdtd

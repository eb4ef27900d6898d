// Volumes and passages of cut voxels by their place: rows at walls read those of dozens of voxels each, so they are found
// by counting marks and not by searching.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/walls/cut/secured_cut.hpp"

namespace fdtd {

class CutTable {
 public:
  struct Entry {
    double volume = 1.0;
    std::array<double, 3> passages = {1.0, 1.0, 1.0};  // to the next voxel along each axis
  };
  // `size`: of the grid. Throws std::length_error for 2^32 cut voxels and more.
  CutTable(const std::array<int, 3>& size, const SecuredCut& cut);

  // The voxels with a volume or a passage that is not whole.
  const AirMask& marks() const { return marks_; }
  const Entry& operator()(const std::array<int, 3>& marked) const { return entries_[place_of(marked)]; }

 private:
  void count();
  std::size_t place_of(const std::array<int, 3>& v) const {
    const int word = v[0] / 64;
    const std::uint64_t below = marks_.bits(64 * word, v[1], v[2]) & ((std::uint64_t{1} << (v[0] % 64)) - 1);
    const std::size_t row =
        static_cast<std::size_t>(v[2]) * static_cast<std::size_t>(size_[1]) + static_cast<std::size_t>(v[1]);
    return before_[row * words_ + static_cast<std::size_t>(word)] + static_cast<std::size_t>(std::popcount(below));
  }

  std::array<int, 3> size_;
  AirMask marks_;
  std::size_t words_ = 0;              // a row
  std::vector<std::uint32_t> before_;  // marks before each word of 64 voxels
  std::vector<Entry> entries_;         // of marked voxels in order
};

}  // namespace fdtd

#include "engine/plan/voxels.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "base/distinct.hpp"

namespace fdtd {
namespace {

// The lowest n bits, n <= 64.
std::uint64_t low_bits(int n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

void check_size(const std::array<int, 3>& size) {
  if (size[0] < 1 || size[1] < 1 || size[2] < 1)
    throw std::invalid_argument("voxels: a room needs at least one voxel an axis");
}

int words_for(int voxels) { return (voxels - 1) / 64 + 1; }

}  // namespace

AirMask::AirMask(std::array<int, 3> size) : size_(size) {
  check_size(size);
  words_a_row_ = static_cast<std::size_t>(words_for(size[0]));
}

AirMask::AirMask(std::array<int, 3> size, const std::vector<char>& air) : AirMask(size) {
  const auto rows = static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(size[2]);
  const auto length = static_cast<std::size_t>(size[0]);
  if (air.size() != rows * length)
    throw std::invalid_argument("voxels: the mask's length is not the room's number of voxels");
  words_.assign(rows * words_a_row_, 0);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t x = 0; x < length; ++x) {
      if (air[r * length + x] != 0) words_[r * words_a_row_ + x / 64] |= std::uint64_t{1} << (x % 64);
    }
  }
}

void AirMask::fill() {
  const std::size_t rows = static_cast<std::size_t>(size_[1]) * static_cast<std::size_t>(size_[2]);
  words_.assign(rows * words_a_row_, ~std::uint64_t{0});
  const std::uint64_t last = low_bits(size_[0] - 64 * (words_for(size_[0]) - 1));
  for (std::size_t r = 0; r < rows; ++r) words_[(r + 1) * words_a_row_ - 1] = last;
}

void AirMask::set(int x, int y, int z, bool air) {
  if (x < 0 || y < 0 || z < 0 || x >= size_[0] || y >= size_[1] || z >= size_[2]) {
    throw std::out_of_range("voxels: no such voxel");
  }
  if (words_.empty()) {
    if (air) return;
    fill();
  }
  std::uint64_t& word = words_[row(y, z) + static_cast<std::size_t>(x) / 64];
  const std::uint64_t bit = std::uint64_t{1} << (x % 64);
  word = air ? word | bit : word & ~bit;
}

AirMask AirMask::walls(std::array<int, 3> size) {
  AirMask mask(size);
  mask.words_.assign(static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(size[2]) * mask.words_a_row_, 0);
  return mask;
}

void AirMask::set_run(int begin, int end, int y, int z) {
  if (begin < 0 || y < 0 || z < 0 || end > size_[0] || y >= size_[1] || z >= size_[2])
    throw std::out_of_range("voxels: no such voxels");
  if (words_.empty()) return;
  std::uint64_t* const line = words_.data() + row(y, z);
  for (int x = begin; x < end;) {
    const int upto = std::min(end, x / 64 * 64 + 64);
    line[x / 64] |= low_bits(upto - x) << (x % 64);
    x = upto;
  }
}

std::int64_t AirMask::count() const {
  if (words_.empty()) return std::int64_t{size_[0]} * size_[1] * size_[2];
  std::int64_t n = 0;
  for (const std::uint64_t word : words_) n += std::popcount(word);
  return n;
}

std::uint64_t AirMask::bits(int x, int y, int z) const {
  if (y < 0 || z < 0 || y >= size_[1] || z >= size_[2] || x >= size_[0] || x <= -64) return 0;
  if (words_.empty()) {
    const std::uint64_t upto = low_bits(size_[0] - x);
    return x < 0 ? upto & ~low_bits(-x) : upto;
  }
  const std::uint64_t* const line = words_.data() + row(y, z);
  if (x < 0) return line[0] << -x;
  const auto w = static_cast<std::size_t>(x) / 64;
  const int shift = x % 64;
  if (shift == 0) return line[w];
  const std::uint64_t next = w + 1 < words_a_row_ ? line[w + 1] : 0;
  return line[w] >> shift | next << (64 - shift);
}

void AirMask::runs(int y, int z, std::vector<Run>& out) const {
  out.clear();
  int begin = -1;  // of the current run
  bool before = false;
  for (int x0 = 0; x0 < size_[0]; x0 += 64) {
    const std::uint64_t air = bits(x0, y, z);
    std::uint64_t changes = air ^ (air << 1 | (before ? 1U : 0U));
    before = (air >> 63) != 0U;
    for (; changes != 0; changes &= changes - 1) {
      const int x = x0 + std::countr_zero(changes);
      if (begin < 0) {
        begin = x;
      } else {
        out.push_back({begin, x});
        begin = -1;
      }
    }
  }
  if (begin >= 0) out.push_back({begin, size_[0]});
}

std::array<std::uint64_t, 6> face_words(const AirMask& air, int x0, int y, int z) {
  const std::uint64_t here = air.bits(x0, y, z);
  if (here == 0) return {};
  return {here & ~air.bits(x0 - 1, y, z), here & ~air.bits(x0 + 1, y, z), here & ~air.bits(x0, y - 1, z),
          here & ~air.bits(x0, y + 1, z), here & ~air.bits(x0, y, z - 1), here & ~air.bits(x0, y, z + 1)};
}

Voxels voxelise_box(std::array<int, 3> size, std::array<double, 3> spacing, const std::array<std::string, 6>& walls) {
  return voxelise_box_planes(size, spacing, walls, 0, size[2]);
}

Voxels voxelise_box_planes(std::array<int, 3> size, std::array<double, 3> spacing,
                           const std::array<std::string, 6>& walls, int z_begin, int z_end) {
  Distinct materials = distinct(walls);
  Voxels voxels{spacing, AirMask({size[0], size[1], z_end - z_begin}), std::move(materials.names), {}, {}};
  const auto [nx, ny, nz] = size;
  const auto area = [](int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); };
  const std::size_t ends = (z_begin == 0 ? 1U : 0U) + (z_end == nz ? 1U : 0U);
  voxels.faces.reserve(ends * area(nx, ny) + 2 * (area(ny, z_end - z_begin) + area(z_end - z_begin, nx)));
  for (int z = z_begin; z < z_end; ++z) {
    for (int y = 0; y < ny; ++y) {
      // A row that touches no wall across y and z has faces only at its two ends.
      const bool inside = y > 0 && y < ny - 1 && z > 0 && z < nz - 1;
      const int stride = inside ? std::max(nx - 1, 1) : 1;
      for (int x = 0; x < nx; x += stride) {
        const std::uint64_t node =
            static_cast<std::uint64_t>(x) +
            static_cast<std::uint64_t>(nx) * (static_cast<std::uint64_t>(y) +
                                              static_cast<std::uint64_t>(ny) * static_cast<std::uint64_t>(z - z_begin));
        const std::array<bool, 6> wall = {x == 0, x == nx - 1, y == 0, y == ny - 1, z == 0, z == nz - 1};
        for (std::uint8_t side = 0; side < 6; ++side) {
          if (wall[side]) voxels.faces.push_back({node, 1.0F, materials.numbers[side], side});
        }
      }
    }
  }
  return voxels;
}

Voxels voxels_of(AirMask air, std::array<double, 3> spacing, const std::string& material) {
  if (air.all_air())
    return voxelise_box(air.size(), spacing, {material, material, material, material, material, material});
  Voxels voxels{spacing, std::move(air), {material}, {}, {}};
  const auto [nx, ny, nz] = voxels.air.size();
  const auto each_word = [&, nx = nx, ny = ny, nz = nz](const auto& visit) {
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) {
        for (int x0 = 0; x0 < nx; x0 += 64) visit(x0, y, z, face_words(voxels.air, x0, y, z));
      }
    }
  };
  std::size_t count = 0;
  each_word([&](int, int, int, const std::array<std::uint64_t, 6>& sides) {
    for (const std::uint64_t side : sides) count += static_cast<std::size_t>(std::popcount(side));
  });
  voxels.faces.reserve(count);
  each_word([&, nx = nx, ny = ny](int x0, int y, int z, const std::array<std::uint64_t, 6>& sides) {
    const std::uint64_t first =
        static_cast<std::uint64_t>(x0) +
        static_cast<std::uint64_t>(nx) *
            (static_cast<std::uint64_t>(y) + static_cast<std::uint64_t>(ny) * static_cast<std::uint64_t>(z));
    std::uint64_t any = sides[0] | sides[1] | sides[2] | sides[3] | sides[4] | sides[5];
    for (; any != 0; any &= any - 1) {
      const int bit = std::countr_zero(any);
      for (std::uint8_t side = 0; side < 6; ++side) {
        if ((sides[side] >> bit & 1U) != 0U) {
          voxels.faces.push_back({first + static_cast<std::uint64_t>(bit), 1.0F, 0, side});
        }
      }
    }
  });
  return voxels;
}

}  // namespace fdtd

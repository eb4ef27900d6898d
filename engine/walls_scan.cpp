#include "engine/walls_scan.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <unordered_map>

namespace fdtd {
namespace {

std::uint64_t node_number(const std::array<int, 3>& size, int x, int y, int z) {
  return static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(size[0]) *
      (static_cast<std::uint64_t>(y) + static_cast<std::uint64_t>(size[1]) * static_cast<std::uint64_t>(z));
}

struct HashedStretch {
  Stretch stretch;
  std::uint64_t hash = 0;
};

// One word of a row with its neighbours: bit x + k of the row, for |k| < 64, is bit x of shifted(k).
struct Three {
  std::uint64_t before = 0, here = 0, after = 0;
  std::uint64_t shifted(int k) const {
    if (k == 0) return here;
    return k > 0 ? here >> k | after << (64 - k) : here << -k | before >> (64 + k);
  }
};

// The scan of one plane. For each row two words a word: `full`, all voxels of the node's column of the neighbourhood
// (x fixed) are air, and `change`, some voxel of that column differs from its neighbour at x - 1.
class PlaneScan {
 public:
  PlaneScan(const AirMask& air, std::array<int, 3> reach) : air_(air), reach_(reach), around_(reach) {
    words_ = air.size()[0] / 64 + 1;  // so that the change at x = nx has its bit
    const auto n = static_cast<std::size_t>(words_) * static_cast<std::size_t>(air.size()[1]);
    full_.resize(n);
    change_.resize(n);
    row_full_.resize(static_cast<std::size_t>(words_) + 2);
    row_change_.resize(static_cast<std::size_t>(words_) + 2);
  }

  void operator()(int z, std::vector<HashedStretch>& out) {
    out.clear();
    columns_across_z(z);
    for (int y = 0; y < air_.size()[1]; ++y) {
      columns_across_y(y);
      stretches_of_row(y, z, out);
    }
  }

 private:
  std::size_t at(int y, int w) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(words_) + static_cast<std::size_t>(w);
  }

  void columns_across_z(int z) {
    for (int y = 0; y < air_.size()[1]; ++y) {
      for (int w = 0; w < words_; ++w) {
        std::uint64_t full = ~std::uint64_t{0}, change = 0;
        for (int dz = -reach_[2]; dz <= reach_[2]; ++dz) {
          const std::uint64_t here = air_.bits(64 * w, y, z + dz);
          full &= here;
          change |= here ^ air_.bits(64 * w - 1, y, z + dz);
        }
        full_[at(y, w)] = full;
        change_[at(y, w)] = change;
      }
    }
  }

  void columns_across_y(int y) {
    const int ny = air_.size()[1];
    const bool cut = y - reach_[1] < 0 || y + reach_[1] >= ny;  // the neighbourhood reaches out of the grid: wall
    const int first = std::max(y - reach_[1], 0), last = std::min(y + reach_[1], ny - 1);
    for (int w = 0; w < words_; ++w) {
      std::uint64_t full = cut ? 0 : ~std::uint64_t{0}, change = 0;
      for (int r = first; r <= last; ++r) {
        full &= full_[at(r, w)];
        change |= change_[at(r, w)];
      }
      row_full_[static_cast<std::size_t>(w) + 1] = full;
      row_change_[static_cast<std::size_t>(w) + 1] = change;
    }
  }

  void stretches_of_row(int y, int z, std::vector<HashedStretch>& out) {
    int begin = -1;  // of the stretch that is open
    bool before = false;
    for (int w = 0; w < words_; ++w) {
      const std::uint64_t here = air_.bits(64 * w, y, z);
      const auto i = static_cast<std::size_t>(w) + 1;
      const Three full{row_full_[i - 1], row_full_[i], row_full_[i + 1]};
      const Three change{row_change_[i - 1], row_change_[i], row_change_[i + 1]};
      std::uint64_t inner = full.here, differs = change.here;
      for (int k = 1; k <= reach_[0]; ++k) {
        inner &= full.shifted(k) & full.shifted(-k);
        differs |= change.shifted(k) | change.shifted(-k);
      }
      const std::uint64_t near = here & ~inner;
      std::uint64_t events = (near & differs) | (near ^ (near << 1 | (before ? 1U : 0U)));
      before = (near >> 63) != 0U;
      for (; events != 0; events &= events - 1) {
        const int bit = std::countr_zero(events);
        if (begin >= 0) emit(begin, 64 * w + bit, y, z, out);
        begin = (near >> bit & 1U) != 0U ? 64 * w + bit : -1;
      }
    }
  }

  void emit(int begin, int end, int y, int z, std::vector<HashedStretch>& out) {
    around_.gather(air_, begin, y, z);
    out.push_back({{node_number(air_.size(), begin, y, z), static_cast<std::uint32_t>(end - begin), 0}, around_.hash()});
  }

  const AirMask& air_;
  std::array<int, 3> reach_;
  Neighbourhood around_;
  int words_ = 0;
  std::vector<std::uint64_t> full_, change_;          // [y][word]
  std::vector<std::uint64_t> row_full_, row_change_;  // [1 + word], with a zero word at either end
};

// Neighbourhoods seen so far. Equal hashes are compared bit by bit, by a look at the first node of the kind.
class Kinds {
 public:
  Kinds(const AirMask& air, std::array<int, 3> reach) : air_(air), mine_(reach), theirs_(reach) {}

  std::uint32_t of(std::uint64_t node, std::uint64_t hash, std::vector<std::uint64_t>& example) {
    gather(mine_, node);
    const auto [from, to] = by_hash_.equal_range(hash);
    for (auto known = from; known != to; ++known) {
      gather(theirs_, example[known->second]);
      if (mine_ == theirs_) return known->second;
    }
    const auto kind = static_cast<std::uint32_t>(example.size());
    example.push_back(node);
    by_hash_.emplace(hash, kind);
    return kind;
  }

 private:
  void gather(Neighbourhood& around, std::uint64_t node) const {
    const auto nx = static_cast<std::uint64_t>(air_.size()[0]), ny = static_cast<std::uint64_t>(air_.size()[1]);
    around.gather(air_, static_cast<int>(node % nx), static_cast<int>(node / nx % ny), static_cast<int>(node / (nx * ny)));
  }

  const AirMask& air_;
  Neighbourhood mine_, theirs_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

}  // namespace

Neighbourhood::Neighbourhood(std::array<int, 3> reach)
    : reach_(reach), rows_(static_cast<std::size_t>(2 * reach[1] + 1) * static_cast<std::size_t>(2 * reach[2] + 1)) {
  if (reach[0] > 31) throw std::invalid_argument("walls: a neighbourhood reaches at most 31 voxels along x");
}

void Neighbourhood::gather(const AirMask& air, int x, int y, int z) {
  const std::uint64_t window = (std::uint64_t{1} << (2 * reach_[0] + 1)) - 1;
  std::size_t i = 0;
  for (int dz = -reach_[2]; dz <= reach_[2]; ++dz) {
    for (int dy = -reach_[1]; dy <= reach_[1]; ++dy) rows_[i++] = air.bits(x - reach_[0], y + dy, z + dz) & window;
  }
}

std::uint64_t Neighbourhood::hash() const {
  std::uint64_t h = 0x9e3779b97f4a7c15U;
  for (const std::uint64_t row : rows_) {  // splitmix64's mixing, row by row
    h += row + 0x9e3779b97f4a7c15U;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9U;
    h = (h ^ h >> 27) * 0x94d049bb133111ebU;
    h ^= h >> 31;
  }
  return h;
}

WallScan scan_walls(const AirMask& air, std::array<int, 3> reach) {
  // Planes are scanned in parallel, a batch at a time, and numbered one after the other: the same for any thread count.
  constexpr int batch = 64;
  WallScan scan;
  Kinds kinds(air, reach);
  std::vector<std::vector<HashedStretch>> planes(batch);
  const int nz = air.size()[2];
  for (int z0 = 0; z0 < nz; z0 += batch) {
    const int count = std::min(batch, nz - z0);
#pragma omp parallel
    {
      PlaneScan plane(air, reach);
#pragma omp for schedule(dynamic)
      for (int i = 0; i < count; ++i) plane(z0 + i, planes[static_cast<std::size_t>(i)]);
    }
    for (int i = 0; i < count; ++i) {
      for (const HashedStretch& found : planes[static_cast<std::size_t>(i)]) {
        scan.stretches.push_back(found.stretch);
        scan.stretches.back().kind = kinds.of(found.stretch.node, found.hash, scan.example);
      }
    }
  }
  return scan;
}

}  // namespace fdtd

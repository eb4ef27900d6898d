#include "engine/walls/neighbourhoods.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "base/parallel_failure.hpp"

namespace fdtd {
namespace {

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

// 64 columns of a window, each one voxel wide along x: all air, some air, not the same as the column before.
struct Columns {
  std::uint64_t full = ~std::uint64_t{0}, some = 0, change = 0;
  void add(const Columns& other) {
    full &= other.full;
    some |= other.some;
    change |= other.change;
  }
};

// The scan of one plane of places.
class PlaneScan {
 public:
  PlaneScan(const AirMask& air, const Places& places, const Window& window, bool nodes_only)
      : air_(air), places_(places), window_(window), nodes_only_(nodes_only), around_(window) {
    words_ = places.size[0] / 64 + 1;  // so that the change after the last place has a bit
    // One more word on either side for the columns of windows outside the places.
    lines_.resize(static_cast<std::size_t>(words_ + 2) *
                  static_cast<std::size_t>(places.size[1] + window.width(1) - 1));
    line_.resize(static_cast<std::size_t>(words_) + 2);
  }

  void operator()(int z, std::vector<HashedStretch>& out) {
    out.clear();
    columns_across_z(z);
    for (int y = 0; y < places_.size[1]; ++y) {
      for (int w = -1; w <= words_; ++w) {
        Columns sum;
        for (int i = 0; i < window_.width(1); ++i) sum.add(lines_[at(y + i, w)]);
        line_[static_cast<std::size_t>(w + 1)] = sum;
      }
      stretches_of_row(y, z, out);
    }
  }

 private:
  std::size_t at(int line, int w) const {
    return static_cast<std::size_t>(line) * static_cast<std::size_t>(words_ + 2) + static_cast<std::size_t>(w + 1);
  }

  void columns_across_z(int z) {
    for (int line = 0; line < places_.size[1] + window_.width(1) - 1; ++line) {
      const int y = places_.first[1] + window_.low[1] + line;
      for (int w = -1; w <= words_; ++w) {
        const int x = places_.first[0] + 64 * w;
        Columns sum;
        for (int dz = window_.low[2]; dz <= window_.high[2]; ++dz) {
          const std::uint64_t air = air_.bits(x, y, places_.first[2] + z + dz);
          sum.add({air, air, air ^ air_.bits(x - 1, y, places_.first[2] + z + dz)});
        }
        lines_[at(line, w)] = sum;
      }
    }
  }

  void stretches_of_row(int y, int z, std::vector<HashedStretch>& out) {
    int begin = -1;  // of the current stretch
    bool before = false;
    for (int w = 0; w < words_; ++w) {
      const std::uint64_t wanted = wanted_places(y, z, w);
      std::uint64_t full = ~std::uint64_t{0}, some = 0, change = 0;
      const auto three = [&](std::uint64_t Columns::*part) {
        const Columns* const c = &line_[static_cast<std::size_t>(w)];
        return Three{c[0].*part, c[1].*part, c[2].*part};
      };
      const Three fulls = three(&Columns::full), somes = three(&Columns::some), changes = three(&Columns::change);
      for (int k = window_.low[0]; wanted != 0 && k <= window_.high[0]; ++k) {
        full &= fulls.shifted(k);
        some |= somes.shifted(k);
        change |= changes.shifted(k);
      }
      const std::uint64_t near = wanted & some & ~full;
      std::uint64_t events = (near & change) | (near ^ (near << 1 | (before ? 1U : 0U)));
      before = (near >> 63) != 0U;
      for (; events != 0; events &= events - 1) {
        const int bit = std::countr_zero(events);
        if (begin >= 0) emit(begin, 64 * w + bit, y, z, out);
        begin = (near >> bit & 1U) != 0U ? 64 * w + bit : -1;
      }
    }
  }

  std::uint64_t wanted_places(int y, int z, int w) const {
    const int left = places_.size[0] - 64 * w;  // places in the row from this word on
    const std::uint64_t inside = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    if (!nodes_only_) return inside;
    return inside & air_.bits(places_.first[0] + 64 * w, places_.first[1] + y, places_.first[2] + z);
  }

  void emit(int begin, int end, int y, int z, std::vector<HashedStretch>& out) {
    const std::array<int, 3> place = {places_.first[0] + begin, places_.first[1] + y, places_.first[2] + z};
    around_.gather(air_, place);
    out.push_back({{places_.number(place), static_cast<std::uint32_t>(end - begin), 0}, around_.hash()});
  }

  const AirMask& air_;
  Places places_;
  Window window_;
  bool nodes_only_;
  Neighbourhood around_;
  int words_ = 0;
  std::vector<Columns> lines_;  // across z: [line][1 + word]
  std::vector<Columns> line_;   // across y and z: [1 + word]
};

// The neighbourhoods found so far. Equal hashes are compared bit by bit with the first place of the kind.
class Kinds {
 public:
  Kinds(const AirMask& air, const Places& places, const Window& window)
      : air_(air), places_(places), mine_(window), theirs_(window) {}

  std::uint32_t of(std::uint64_t place, std::uint64_t hash, std::vector<std::uint64_t>& example) {
    mine_.gather(air_, places_.at(place));
    const auto [from, to] = by_hash_.equal_range(hash);
    for (auto known = from; known != to; ++known) {
      theirs_.gather(air_, places_.at(example[known->second]));
      if (mine_ == theirs_) return known->second;
    }
    const auto kind = static_cast<std::uint32_t>(example.size());
    example.push_back(place);
    by_hash_.emplace(hash, kind);
    return kind;
  }

 private:
  const AirMask& air_;
  Places places_;
  Neighbourhood mine_, theirs_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

// Planes are scanned in parallel, in batches, and numbered in order: the result does not depend on the number of
// threads.
WallScan scan(const AirMask& air, const Places& places, const Window& window, bool nodes_only) {
  constexpr int batch = 64;
  constexpr std::int64_t few_places = 30000;
  const std::int64_t all = std::int64_t{places.size[0]} * places.size[1] * places.size[2];
  WallScan scan{places, {}, {}};
  Kinds kinds(air, places, window);
  std::vector<std::vector<HashedStretch>> planes(batch);
  for (int z0 = 0; z0 < places.size[2]; z0 += batch) {
    const int count = std::min(batch, places.size[2] - z0);
    ParallelFailure failure;
#pragma omp parallel if (all > few_places)
    {
      std::optional<PlaneScan> plane;
      failure.guard([&] { plane.emplace(air, places, window, nodes_only); });
#pragma omp for schedule(dynamic)
      for (int i = 0; i < count; ++i)
        if (plane) failure.guard([&] { (*plane)(z0 + i, planes[static_cast<std::size_t>(i)]); });
    }
    failure.rethrow();
    for (int i = 0; i < count; ++i) {
      for (const HashedStretch& found : planes[static_cast<std::size_t>(i)]) {
        scan.stretches.push_back(found.stretch);
        scan.stretches.back().kind = kinds.of(found.stretch.first, found.hash, scan.example);
      }
    }
  }
  return scan;
}

}  // namespace

Neighbourhood::Neighbourhood(const Window& window)
    : window_(window), rows_(static_cast<std::size_t>(window.width(1)) * static_cast<std::size_t>(window.width(2))) {
  if (window.width(0) > 63) throw std::invalid_argument("walls: a neighbourhood is at most 63 voxels wide along x");
}

void Neighbourhood::gather(const AirMask& air, const std::array<int, 3>& place) {
  const std::uint64_t wanted = (std::uint64_t{1} << window_.width(0)) - 1;
  std::size_t i = 0;
  for (int dz = window_.low[2]; dz <= window_.high[2]; ++dz) {
    for (int dy = window_.low[1]; dy <= window_.high[1]; ++dy) {
      rows_[i++] = air.bits(place[0] + window_.low[0], place[1] + dy, place[2] + dz) & wanted;
    }
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

std::array<int, 3> Places::at(std::uint64_t number) const {
  const auto nx = static_cast<std::uint64_t>(size[0]), ny = static_cast<std::uint64_t>(size[1]);
  return {first[0] + static_cast<int>(number % nx), first[1] + static_cast<int>(number / nx % ny),
          first[2] + static_cast<int>(number / (nx * ny))};
}

std::uint64_t Places::number(const std::array<int, 3>& place) const {
  const auto part = [&](std::size_t d) { return static_cast<std::uint64_t>(place[d] - first[d]); };
  return part(0) + static_cast<std::uint64_t>(size[0]) * (part(1) + static_cast<std::uint64_t>(size[1]) * part(2));
}

WallScan scan_nodes(const AirMask& air, const Window& window) {
  return scan(air, {{0, 0, 0}, air.size()}, window, true);
}

WallScan scan_places(const AirMask& air, const Places& places, const Window& window) {
  return scan(air, places, window, false);
}

}  // namespace fdtd

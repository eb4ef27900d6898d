#include "engine/walls/rows.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/parallel_failure.hpp"

namespace fdtd {
namespace {

std::uint64_t hash_of(const std::vector<RowEntry>& row) {
  std::uint64_t h = row.size();
  const auto mix = [&h](std::uint64_t value) {
    h = (h ^ value) * 0xff51afd7ed558ccdU;
    h ^= h >> 32;
  };
  for (const RowEntry& entry : row) {
    for (const std::int16_t d : entry.offset) mix(static_cast<std::uint64_t>(d) + 0x8000U);
    mix(std::bit_cast<std::uint64_t>(entry.weight));
  }
  return h;
}

bool same(const RowEntry& a, const RowEntry& b) { return a.offset == b.offset && a.weight == b.weight; }

std::uint64_t hash_of(const std::vector<std::uint32_t>& key) {
  std::uint64_t h = key.size();
  for (const std::uint32_t value : key) {
    h = (h ^ value) * 0xff51afd7ed558ccdU;
    h ^= h >> 29;
  }
  return h;
}

// Calls visit(i, surroundings, node) in parallel for every kind i of the scan with wanted(i).
template <class Wanted, class Visit>
void for_each_kind(const AirMask& air, const Window& window, const WallScan& scan, const Wanted& wanted,
                   const Visit& visit) {
  const auto count = static_cast<std::int64_t>(scan.example.size());
  constexpr std::int64_t few_kinds = 64;
  ParallelFailure failure;
#pragma omp parallel if (count > few_kinds)
  {
    std::optional<Neighbourhood> around;
    failure.guard([&] { around.emplace(window); });
#pragma omp for schedule(dynamic, 8)
    for (std::int64_t n = 0; n < count; ++n) {
      const auto i = static_cast<std::size_t>(n);
      if (!around || !wanted(i)) continue;
      failure.guard([&] {
        const std::array<int, 3> node = scan.places.at(scan.example[i]);
        around->gather(air, node);
        visit(i, *around, node);
      });
    }
  }
  failure.rethrow();
}

// The first kind with the same key, for each kind.
std::vector<std::size_t> leaders(const AirMask& air, const Window& window, const WallScan& scan,
                                 const MakeKey& make_key) {
  std::vector<std::size_t> leader(scan.example.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  if (!make_key) return leader;
  const auto every = [](std::size_t) { return true; };
  std::vector<std::uint64_t> hash(leader.size());
  for_each_kind(air, window, scan, every,
                [&](std::size_t i, const Neighbourhood& around, const std::array<int, 3>& node) {
                  hash[i] = hash_of(make_key(around, node));
                });
  std::unordered_map<std::uint64_t, std::size_t> first;
  for (std::size_t i = 0; i < leader.size(); ++i) leader[i] = first.emplace(hash[i], i).first->second;
  // Hashes may collide: such a kind is its own leader. One byte per kind, so that threads write to separate memory.
  std::vector<char> alone(leader.size(), 0);
  for_each_kind(
      air, window, scan, [&](std::size_t i) { return leader[i] != i; },
      [&](std::size_t i, const Neighbourhood& around, const std::array<int, 3>& node) {
        const std::array<int, 3> other = scan.places.at(scan.example[leader[i]]);
        Neighbourhood around_other(window);
        around_other.gather(air, other);
        alone[i] = make_key(around, node) != make_key(around_other, other) ? 1 : 0;
      });
  for (std::size_t i = 0; i < leader.size(); ++i) {
    if (alone[i] != 0) leader[i] = i;
  }
  return leader;
}

constexpr std::uint32_t no_pattern = 0xffffffffU;

// The pattern of each kind, no_pattern for the plain row: different neighbourhoods may share a row.
std::vector<std::uint32_t> number_patterns(const std::vector<WallRow>& rows, const std::vector<std::size_t>& leader,
                                           NearWall& walls) {
  std::vector<std::uint32_t> pattern_of(rows.size(), no_pattern);
  PatternBook book(walls);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (leader[i] != i) {
      pattern_of[i] = pattern_of[leader[i]];
    } else if (!rows[i].entries.empty() || rows[i].mass != 1.0) {
      pattern_of[i] = book.number(rows[i].entries);
    }
  }
  return pattern_of;
}

// One axis of the inflation. Core positions before and after `middle` keep their distance from their own wall.
struct AxisMap {
  int core, full;
  int middle() const { return core < full ? core / 2 : core; }
  int to_core(int full_position) const {
    if (full_position < middle()) return full_position;
    return std::max(middle(), full_position - (full - core));
  }
  int from_core(int core_position) const {  // the first, for the middle
    return core_position <= middle() ? core_position : core_position + (full - core);
  }
};

// The core's segments of row (y, z).
std::pair<std::size_t, std::size_t> row_range(const NearWall& core, const std::array<int, 3>& size, int y, int z) {
  const auto nx = static_cast<std::uint64_t>(size[0]);
  const std::uint64_t first =
      nx * (static_cast<std::uint64_t>(y) + static_cast<std::uint64_t>(size[1]) * static_cast<std::uint64_t>(z));
  const auto before = [](const WallSegment& segment, std::uint64_t node) { return segment.node < node; };
  const auto from = std::lower_bound(core.segments.begin(), core.segments.end(), first, before);
  const auto to = std::lower_bound(from, core.segments.end(), first + nx, before);
  return {static_cast<std::size_t>(from - core.segments.begin()), static_cast<std::size_t>(to - core.segments.begin())};
}

std::vector<std::pair<std::size_t, std::size_t>> row_ranges(const NearWall& core, const std::array<int, 3>& size) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (int z = 0; z < size[2]; ++z) {
    for (int y = 0; y < size[1]; ++y) ranges.push_back(row_range(core, size, y, z));
  }
  return ranges;
}

}  // namespace

std::uint32_t PatternBook::number(const std::vector<RowEntry>& row) {
  const std::uint64_t hash = hash_of(row);
  const auto [from, to] = by_hash_.equal_range(hash);
  for (auto known = from; known != to; ++known) {
    const auto first = walls_.entries.begin() + static_cast<std::ptrdiff_t>(walls_.pattern_begin[known->second]);
    const auto last = walls_.entries.begin() + static_cast<std::ptrdiff_t>(walls_.pattern_begin[known->second + 1]);
    if (std::equal(first, last, row.begin(), row.end(), same)) return known->second;
  }
  const auto number = static_cast<std::uint32_t>(walls_.pattern_begin.size() - 1);
  by_hash_.emplace(hash, number);
  walls_.entries.insert(walls_.entries.end(), row.begin(), row.end());
  walls_.pattern_begin.push_back(walls_.entries.size());
  return number;
}

void append_segment(NearWall& walls, const WallSegment& segment, std::uint64_t nx) {
  WallSegment* const last = walls.segments.empty() ? nullptr : &walls.segments.back();
  if (last != nullptr && last->pattern == segment.pattern && last->node + last->length == segment.node &&
      segment.node % nx != 0) {
    last->length += segment.length;
  } else {
    walls.segments.push_back(segment);
  }
}

NearWall collect_rows(const AirMask& air, std::array<int, 3> reach, const MakeRow& make_row, const MakeKey& make_key) {
  const Window window{{-reach[0], -reach[1], -reach[2]}, reach};
  const WallScan scan = scan_nodes(air, window);
  const std::vector<std::size_t> leader = leaders(air, window, scan, make_key);
  std::vector<WallRow> rows(scan.example.size());
  for_each_kind(
      air, window, scan, [&](std::size_t i) { return leader[i] == i; },
      [&](std::size_t i, const Neighbourhood& around, const std::array<int, 3>& node) {
        rows[i] = make_row(around, node);
      });
  NearWall walls;
  const std::vector<std::uint32_t> pattern_of = number_patterns(rows, leader, walls);
  const auto nx = static_cast<std::uint64_t>(air.size()[0]);
  for (const Stretch& stretch : scan.stretches) {
    const std::uint32_t pattern = pattern_of[stretch.kind];
    if (pattern == no_pattern) continue;
    append_segment(walls, {stretch.first, stretch.length, pattern}, nx);
    const double mass = rows[leader[stretch.kind]].mass;
    for (std::uint32_t i = 0; mass != 1.0 && i < stretch.length; ++i) walls.masses.push_back({stretch.first + i, mass});
  }
  walls.segments.shrink_to_fit();
  walls.masses.shrink_to_fit();
  walls.node_count = count_nodes(walls.segments);
  return walls;
}

NearWall by_core(const AirMask& air, std::array<int, 3> reach, const std::function<NearWall(const AirMask&)>& build) {
  if (!air.all_air()) return build(air);
  const std::array<int, 3> core = core_of_box(air.size(), reach);
  NearWall walls = build(AirMask(core));
  return core == air.size() ? walls : inflated(walls, core, air.size());
}

NearWall joined(NearWall a, const NearWall& b) {
  const auto first_entry = a.entries.size();
  const auto first_pattern = static_cast<std::uint32_t>(a.pattern_begin.size() - 1);
  a.entries.insert(a.entries.end(), b.entries.begin(), b.entries.end());
  for (std::size_t p = 1; p < b.pattern_begin.size(); ++p) a.pattern_begin.push_back(first_entry + b.pattern_begin[p]);
  const auto middle = static_cast<std::ptrdiff_t>(a.segments.size());
  a.segments.reserve(a.segments.size() + b.segments.size());
  for (const WallSegment& segment : b.segments) {
    a.segments.push_back({segment.node, segment.length, segment.pattern + first_pattern});
  }
  std::inplace_merge(a.segments.begin(), a.segments.begin() + middle, a.segments.end(),
                     [](const WallSegment& s, const WallSegment& t) {
                       return std::tie(s.node, s.pattern) < std::tie(t.node, t.pattern);
                     });
  a.node_count = count_nodes(a.segments);
  return a;
}

std::array<int, 3> core_of_box(std::array<int, 3> size, std::array<int, 3> reach) {
  for (std::size_t d = 0; d < 3; ++d) size[d] = std::min(size[d], 2 * reach[d] + 1);
  return size;
}

std::int64_t inflated_segments(const NearWall& core, std::array<int, 3> core_size, std::array<int, 3> size) {
  const AxisMap my{core_size[1], size[1]}, mz{core_size[2], size[2]};
  std::int64_t count = 0;
  for (int z = 0; z < core_size[2]; ++z) {
    for (int y = 0; y < core_size[1]; ++y) {
      const auto [from, to] = row_range(core, core_size, y, z);
      const std::int64_t planes = z == mz.middle() ? 1 + size[2] - core_size[2] : 1;
      const std::int64_t rows = y == my.middle() ? 1 + size[1] - core_size[1] : 1;
      count += planes * rows * static_cast<std::int64_t>(to - from);
    }
  }
  return count;
}

NearWall inflated(const NearWall& core, std::array<int, 3> core_size, std::array<int, 3> size) {
  const AxisMap mx{core_size[0], size[0]}, my{core_size[1], size[1]}, mz{core_size[2], size[2]};
  const auto ranges = row_ranges(core, core_size);
  const auto range_of = [&](int y, int z) {
    return ranges[static_cast<std::size_t>(mz.to_core(z)) * static_cast<std::size_t>(core_size[1]) +
                  static_cast<std::size_t>(my.to_core(y))];
  };
  NearWall walls;
  walls.entries = core.entries;
  walls.pattern_begin = core.pattern_begin;
  std::vector<std::size_t> plane_begin(static_cast<std::size_t>(size[2]) + 1, 0);
  for (int z = 0; z < size[2]; ++z) {
    std::size_t count = 0;
    for (int y = 0; y < size[1]; ++y) count += range_of(y, z).second - range_of(y, z).first;
    plane_begin[static_cast<std::size_t>(z) + 1] = plane_begin[static_cast<std::size_t>(z)] + count;
  }
  walls.segments.resize(plane_begin.back());
  constexpr std::size_t few_segments = 10000;
#pragma omp parallel for schedule(static) if (walls.segments.size() > few_segments)
  for (int z = 0; z < size[2]; ++z) {
    std::size_t next = plane_begin[static_cast<std::size_t>(z)];
    for (int y = 0; y < size[1]; ++y) {
      const std::uint64_t row =
          static_cast<std::uint64_t>(size[0]) *
          (static_cast<std::uint64_t>(y) + static_cast<std::uint64_t>(size[1]) * static_cast<std::uint64_t>(z));
      for (auto [from, to] = range_of(y, z); from < to; ++from) {
        const WallSegment& segment = core.segments[from];
        const int begin = static_cast<int>(segment.node % static_cast<std::uint64_t>(core_size[0])),
                  last = begin + static_cast<int>(segment.length) - 1;
        const int stretched = last == mx.middle() ? size[0] - core_size[0] : 0;
        walls.segments[next++] = {row + static_cast<std::uint64_t>(mx.from_core(begin)),
                                  static_cast<std::uint32_t>(mx.from_core(last) + stretched - mx.from_core(begin) + 1),
                                  segment.pattern};
      }
    }
  }
  walls.node_count = count_nodes(walls.segments);
  return walls;
}

std::int64_t count_nodes(const std::vector<WallSegment>& segments) {
  std::int64_t count = 0;
  std::uint64_t end = 0;  // of the nodes counted so far
  for (const WallSegment& segment : segments) {
    const std::uint64_t to = segment.node + segment.length;
    if (to <= end) continue;
    count += static_cast<std::int64_t>(to - std::max(segment.node, end));
    end = to;
  }
  return count;
}

}  // namespace fdtd

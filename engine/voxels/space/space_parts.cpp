#include "engine/voxels/space/space_parts.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "engine/voxels/shared/plane_lists.hpp"

namespace fdtd {
namespace {

std::array<int, 3> links_along(std::array<int, 3> size, std::size_t axis) {
  ++size[axis];
  return size;
}

// Is one of the links to the voxels [begin, end) of a row open?
bool any_open(const AirMask& open, int begin, int end, int y, int z) {
  for (int x = begin; x < end; x += 64) {
    const int width = std::min(64, end - x);
    const std::uint64_t wanted = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    if ((open.bits(x, y, z) & wanted) != 0) return true;
  }
  return false;
}

}  // namespace

OpenLinks all_open(const std::array<int, 3>& size, int planes) {
  OpenLinks open;
  if (planes < 1) return open;
  for (std::size_t axis = 0; axis < 3; ++axis) open[axis] = AirMask(links_along({size[0], size[1], planes}, axis));
  return open;
}

OpenLinks open_links(const std::array<int, 3>& size, const std::array<AxisCrossings, 3>& crossings,
                     const PlaneRange& planes) {
  OpenLinks open = all_open(size, planes.end - planes.begin);
  if (planes.begin >= planes.end) return open;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto nu = static_cast<std::uint64_t>(size[axis == 0 ? 1 : 0]);
    const PlaneRange across = axis == 2 ? PlaneRange{0, size[1]} : planes;
    for (std::uint64_t line = nu * static_cast<std::uint64_t>(across.begin);
         line < nu * static_cast<std::uint64_t>(across.end); ++line) {
      const int u = static_cast<int>(line % nu), v = static_cast<int>(line / nu);
      for (const Crossing& one : crossings[axis].line(line)) {
        if (axis == 0) open[0].set(one.link, u, v - planes.begin, false);
        if (axis == 1) open[1].set(u, one.link, v - planes.begin, false);
        if (axis == 2 && planes.begin <= one.link && one.link <= planes.end)
          open[2].set(u, v, one.link - planes.begin, false);
      }
    }
  }
  return open;
}

SpaceParts::SpaceParts(const AirMask& space, const OpenLinks& open, const std::array<int, 3>& size,
                       const PlanePartition& partition)
    : size_(size), partition_(partition) {
  const auto [begin, end] = partition.planes(size[2]);
  own_ = {begin, end};
  find_runs(space, open);
  const auto [nx, ny, nz] = size_;
  for (int z = 0; z < own_.end - own_.begin; ++z) {
    for (int y = 0; y < ny; ++y) {
      const std::size_t row = static_cast<std::size_t>(y) + static_cast<std::size_t>(ny) * static_cast<std::size_t>(z);
      for (std::uint64_t r = row_begin_[row]; r < row_begin_[row + 1]; ++r) {
        if (runs_[r].begin == 0 && open[0](0, y, z)) join(r, 0);
        if (runs_[r].end == nx && open[0](nx, y, z)) join(r, 0);
      }
      if (y == 0) join_edge(open[1], {0, 0, z}, row);
      if (y > 0) join_rows(open[1], {0, y, z}, row, row - 1);
      if (y == ny - 1) join_edge(open[1], {0, ny, z}, row);
      if (own_.begin + z == 0) join_edge(open[2], {0, y, 0}, row);
      if (z > 0) join_rows(open[2], {0, y, z}, row, row - static_cast<std::size_t>(ny));
      if (own_.begin + z == nz - 1) join_edge(open[2], {0, y, z + 1}, row);
    }
  }
  for (std::uint64_t r = 0; r < runs_.size(); ++r) runs_[r].root = find(r);
  if (!partition_.whole()) join_processes(open[2]);
}

void SpaceParts::find_runs(const AirMask& space, const OpenLinks& open) {
  runs_.push_back({0, 0, 0});
  std::vector<AirMask::Run> pieces;
  for (int z = 0; z < own_.end - own_.begin; ++z) {
    for (int y = 0; y < size_[1]; ++y) {
      row_begin_.push_back(runs_.size());
      space.runs(y, z, pieces);
      for (const AirMask::Run& piece : pieces) {
        for (int begin = piece.begin; begin < piece.end;) {
          int end = begin + 1;
          while (end < piece.end) {
            // A run continues up to the first closed link.
            const std::uint64_t closed = ~open[0].bits(end, y, z);
            end += std::min(closed == 0 ? 64 : std::countr_zero(closed), piece.end - end);
            if (end == piece.end || !open[0](end, y, z)) break;
          }
          runs_.push_back({begin, end, runs_.size()});
          begin = end;
        }
      }
    }
  }
  row_begin_.push_back(runs_.size());
}

// A run of the uppermost plane of a process.
struct SpaceParts::BorderRun {
  int z, y, begin, end;
  std::uint64_t part;
};

// Gives runs the numbers that one process would give them, and joins parts across the borders between processes. `open`:
// the links along z of the own planes.
void SpaceParts::join_processes(const AirMask& open) {
  std::uint64_t before = 0;  // runs of the planes below
  const std::vector<std::uint64_t> counts = gathered(std::vector<std::uint64_t>{runs_.size() - 1}, partition_);
  for (int p = 0; p < partition_.index; ++p) before += counts[static_cast<std::size_t>(p)];
  for (Run& run : runs_)
    if (run.root != 0) run.root += before;

  std::vector<BorderRun> top;
  const int planes = own_.end - own_.begin;
  const auto ny = static_cast<std::size_t>(size_[1]);
  for (std::size_t y = 0; planes > 0 && y < ny; ++y) {
    const std::size_t row = y + ny * static_cast<std::size_t>(planes - 1);
    for (std::uint64_t r = row_begin_[row]; r < row_begin_[row + 1]; ++r)
      top.push_back({own_.end - 1, static_cast<int>(y), runs_[r].begin, runs_[r].end, runs_[r].root});
  }
  std::vector<BorderRun> below = gathered(top, partition_);
  std::erase_if(below, [&](const BorderRun& run) { return planes < 1 || run.z != own_.begin - 1; });
  using Pair = std::array<std::uint64_t, 2>;  // of parts that are one, the lower number first
  std::vector<Pair> pairs;
  std::size_t b = 0;
  for (std::size_t y = 0; y < ny && b < below.size(); ++y) {
    std::uint64_t r = row_begin_[y];
    while (b < below.size() && below[b].y == static_cast<int>(y)) {
      const BorderRun& other = below[b];
      while (r < row_begin_[y + 1] && runs_[r].end <= other.begin) ++r;
      for (std::uint64_t i = r; i < row_begin_[y + 1] && runs_[i].begin < other.end; ++i) {
        const int begin = std::max(runs_[i].begin, other.begin), end = std::min(runs_[i].end, other.end);
        if (begin < end && runs_[i].root != other.part && any_open(open, begin, end, static_cast<int>(y), 0))
          pairs.push_back({std::min(runs_[i].root, other.part), std::max(runs_[i].root, other.part)});
      }
      ++b;
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  pairs = gathered(pairs, partition_);

  // The same union at every process: the lowest number remains.
  std::map<std::uint64_t, std::uint64_t> root;
  const auto lowest = [&](std::uint64_t part) {
    for (auto at = root.find(part); at != root.end() && at->second != part; at = root.find(part)) part = at->second;
    return part;
  };
  for (const Pair& one : pairs) {
    const std::uint64_t x = lowest(one[0]), y = lowest(one[1]);
    root[std::max(x, y)] = std::min(x, y);
  }
  for (auto& [part, to] : root) to = lowest(to);  // ascending: those below are settled
  for (Run& run : runs_)
    if (const auto at = root.find(run.root); at != root.end()) run.root = at->second;
}

void SpaceParts::join_edge(const AirMask& open, std::array<int, 3> link, std::size_t row) {
  for (std::uint64_t r = row_begin_[row]; r < row_begin_[row + 1]; ++r) {
    if (any_open(open, runs_[r].begin, runs_[r].end, link[1], link[2])) join(r, 0);
  }
}

void SpaceParts::join_rows(const AirMask& open, std::array<int, 3> link, std::size_t row, std::size_t before) {
  std::uint64_t a = row_begin_[row], b = row_begin_[before];
  const std::uint64_t a_end = row_begin_[row + 1], b_end = row_begin_[before + 1];
  while (a < a_end && b < b_end) {
    const int begin = std::max(runs_[a].begin, runs_[b].begin), end = std::min(runs_[a].end, runs_[b].end);
    if (begin < end && any_open(open, begin, end, link[1], link[2])) join(a, b);
    if (runs_[a].end < runs_[b].end) {
      ++a;
    } else {
      ++b;
    }
  }
}

std::uint64_t SpaceParts::find(std::uint64_t run) {
  while (runs_[run].root != run) {
    runs_[run].root = runs_[runs_[run].root].root;
    run = runs_[run].root;
  }
  return run;
}

// The lower number remains: the number of a part is that of its first run, whatever the order of joining.
void SpaceParts::join(std::uint64_t a, std::uint64_t b) {
  a = find(a);
  b = find(b);
  runs_[std::max(a, b)].root = std::min(a, b);
}

std::int64_t SpaceParts::part(int x, int y, int z) const {
  const std::size_t row =
      static_cast<std::size_t>(y) + static_cast<std::size_t>(size_[1]) * static_cast<std::size_t>(z - own_.begin);
  const auto first = runs_.begin() + static_cast<std::ptrdiff_t>(row_begin_[row]);
  const auto last = runs_.begin() + static_cast<std::ptrdiff_t>(row_begin_[row + 1]);
  const auto run = std::upper_bound(first, last, x, [](int at, const Run& r) { return at < r.end; });
  if (run == last || run->begin > x) return none;
  return number(static_cast<std::uint64_t>(run - runs_.begin()));
}

std::vector<std::int64_t> SpaceParts::parts_at(const std::vector<std::array<int, 3>>& voxels) const {
  struct Found {
    std::size_t place;
    std::int64_t part;
  };
  std::vector<Found> mine;
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    const auto& [x, y, z] = voxels[i];
    if (own_.begin <= z && z < own_.end) mine.push_back({i, part(x, y, z)});
  }
  std::vector<std::int64_t> parts(voxels.size(), none);
  for (const Found& one : gathered(mine, partition_)) parts[one.place] = one.part;
  return parts;
}

std::int64_t SpaceParts::voxels(std::int64_t part) const {
  std::int64_t mine = 0, all = 0;
  for_each_run([&](int begin, int end, int, int, std::int64_t p) { mine += p == part ? end - begin : 0; });
  for (const std::int64_t one : gathered(std::vector<std::int64_t>{mine}, partition_)) all += one;
  return all;
}

}  // namespace fdtd

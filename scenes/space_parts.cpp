#include "scenes/space_parts.hpp"

#include <algorithm>
#include <bit>

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

OpenLinks open_links(const std::array<int, 3>& size, const std::array<AxisCrossings, 3>& crossings) {
  OpenLinks open;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    open[axis] = AirMask(links_along(size, axis));
    const int nu = size[axis == 0 ? 1 : 0];
    const AxisCrossings& along = crossings[axis];
    for (std::size_t line = 0; line + 1 < along.line_begin.size(); ++line) {
      const int u = static_cast<int>(line % static_cast<std::size_t>(nu));
      const int v = static_cast<int>(line / static_cast<std::size_t>(nu));
      for (const Crossing& one : along.line(line)) {
        if (axis == 0) open[0].set(one.link, u, v, false);
        if (axis == 1) open[1].set(u, one.link, v, false);
        if (axis == 2) open[2].set(u, v, one.link, false);
      }
    }
  }
  return open;
}

SpaceParts::SpaceParts(const AirMask& space, const OpenLinks& open) : size_(space.size()) {
  const auto [nx, ny, nz] = size_;
  runs_.push_back({0, 0, 0});
  std::vector<AirMask::Run> pieces;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
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
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      const std::size_t row = static_cast<std::size_t>(y) + static_cast<std::size_t>(ny) * static_cast<std::size_t>(z);
      for (std::uint64_t r = row_begin_[row]; r < row_begin_[row + 1]; ++r) {
        if (runs_[r].begin == 0 && open[0](0, y, z)) join(r, 0);
        if (runs_[r].end == nx && open[0](nx, y, z)) join(r, 0);
      }
      if (y == 0) join_edge(open[1], {0, 0, z}, row);
      if (y > 0) join_rows(open[1], {0, y, z}, row, row - 1);
      if (y == ny - 1) join_edge(open[1], {0, ny, z}, row);
      if (z == 0) join_edge(open[2], {0, y, 0}, row);
      if (z > 0) join_rows(open[2], {0, y, z}, row, row - static_cast<std::size_t>(ny));
      if (z == nz - 1) join_edge(open[2], {0, y, nz}, row);
    }
  }
  for (std::uint64_t r = 0; r < runs_.size(); ++r) runs_[r].root = find(r);
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
  if (x < 0 || y < 0 || z < 0 || x >= size_[0] || y >= size_[1] || z >= size_[2]) return outside;
  const std::size_t row =
      static_cast<std::size_t>(y) + static_cast<std::size_t>(size_[1]) * static_cast<std::size_t>(z);
  const auto first = runs_.begin() + static_cast<std::ptrdiff_t>(row_begin_[row]);
  const auto last = runs_.begin() + static_cast<std::ptrdiff_t>(row_begin_[row + 1]);
  const auto run = std::upper_bound(first, last, x, [](int at, const Run& r) { return at < r.end; });
  if (run == last || run->begin > x) return none;
  return number(static_cast<std::uint64_t>(run - runs_.begin()));
}

std::int64_t SpaceParts::voxels(std::int64_t part) const {
  std::int64_t sum = 0;
  for_each_run([&](int begin, int end, int, int, std::int64_t p) { sum += p == part ? end - begin : 0; });
  return sum;
}

}  // namespace fdtd

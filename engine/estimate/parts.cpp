#include "engine/estimate/parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace fdtd {
namespace {

constexpr double far = 1e30;

// The lower envelope of parabolas along one line (P. Felzenszwalb, D. Huttenlocher, Distance transforms of sampled
// functions, Theory of Computing 8, 2012): squared distances with those along the line added.
void distances_along(std::vector<double>& line, double h) {
  const std::size_t n = line.size();
  std::vector<std::size_t> at(n);
  std::vector<double> from(n + 1), out(n);
  std::size_t k = 0;
  from[0] = -far;
  from[1] = far;
  const auto place = [&](std::size_t i) { return h * static_cast<double>(i); };
  for (std::size_t q = 1; q < n; ++q) {
    const auto meet = [&](std::size_t p) {
      return ((line[q] + place(q) * place(q)) - (line[p] + place(p) * place(p))) / (2.0 * (place(q) - place(p)));
    };
    double s = meet(at[k]);
    while (k > 0 && s <= from[k]) s = meet(at[--k]);
    if (s > from[k] || k > 0) {
      at[++k] = q;
    } else {
      at[k] = q;
      s = -far;
    }
    from[k] = s;
    from[k + 1] = far;
  }
  k = 0;
  for (std::size_t q = 0; q < n; ++q) {
    while (from[k + 1] < place(q)) ++k;
    const double along = place(q) - place(at[k]);
    out[q] = along * along + line[at[k]];
  }
  line = out;
}

// Distance of each cell's centre to the nearest wall cell's, less half a cell: cells beyond the grid are wall.
std::vector<double> clearances(const DiffusionRoom& room) {
  const std::array<int, 3> size = {room.cells[0] + 2, room.cells[1] + 2, room.cells[2] + 2};
  const auto index = [&](int x, int y, int z) {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(size[0]) *
               (static_cast<std::size_t>(y) + static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(z));
  };
  std::vector<double> squared(index(0, 0, size[2]), 0.0);
  for (int z = 0; z < room.cells[2]; ++z)
    for (int y = 0; y < room.cells[1]; ++y)
      for (int x = 0; x < room.cells[0]; ++x)
        if (room.is_air(x, y, z)) squared[index(x + 1, y + 1, z + 1)] = far;
  std::vector<double> line;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;
    line.resize(static_cast<std::size_t>(size[d]));
    for (int u = 0; u < size[e]; ++u)
      for (int v = 0; v < size[f]; ++v) {
        std::array<int, 3> at{};
        at[e] = u;
        at[f] = v;
        for (at[d] = 0; at[d] < size[d]; ++at[d])
          line[static_cast<std::size_t>(at[d])] = squared[index(at[0], at[1], at[2])];
        distances_along(line, room.spacing[d]);
        for (at[d] = 0; at[d] < size[d]; ++at[d])
          squared[index(at[0], at[1], at[2])] = line[static_cast<std::size_t>(at[d])];
      }
  }
  const double half = 0.5 * std::cbrt(room.spacing[0] * room.spacing[1] * room.spacing[2]);
  std::vector<double> clearance(room.air.size(), 0.0);
  for (int z = 0; z < room.cells[2]; ++z)
    for (int y = 0; y < room.cells[1]; ++y)
      for (int x = 0; x < room.cells[0]; ++x)
        clearance[room.cell_of(x, y, z)] = std::max(0.0, std::sqrt(squared[index(x + 1, y + 1, z + 1)]) - half);
  return clearance;
}

template <class Visit>
void for_neighbours(const DiffusionRoom& room, std::size_t cell, const Visit& visit) {
  const auto nx = static_cast<std::size_t>(room.cells[0]), ny = static_cast<std::size_t>(room.cells[1]);
  const std::size_t x = cell % nx, y = cell / nx % ny, z = cell / nx / ny;
  const std::array<std::size_t, 3> at = {x, y, z}, stride = {1, nx, nx * ny};
  for (std::size_t d = 0; d < 3; ++d) {
    if (at[d] > 0 && room.air[cell - stride[d]] > 0.0F) visit(cell - stride[d], d);
    if (at[d] + 1 < static_cast<std::size_t>(room.cells[d]) && room.air[cell + stride[d]] > 0.0F)
      visit(cell + stride[d], d);
  }
}

// Trees of cells, each known by its root.
struct Forest {
  std::vector<std::size_t> above;
  std::size_t root(std::size_t i) {
    while (above[i] != i) i = above[i] = above[above[i]];
    return i;
  }
};

// Cells join by falling clearance; two maxima stay apart where the clearance at which they meet is narrow.
std::vector<std::size_t> basins(const DiffusionRoom& room, const std::vector<double>& clearance) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < room.air.size(); ++i)
    if (room.air[i] > 0.0F) order.push_back(i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return clearance[a] > clearance[b]; });
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  Forest forest{std::vector<std::size_t>(room.air.size(), none)};
  std::vector<double> peak = clearance;  // of the tree with this root
  for (const std::size_t cell : order) {
    // The cell joins the tree of its highest neighbour, on its way uphill.
    std::vector<std::size_t> roots;
    std::size_t uphill = none;
    for_neighbours(room, cell, [&](std::size_t other, std::size_t) {
      if (forest.above[other] == none) return;
      roots.push_back(forest.root(other));
      if (uphill == none || clearance[other] > clearance[uphill]) uphill = other;
    });
    if (roots.empty()) {
      forest.above[cell] = cell;
      continue;
    }
    std::size_t own = forest.above[cell] = forest.root(uphill);
    std::ranges::sort(roots);
    for (const std::size_t one : roots) {
      const std::size_t other = forest.root(one);
      own = forest.root(own);
      if (other == own || clearance[cell] < narrow * std::min(peak[other], peak[own])) continue;
      const bool higher = peak[other] > peak[own];
      forest.above[higher ? own : other] = higher ? other : own;
    }
  }
  std::vector<std::size_t> of(room.air.size(), none);
  for (const std::size_t cell : order) of[cell] = forest.root(cell);
  return of;
}

// Numbers the parts; those too small become their neighbour with the largest common opening.
void number_parts(DiffusionRoom& room, std::vector<std::size_t> of) {
  while (true) {
    std::map<std::size_t, double> volume;
    std::map<std::size_t, std::map<std::size_t, double>> common;
    double whole = 0.0;
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (!(room.air[i] > 0.0F)) continue;
      volume[of[i]] += static_cast<double>(room.air[i]);
      whole += static_cast<double>(room.air[i]);
      for_neighbours(room, i, [&](std::size_t other, std::size_t) {
        if (of[other] != of[i]) common[of[i]][of[other]] += 1.0;
      });
    }
    std::size_t small = 0, into = 0;
    double least = smallest_part * whole;
    for (const auto& [part, size] : volume) {
      if (size >= least || common[part].empty()) continue;
      small = part;
      least = size;
      into = std::ranges::max_element(common[part], {}, [](const auto& one) { return one.second; })->first;
    }
    if (small == into) {
      std::map<std::size_t, std::int16_t> numbers;
      room.part.assign(of.size(), -1);
      for (std::size_t i = 0; i < of.size(); ++i)
        if (room.air[i] > 0.0F)
          room.part[i] = numbers.emplace(of[i], static_cast<std::int16_t>(numbers.size())).first->second;
      room.parts.assign(numbers.size(), {});
      return;
    }
    std::ranges::replace(of, small, into);
  }
}

}  // namespace

void find_parts(DiffusionRoom& room) {
  number_parts(room, basins(room, clearances(room)));
  const auto& h = room.spacing;
  const std::array<double, 3> face = {h[1] * h[2], h[0] * h[2], h[0] * h[1]};
  for (std::size_t i = 0; i < room.air.size(); ++i) {
    if (room.part[i] < 0) continue;
    DiffusionRoom::Part& part = room.parts[static_cast<std::size_t>(room.part[i])];
    part.volume += static_cast<double>(room.air[i]) * h[0] * h[1] * h[2];
    for_neighbours(room, i, [&](std::size_t other, std::size_t d) {
      if (room.part[other] != room.part[i]) part.openings += face[d];
    });
  }
  for (const DiffusionRoom::Wall& wall : room.walls)
    room.parts[static_cast<std::size_t>(room.part[static_cast<std::size_t>(wall.cell)])].area += wall.area;
  for (DiffusionRoom::Part& part : room.parts)
    part.mean_free_path = 4.0 * part.volume / std::max(part.area + part.openings, 1e-9);
}

}  // namespace fdtd

#include "engine/multigrid/mask_profile.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "engine/multigrid/profile.hpp"

namespace fdtd::multigrid {
namespace {

constexpr double tolerance = 1e-6, diagonal = 1e-4;
constexpr int max_iterations = 100;

class Watch {
 public:
  // Since the last call, or since it was made. A clock may stand still, or go backward.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    begun_ = now;
    return std::max(1e-9, seconds);
  }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

bool in_ball(const std::array<int, 3>& n, int x, int y, int z) {
  const double dx = (x + 0.5) / n[0] - 0.5, dy = (y + 0.5) / n[1] - 0.5, dz = (z + 0.5) / n[2] - 0.5;
  const double r = std::sqrt(dx * dx + dy * dy + dz * dz);
  const bool wall = x == n[0] / 2 && !(std::abs(dy) < 0.1 && dz < 0.0);
  return r <= 0.49 && r >= 0.15 && !wall;
}

bool in_rooms(const std::array<int, 3>& n, int x, int y, int z) {
  const bool across_x = x == n[0] / 2, across_y = y == n[1] / 2, low = z < std::max(1, n[2] / 2);
  if (across_x && across_y) return false;
  const int width = std::max(1, n[0] / 12);
  if (across_x) return low && (std::abs(y - n[1] / 4) < width || std::abs(y - 3 * n[1] / 4) < width);
  if (across_y) return low && std::abs(x - n[0] / 4) < width;
  return true;
}

}  // namespace

Elements named_mask(const std::string& name, const std::array<int, 3>& n) {
  Elements elements{n, {1.0, 1.0, 1.0}, {}};
  elements.coefficient.reserve(static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) *
                               static_cast<std::size_t>(n[2]));
  if (std::ranges::find(mask_names, name) == mask_names.end())
    throw std::invalid_argument("there is no mask \"" + name + "\"");
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x) {
        const bool air = name == "ball"    ? in_ball(n, x, y, z)
                         : name == "rooms" ? in_rooms(n, x, y, z)
                                           : profile_right_side(x, y, z) > 2.0F / 3.0F;
        elements.coefficient.push_back(air ? 1.0F : 0.0F);
      }
  return elements;
}

double mask_bytes(const std::array<int, 3>& cells) {
  const auto nodes = static_cast<double>(NodeGrid({cells[0] + 1, cells[1] + 1, cells[2] + 1}).size);
  constexpr double level = 4.0 + 8.0 + 8.0 + 4.0 + 16.0;  // element, stiffness, d, inverse; diagonal, u, b and other
  constexpr double vectors = 7.0 * 8.0;                   // d, b, u; r, z, p and q
  return nodes * (8.0 / 7.0 * level + vectors) + 4.0 * nodes;
}

MaskProfile profile_mask(const std::string& mask, const std::array<int, 3>& cells, const MakeSolver& make_solver,
                         int repeats) {
  MaskProfile profile;
  profile.mask = mask;
  profile.cells = cells;
  const Elements elements = named_mask(mask, cells);
  Watch watch;
  const auto levels = std::make_shared<const std::vector<MaskLevel>>(mask_levels(elements));
  profile.levels_seconds = watch.lap();
  profile.levels = levels->size();
  const MaskLevel& finest = levels->front();
  profile.nodes = finest.nodes;
  const NodeGrid& grid = finest.grid;
  for (const MaskLevel& level : *levels) profile.further_nodes += level.further;
  std::vector<double> d(grid.size, 0.0), b(grid.size, 0.0), u;
  for (int z = 0; z < grid.nodes[2]; ++z)
    for (int y = 0; y < grid.nodes[1]; ++y)
      for (int x = 0; x < grid.nodes[0]; ++x)
        if (const std::size_t i = grid.index(x, y, z); finest.stiffness[i] > 0.0) {
          d[i] = diagonal;
          b[i] = static_cast<double>(profile_right_side(x, y, z)) - 1.0;
        }
  watch.lap();
  const std::shared_ptr<MaskedSolver> solver = make_solver(levels);
  solver->set_diagonal(d);
  profile.ready_seconds = watch.lap();
  std::vector<double> seconds;
  for (int i = 0; i < std::max(1, repeats); ++i) {
    u.assign(grid.size, 0.0);
    watch.lap();
    profile.solution = solver->solve(b, u, tolerance, max_iterations);
    seconds.push_back(watch.lap());
  }
  std::ranges::sort(seconds);
  profile.solution_seconds = seconds[seconds.size() / 2];
  return profile;
}

}  // namespace fdtd::multigrid

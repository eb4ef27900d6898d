// Screens without thickness and openings in walls, against exact modes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "engine/walls/near_wall_operator.hpp"
#include "scenes/voxelise_mesh.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/mesh_voxels.hpp"
#include "tests/support/sparse_operator.hpp"

using namespace fdtd;

namespace {

constexpr double pi = std::numbers::pi;

// A rigid rectangle [0, length] x [0, width] with a rigid screen at x = `screen`, open for low < y < high.
struct ScreenRoom {
  double length, width, screen, low, high;
};

// Its modes, exactly. The velocity in the opening is a sum of T_m(xi)/sqrt(1 - xi^2) in s = cos(pi y/width), from -1
// to 1 across the opening in xi: it has the singularity of the rims. Pressures on both sides, cosines in y, are equal
// there; in s the sum over n of cos cos'/n is -ln(2 |s - s'|)/2, diagonal in T_m, and what is left of the cosines falls
// with 1/n^3 (L. Lewin, Theory of waveguides, 1975, chapter 6, where it is the static singular integral equation).
class ScreenModes {
 public:
  explicit ScreenModes(const ScreenRoom& room) : room_(room) {
    const double s_low = std::cos(pi * room.high / room.width), s_high = std::cos(pi * room.low / room.width);
    const double middle = 0.5 * (s_low + s_high), half = 0.5 * (s_high - s_low);
    for (int q = 0; q < points; ++q) {
      const double psi = (q + 0.5) * pi / points;
      const double angle = std::acos(std::clamp(middle + half * std::cos(psi), -1.0, 1.0));
      for (int n = 0; n < cosines; ++n)
        for (int m = 0; m < unknowns; ++m) projection_(m, n) += std::cos(m * psi) * std::cos(n * angle) * pi / points;
    }
    still_(0, 0) = -2.0 * pi * std::log(half);
    for (int m = 1; m < unknowns; ++m) still_(m, m) = pi / m;
  }
  // The wave numbers (rad/m) of the modes up to `highest`, ascending.
  std::vector<double> up_to(double highest) const {
    std::vector<double> modes;
    const double step = highest / 700.7;
    int before = negative(step);
    for (double k = step; k < highest; k += step) {
      const int after = negative(k + step);
      if (after != before) {
        double a = k, b = k + step;
        for (int i = 0; i < 45; ++i) {
          const double middle = 0.5 * (a + b);
          (negative(middle) == before ? a : b) = middle;
        }
        // At the modes of one side alone an eigenvalue goes through infinity instead.
        if (matrix(b).eigenvalues().cwiseAbs().minCoeff() < 1e-3) modes.push_back(0.5 * (a + b));
      }
      before = after;
    }
    // Nothing crosses the screen's plane in modes that do not depend on x.
    for (int n = 1; n * pi / room_.width < highest; ++n) modes.push_back(n * pi / room_.width);
    std::sort(modes.begin(), modes.end());
    return modes;
  }

 private:
  static constexpr int unknowns = 12, cosines = 96, points = 512;
  using Matrix = Eigen::Matrix<double, unknowns, unknowns>;

  // Pressure over velocity at the screen, of cosine n in a room that ends `depth` behind it.
  static double stiffness(double square, double depth) {
    const double root = std::sqrt(std::abs(square));
    return square > 0.0 ? -1.0 / (root * std::tan(root * depth)) : 1.0 / (root * std::tanh(root * depth));
  }
  Eigen::SelfAdjointEigenSolver<Matrix> solved(double k) const {
    return Eigen::SelfAdjointEigenSolver<Matrix>(form(k));
  }
  Matrix form(double k) const {
    Eigen::VectorXd weight(cosines);
    for (int n = 0; n < cosines; ++n) {
      const double across = n * pi / room_.width, square = k * k - across * across;
      const double sum = stiffness(square, room_.screen) + stiffness(square, room_.length - room_.screen);
      weight[n] = n == 0 ? sum / room_.width : 2.0 / room_.width * (sum - 2.0 / across);
    }
    return still_ + projection_ * weight.asDiagonal() * projection_.transpose();
  }
  struct Values {
    Eigen::VectorXd values;
    const Eigen::VectorXd& eigenvalues() const { return values; }
  };
  Values matrix(double k) const { return {solved(k).eigenvalues()}; }
  int negative(double k) const { return static_cast<int>((solved(k).eigenvalues().array() < 0.0).count()); }

  ScreenRoom room_;
  Eigen::Matrix<double, unknowns, cosines> projection_ = Eigen::Matrix<double, unknowns, cosines>::Zero();
  Matrix still_ = Matrix::Zero();
};

// One voxel high.
Mesh screen_mesh(const ScreenRoom& room, const test::Turn& turn) {
  Mesh mesh;
  test::add_box(mesh, {0, 0, 0}, {room.length, room.width, 1}, {"wall", "wall", "wall", "wall", "wall", "wall"}, turn);
  const auto screen = [&](double from, double to) {
    if (to - from < 1e-9) return;
    const double x = room.screen;
    test::add_quad(mesh,
                   {test::Place{x, from, 0}, test::Place{x, to, 0}, test::Place{x, to, 1}, test::Place{x, from, 1}},
                   "screen", turn);
  };
  screen(0.0, room.low);
  screen(room.high, room.width);
  merge_vertices(mesh);
  return mesh;
}

GridStencil flat(const char* name) {
  const Stencil& stencil = *find_stencil(name);
  return on_grid(stencil, {stencil.courant, stencil.courant, 0.0});
}

std::vector<double> errors_of(const ScreenRoom& room, const char* name, double angle, int count, bool time_error) {
  const GridStencil stencil = flat(name);
  const test::Turn turn = test::turned(angle, 0.0, {0.0, 0.0, 0.0});
  const Mesh mesh = screen_mesh(room, turn);
  MeshGrid grid = test::grid_around(mesh, 1.0, true);
  for (std::size_t d = 0; d < 2; ++d) {
    grid.corner[d] = std::floor(mesh.low[d] + 1e-9);
    grid.size[d] = static_cast<int>(std::ceil(mesh.high[d] - 1e-9 - grid.corner[d]));
  }
  grid.size[2] = 1, grid.corner[2] = 0.0;
  const MeshVoxels made = test::voxelise(mesh, grid, {turn({0.5 * room.screen, 0.3 * room.width, 0.5})});
  const test::SparseOperator op = test::sparse_operator(stencil, made.voxels.air, make_near_wall(stencil, made.voxels));
  const Eigen::VectorXd values = test::lowest_eigenvalues(op, count + 1);
  const std::vector<double> exact = ScreenModes(room).up_to(1.2 * std::sqrt(values[count]) / stencil.courant[0]);
  std::vector<double> errors;
  for (int i = 1; i <= count && i <= static_cast<int>(exact.size()); ++i) {
    double k = std::sqrt(values[i]);
    if (time_error) k = 2.0 * std::asin(0.5 * k);
    errors.push_back(1200.0 * std::log2(k / stencil.courant[0] / exact[static_cast<std::size_t>(i - 1)]));
  }
  return errors;
}

}  // namespace

TEST_CASE("scan screens", "[.]") {
  const char* name = std::getenv("ST");
  const double angle = std::atof(std::getenv("ANGLE"));
  const bool time_error = std::getenv("TE") != nullptr;
  for (double f = 0.0; f < 1.0; f += 0.125) {
    const ScreenRoom room{40.0, 28.0, 16.0 + std::atof(std::getenv("DX")), 10.0 + f, 28.0};
    fmt::print("{} f {:.3f}:", name, f);
    for (const double e : errors_of(room, name, angle, 14, time_error)) fmt::print(" {:.1f}", e);
    fmt::print("\n");
  }
}
TEST_CASE("show screen", "[.]") {
  const ScreenRoom room{40.0, 28.0, 16.0, 10.0 + std::atof(std::getenv("F")), 28.0};
  const Mesh mesh = screen_mesh(room, test::unturned);
  MeshGrid grid{{40, 28, 1}, {1, 1, 1}, {0, 0, 0}, true};
  const MeshVoxels made = test::voxelise(mesh, grid, {{8, 8, 0.5}});
  for (std::size_t d = 0; d < 3; ++d)
    for (const CutShare& one : made.voxels.cut.passages[d])
      fmt::print("{} at {} {}: {}\n", d, one.node % 40, one.node / 40, one.share);
  for (const CutShare& one : made.voxels.cut.volumes)
    fmt::print("volume at {} {}: {}\n", one.node % 40, one.node / 40, one.share);
  fmt::print("{}\n", made.areas);
}

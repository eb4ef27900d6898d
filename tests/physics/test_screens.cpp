// Screens without thickness and openings in walls, against exact modes.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "engine/voxels/voxelise_mesh.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_voxels.hpp"
#include "tests/support/solutions/sparse_operator.hpp"

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
    const double step = highest / 4000.7;
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
        if (eigenvalues(b).abs().minCoeff() < 1e-3) modes.push_back(0.5 * (a + b));
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
  Matrix form(double k) const {
    Eigen::VectorXd weight(cosines);
    for (int n = 0; n < cosines; ++n) {
      const double across = n * pi / room_.width, square = k * k - across * across;
      const double sum = stiffness(square, room_.screen) + stiffness(square, room_.length - room_.screen);
      weight[n] = n == 0 ? sum / room_.width : 2.0 / room_.width * (sum - 2.0 / across);
    }
    return still_ + projection_ * weight.asDiagonal() * projection_.transpose();
  }
  Eigen::ArrayXd eigenvalues(double k) const {
    return Eigen::SelfAdjointEigenSolver<Matrix>(form(k), Eigen::EigenvaluesOnly).eigenvalues();
  }
  int negative(double k) const { return static_cast<int>((eigenvalues(k) < 0.0).count()); }

  ScreenRoom room_;
  Eigen::Matrix<double, unknowns, cosines> projection_ = Eigen::Matrix<double, unknowns, cosines>::Zero();
  Matrix still_ = Matrix::Zero();
};

using Place2 = std::array<double, 2>;
struct Part {  // of a screen
  Place2 from, to;
};

// One voxel high.
Mesh flat_mesh(const std::array<double, 2>& size, const test::Turn& turn, const std::vector<Part>& parts) {
  Mesh mesh;
  test::add_box(mesh, {0, 0, 0}, {size[0], size[1], 1}, {"wall", "wall", "wall", "wall", "wall", "wall"}, turn);
  for (const auto& [p, q] : parts)
    test::add_quad(mesh,
                   {test::Place{p[0], p[1], 0}, test::Place{q[0], q[1], 0}, test::Place{q[0], q[1], 1},
                    test::Place{p[0], p[1], 1}},
                   "screen", turn);
  merge_vertices(mesh);
  return mesh;
}

GridStencil flat(const char* name) {
  const Stencil& stencil = *find_stencil(name);
  return on_grid(stencil, {stencil.courant, stencil.courant, 0.0});
}

// On a grid around `within`.
test::SparseOperator operator_on(const Mesh& mesh, const Mesh& within, const GridStencil& stencil,
                                 const test::Place& air) {
  MeshGrid grid{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, true};
  for (std::size_t d = 0; d < 2; ++d) {
    grid.corner[d] = std::floor(within.low[d] + 1e-9);
    grid.size[d] = static_cast<int>(std::ceil(within.high[d] - 1e-9 - grid.corner[d]));
  }
  const MeshVoxels made = test::voxelise(mesh, grid, {air});
  return test::sparse_operator(stencil, made.voxels.air, make_near_wall(stencil, made.voxels));
}

// Of the modes from `points` cells a wavelength on, in cents; the time step's error is left out.
std::vector<double> errors_of(const ScreenRoom& room, const char* name, double angle, double points) {
  const GridStencil stencil = flat(name);
  const test::Turn turn = test::turned(angle, 0.0);
  std::vector<Part> parts;
  if (room.low > 0.0) parts.push_back({{room.screen, 0.0}, {room.screen, room.low}});
  if (room.high < room.width) parts.push_back({{room.screen, room.high}, {room.screen, room.width}});
  const Mesh mesh = flat_mesh({room.length, room.width}, turn, parts);
  const std::vector<double> exact = ScreenModes(room).up_to(2.0 * pi / points);
  const Eigen::VectorXd values =
      test::lowest_eigenvalues(operator_on(mesh, mesh, stencil, turn({0.5 * room.screen, 0.3 * room.width, 0.5})),
                               static_cast<int>(exact.size()) + 1);
  std::vector<double> errors;
  for (std::size_t i = 0; i < exact.size(); ++i)
    errors.push_back(1200.0 *
                     std::log2(std::sqrt(values[static_cast<Eigen::Index>(i) + 1]) / stencil.courant[0] / exact[i]));
  return errors;
}

double worst(const std::vector<double>& errors) {
  double most = 0.0;
  for (const double one : errors) most = std::max(most, std::abs(one));
  return most;
}

// ---- wedges and half-planes --------------------------------------------------------------------------------------------
// A rigid wedge: air from the angle `way` to `way + open` about `edge`; a half-plane where `open` is 2 pi.
struct Wedge {
  Place2 edge;
  double way, open = 2.0 * pi;
  // Distance from the edge, angle from the first face.
  std::array<double, 2> polar(const Place2& p) const {
    const double x = p[0] - edge[0], y = p[1] - edge[1], angle = std::atan2(y, x) - way;
    return {std::hypot(x, y), angle - 2.0 * pi * std::floor(angle / (2.0 * pi))};
  }
};

// Pressure of a line source at `source` beside it: the series of H. M. Macdonald, Electric waves, 1902; J. J. Bowman,
// T. B. A. Senior, P. L. E. Uslenghi, Electromagnetic and acoustic scattering by simple shapes, 1969, chapter 8.
std::complex<double> beside(double k, const Wedge& wedge, const Place2& source, const Place2& at) {
  const auto [r, theta] = wedge.polar(at);
  const auto [r_source, theta_source] = wedge.polar(source);
  const double near = k * std::min(r, r_source), far = k * std::max(r, r_source);
  std::complex<double> sum = 0.0;
  for (int n = 0; n < static_cast<int>(2.0 * near) + 80; ++n) {
    const double order = n * pi / wedge.open;
    sum += (n == 0 ? 1.0 : 2.0) * std::cyl_bessel_j(order, near) *
           std::complex<double>(std::cyl_bessel_j(order, far), std::cyl_neumann(order, far)) * std::cos(order * theta) *
           std::cos(order * theta_source);
  }
  return std::complex<double>(0.0, 0.5 * pi / wedge.open) * sum;
}

std::complex<double> free_field(double k, const Place2& source, const Place2& at) {
  const double x = k * std::hypot(at[0] - source[0], at[1] - source[1]);
  return std::complex<double>(0.0, 0.25) * std::complex<double>(std::cyl_bessel_j(0, x), std::cyl_neumann(0, x));
}

// The spectrum, at one frequency, of what nodes hear of a short tone at that frequency, before walls are heard.
std::vector<std::complex<double>> heard(const test::SparseOperator& op, std::size_t source,
                                        const std::vector<std::size_t>& nodes, double step, double spread, int steps) {
  const Eigen::SparseMatrix<double, Eigen::RowMajor> stiffness = op.stiffness;
  Eigen::VectorXd before = Eigen::VectorXd::Zero(op.mass.size()), here = before, next = before;
  std::vector<std::complex<double>> sum(nodes.size());
  for (int n = 0; n < steps; ++n) {
    next = 2.0 * here - before - (stiffness * here).cwiseQuotient(op.mass);
    const double t = n - 4.0 * spread;
    next[static_cast<Eigen::Index>(source)] += std::exp(-0.5 * t * t / (spread * spread)) * std::cos(step * t);
    std::swap(before, here);
    std::swap(here, next);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      sum[i] += here[static_cast<Eigen::Index>(nodes[i])] * std::polar(1.0, step * n);
  }
  return sum;
}

// The largest error of the insertion loss (dB) at 8 points a wavelength, of places 1.5 to 4 wavelengths from the edge.
double insertion_error(const char* name, const Wedge& wedge) {
  constexpr double side = 160.0, k = 2.0 * pi / 8.0;
  const GridStencil stencil = flat(name);
  const Place2& edge = wedge.edge;
  std::vector<double> faces = {wedge.way};
  if (wedge.open < 2.0 * pi) faces.push_back(wedge.way + wedge.open);
  std::vector<Part> parts;
  for (const double way : faces)
    parts.push_back({edge, {edge[0] + 200.0 * std::cos(way), edge[1] + 200.0 * std::sin(way)}});
  const Mesh open = flat_mesh({side, side}, test::unturned, {}),
             screened = flat_mesh({side, side}, test::unturned, parts);
  const test::Place air = {55.5, 66.5, 0.5};
  const test::SparseOperator without = operator_on(open, open, stencil, air),
                             with = operator_on(screened, open, stencil, air);
  const auto number = [](const Place2& p) {
    return static_cast<std::size_t>(p[0]) + static_cast<std::size_t>(side) * static_cast<std::size_t>(p[1]);
  };
  const Place2 source = {55.5, 66.5};
  std::vector<Place2> places;
  for (int i = 0; i < 12; ++i) {
    const double angle = pi * (-0.5 + i / 11.0), r = 10.0 + 1.2 * i;
    const Place2 p = {std::floor(edge[0] + r * std::cos(angle)) + 0.5, std::floor(edge[1] + r * std::sin(angle)) + 0.5};
    const bool apart = std::ranges::all_of(faces, [&](double way) {  // by two voxels
      return std::abs((p[1] - edge[1]) * std::cos(way) - (p[0] - edge[0]) * std::sin(way)) > 2.0;
    });
    if (apart && wedge.polar(p)[1] < wedge.open) places.push_back(p);
  }
  std::vector<std::size_t> at, at_screened;
  for (const Place2& p : places) {
    at.push_back(static_cast<std::size_t>(without.index[number(p)]));
    at_screened.push_back(static_cast<std::size_t>(with.index[number(p)]));
  }
  const double step = 2.0 * std::asin(0.5 * k * stencil.courant[0]), spread = 2.0 * pi / step;
  const int steps = static_cast<int>(7.5 * spread + 70.0 / stencil.courant[0]);
  const auto plain = heard(without, static_cast<std::size_t>(without.index[number(source)]), at, step, spread, steps),
             behind =
                 heard(with, static_cast<std::size_t>(with.index[number(source)]), at_screened, step, spread, steps);
  double most = 0.0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double exact = std::abs(beside(k, wedge, source, places[i]) / free_field(k, source, places[i])),
                 found = std::abs(behind[i] / plain[i]), error = 20.0 * std::log10(found / exact);
    UNSCOPED_INFO(name << " at " << places[i][0] << ", " << places[i][1] << ": " << 20.0 * std::log10(exact) << " dB, "
                       << error << " off");
    most = std::max(most, std::abs(error));
  }
  return most;
}

}  // namespace

TEST_CASE("modes of a rectangle with a thin screen, 12 points a wavelength, are exact to a cent wherever its rim is",
          "[physics]") {
  for (const double rim : {9.0, 9.2, 9.7}) {
    CAPTURE(rim);
    CHECK(worst(errors_of({24.0, 17.0, 10.0, rim, 17.0}, "leggy-4", 0.0, 12.0)) < 1.0);
  }
}

TEST_CASE("between voxel faces or oblique, a thin screen shifts the modes of a rectangle by less than 25 cents",
          "[physics]") {
  CHECK(worst(errors_of({24.0, 17.0, 10.5, 9.3, 17.0}, "leggy-4", 0.0, 20.0)) < 20.0);
  for (const auto& [angle, rim] : {std::pair{17.0, 9.0}, {30.0, 9.4}, {45.0, 9.0}}) {
    CAPTURE(angle);
    CHECK(worst(errors_of({24.0, 17.0, 10.0, rim, 17.0}, "leggy-4", angle, 20.0)) < 25.0);
  }
}

TEST_CASE("two rooms coupled by a slit of four voxels have their lowest mode to 5 cents", "[physics]") {
  for (const char* name : {"leggy-2", "leggy-4", "leggy-4/warp1", "leggy-8"}) {
    for (const double low : {11.0, 11.5}) {
      CAPTURE(name, low);
      CHECK(std::abs(errors_of({40.0, 28.0, 16.0, low, low + 4.0}, name, 0.0, 60.0).front()) < 5.0);
    }
  }
}

TEST_CASE("the insertion loss of a thin half-plane at 8 points a wavelength is exact to 0.5 dB, oblique too",
          "[physics]") {
  CHECK(insertion_error("leggy-4", {{80.0, 80.3}, -0.5 * pi}) < 0.5);
  CHECK(insertion_error("leggy-4", {{80.2, 80.3}, -pi / 3.0}) < 0.5);
  CHECK(insertion_error("leggy-4", {{80.7, 80.3}, -pi / 9.0}) < 0.5);
  CHECK(insertion_error("leggy-1", {{80.2, 80.3}, -pi / 3.0}) < 1.0);
}

TEST_CASE("the insertion loss of a rigid wedge at 8 points a wavelength is exact to 0.5 dB, turned in the grid too",
          "[physics]") {
  CHECK(insertion_error("leggy-4", {{80.0, 80.0}, 0.0, 1.5 * pi}) < 0.5);
  CHECK(insertion_error("leggy-4", {{80.2, 80.3}, -pi / 6.0, pi / 0.6}) < 0.5);
  CHECK(insertion_error("leggy-4", {{80.7, 80.3}, -pi / 9.0, pi * 14.0 / 9.0}) < 0.5);
}

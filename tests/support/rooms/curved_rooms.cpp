#include "tests/support/rooms/curved_rooms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "engine/walls/near_wall_operator.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/solutions/sparse_operator.hpp"

namespace fdtd::test {
namespace {

struct Found {
  Eigen::VectorXd k;       // wave numbers, ascending
  Eigen::MatrixXd shapes;  // sum of m u^2 = 1
};

// The operator's lowest modes, by inverse iteration on the space of `start`.
Found modes_of(const SparseOperator& op, Eigen::MatrixXd start, double courant, bool time_error) {
  const Eigen::SparseMatrix<double> shifted = op.stiffness + 1e-3 * Eigen::SparseMatrix<double>(op.mass.asDiagonal());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(shifted);
  if (solver.info() != Eigen::Success) throw std::runtime_error("the operator has no factors");
  Eigen::VectorXd values;
  for (int round = 0; round < 3; ++round) {
    const Eigen::MatrixXd next = solver.solve(op.mass.asDiagonal() * start);
    const Eigen::MatrixXd mass = next.transpose() * op.mass.asDiagonal() * next,
                          form = next.transpose() * (op.stiffness * next);
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> ritz(form, mass);
    start = next * ritz.eigenvectors();
    values = ritz.eigenvalues();
  }
  Eigen::VectorXd k = values.cwiseMax(0.0).cwiseSqrt();
  if (time_error) k = 2.0 * (0.5 * k.array()).asin().matrix();
  return {k / courant, start};
}

double root_between(const auto& f, double a, double b) {
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (a + b);
    ((f(middle) > 0.0) == (f(a) > 0.0) ? a : b) = middle;
  }
  return 0.5 * (a + b);
}

// Calls found(z) for every zero of the function between 0 and `highest`.
void for_each_zero(const auto& function, double highest, const auto& found) {
  for (double a = 0.5; a < highest; a += 0.05) {
    const double b = std::min(a + 0.05, highest);
    if ((function(a) > 0.0) != (function(b) > 0.0)) found(root_between(function, a, b));
  }
}

double sphere_mode(const Mode& mode, const std::array<double, 3>& from_centre, double radius) {
  const double r = std::hypot(from_centre[0], from_centre[1], from_centre[2]);
  const double theta = r > 0.0 ? std::acos(from_centre[2] / r) : 0.0, phi = std::atan2(from_centre[1], from_centre[0]);
  const auto l = static_cast<unsigned>(mode.order), m = static_cast<unsigned>(std::abs(mode.turn));
  return std::sph_bessel(l, mode.z * r / radius) * std::sph_legendre(l, m, theta) *
         (mode.turn < 0 ? std::sin(m * phi) : std::cos(m * phi));
}

double disc_mode(const Mode& mode, const std::array<double, 3>& from_centre, double radius) {
  const double angle = std::abs(mode.turn) * std::atan2(from_centre[1], from_centre[0]);
  return std::cyl_bessel_j(mode.order, mode.z * std::hypot(from_centre[0], from_centre[1]) / radius) *
         (mode.turn < 0 ? std::sin(angle) : std::cos(angle));
}

// A cylinder one cell high.
Mesh disc_mesh(const std::array<double, 2>& centre, double radius) {
  Mesh mesh;
  constexpr int n = 240;
  const auto at = [&](int i, double z) {
    const double angle = 2.0 * std::numbers::pi * i / n;
    return Place{centre[0] + radius * std::cos(angle), centre[1] + radius * std::sin(angle), z};
  };
  for (int i = 0; i < n; ++i) {
    add_triangle(mesh, {at(i, 0), at(i + 1, 0), at(i + 1, 1)}, "wall");
    add_triangle(mesh, {at(i, 0), at(i + 1, 1), at(i, 1)}, "wall");
    for (const double z : {0.0, 1.0})
      add_triangle(mesh, {Place{centre[0], centre[1], z}, at(i, z), at(i + 1, z)}, "wall");
  }
  merge_vertices(mesh);
  return mesh;
}

// `shape(mode, place from the centre)`; decay_fraction(mode) of Y over radius: the exact decay.
ModeErrors compare(const GridStencil& stencil, MeshVoxels made, const MeshGrid& grid,
                   const std::array<double, 3>& centre, double radius, std::vector<Mode> modes, bool time_error,
                   bool single, const auto& shape, const auto& decay_fraction) {
  std::vector<MovedWall> moved;
  NearWall walls = make_near_wall(stencil, made.voxels, &moved);
  move_walls(made.voxels.faces, moved);
  if (single) walls = rounded_to_float(walls);
  const SparseOperator op = sparse_operator(stencil, made.voxels.air, walls);
  modes.insert(modes.begin(), Mode{});  // the constant
  Eigen::MatrixXd shapes(op.mass.size(), static_cast<Eigen::Index>(modes.size()));
  for (Eigen::Index i = 0; i < shapes.rows(); ++i) {
    std::array<double, 3> at = op.places[static_cast<std::size_t>(i)];
    for (std::size_t d = 0; d < 3; ++d) at[d] += grid.corner[d] - centre[d];
    for (Eigen::Index j = 0; j < shapes.cols(); ++j)
      shapes(i, j) = shape(modes[static_cast<std::size_t>(j)], at, radius);
  }
  const Found found = modes_of(op, shapes, stencil.courant[0], time_error);
  // Half the integral of u^2 over the wall.
  Eigen::VectorXd wall = Eigen::VectorXd::Zero(op.mass.size());
  for (const BoundaryFace& face : made.voxels.faces) wall[op.index[face.node]] += static_cast<double>(face.area);
  ModeErrors errors;
  errors.volume = op.mass.sum();
  errors.area = wall.sum();
  for (std::size_t j = 1; j < modes.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    errors.modes.push_back(modes[j]);
    errors.cents.push_back(cents(found.k[column] * radius, modes[j].z));
    errors.decay.push_back(0.5 * radius * found.shapes.col(column).cwiseAbs2().dot(wall) / decay_fraction(modes[j]));
  }
  return errors;
}

}  // namespace

std::vector<Mode> sphere_modes(double highest) {
  std::vector<Mode> modes;
  for (int l = 0; l < 12; ++l) {
    const auto slope = [l](double x) {
      return static_cast<double>(l) / x * std::sph_bessel(static_cast<unsigned>(l), x) -
             std::sph_bessel(static_cast<unsigned>(l + 1), x);
    };
    for_each_zero(slope, highest, [&](double z) {
      for (int m = -l; m <= l; ++m) modes.push_back({z, l, m});
    });
  }
  std::stable_sort(modes.begin(), modes.end());
  return modes;
}

std::vector<Mode> disc_modes(double highest) {
  std::vector<Mode> modes;
  for (int m = 0; m < 12; ++m) {
    const auto slope = [m](double x) { return m / x * std::cyl_bessel_j(m, x) - std::cyl_bessel_j(m + 1, x); };
    for_each_zero(slope, highest, [&](double z) {
      modes.push_back({z, m, m});
      if (m > 0) modes.push_back({z, m, -m});
    });
  }
  std::stable_sort(modes.begin(), modes.end());
  return modes;
}

Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  for (const double value : values) {
    spread.mean += value / static_cast<double>(values.size());
    spread.rms += value * value / static_cast<double>(values.size());
    spread.most = std::max(spread.most, std::abs(value));
  }
  spread.rms = std::sqrt(spread.rms);
  spread.count = static_cast<int>(values.size());
  return spread;
}

MeshGrid grid_around(const Mesh& mesh) {
  MeshGrid grid{{}, {1.0, 1.0, 1.0}, {}, true};
  for (std::size_t d = 0; d < 3; ++d) {
    grid.corner[d] = std::floor(mesh.low[d]);
    grid.size[d] = static_cast<int>(std::ceil(mesh.high[d] - grid.corner[d]));
  }
  return grid;
}

ModeErrors sphere_errors(const GridStencil& stencil, const std::array<double, 3>& centre, double radius, double highest,
                         bool time_error, bool single) {
  const Mesh mesh = sphere_mesh(centre, radius, 96);
  const MeshGrid grid = grid_around(mesh);
  const MeshVoxels made = voxelise_mesh(mesh, mesh.materials, grid, {centre}, {});
  ModeErrors errors =
      compare(stencil, made, grid, centre, radius, sphere_modes(highest), time_error, single, sphere_mode,
              [](const Mode& mode) { return 1.0 / (1.0 - mode.order * (mode.order + 1.0) / (mode.z * mode.z)); });
  errors.volume /= 4.0 / 3.0 * std::numbers::pi * std::pow(radius, 3);
  errors.area /= 4.0 * std::numbers::pi * radius * radius;
  return errors;
}

ModeErrors disc_errors(const GridStencil& stencil, const std::array<double, 2>& centre, double radius, double highest) {
  const Mesh mesh = disc_mesh(centre, radius);
  MeshGrid grid = grid_around(mesh);
  grid.size[2] = 1;
  const MeshVoxels made = voxelise_mesh(mesh, mesh.materials, grid, {{centre[0], centre[1], 0.5}}, {});
  ModeErrors errors =
      compare(stencil, made, grid, {centre[0], centre[1], 0.0}, radius, disc_modes(highest), false, false, disc_mode,
              [](const Mode& mode) { return 1.0 / (1.0 - mode.order * mode.order / (mode.z * mode.z)); });
  errors.volume /= std::numbers::pi * radius * radius;
  errors.area /= 2.0 * std::numbers::pi * radius;
  return errors;
}

}  // namespace fdtd::test

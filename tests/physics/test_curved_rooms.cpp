// Eigenfrequencies of rooms that no grid fits, against exact ones: the space error alone, in cents, from the operator
// that the program runs.
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <cmath>
#include <numbers>
#include <random>

#include "engine/walls/near_wall_operator.hpp"
#include "scenes/voxelise_mesh.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace fdtd;

namespace {

struct Operator {
  Eigen::SparseMatrix<double> K;  // M (2 - S), symmetric
  Eigen::VectorXd mass;
  std::vector<std::array<double, 3>> places;  // of nodes, in voxels from the grid's corner
  std::vector<int> index;                     // of each node of the grid, or -1
};

Operator operator_of(const GridStencil& stencil, const AirMask& air, const NearWall& walls) {
  const auto [nx, ny, nz] = air.size();
  Operator op;
  std::vector<int>& index = op.index;
  index.assign(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz), -1);
  std::vector<std::uint64_t> nodes;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        if (!air(x, y, z)) continue;
        const auto node = static_cast<std::size_t>(x + nx * (y + ny * z));
        index[node] = static_cast<int>(nodes.size());
        nodes.push_back(node);
        op.places.push_back({x + 0.5, y + 0.5, z + 0.5});
      }
  const auto n = static_cast<Eigen::Index>(nodes.size());
  op.mass = Eigen::VectorXd::Ones(n);
  for (const NodeMass& one : walls.masses) op.mass[index[one.node]] = one.mass;
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](int row, int to, double weight) { entries.emplace_back(row, to, op.mass[row] * weight); };
  for (int row = 0; row < n; ++row) {
    add(row, row, 2.0 - stencil.centre);
    const auto& at = op.places[static_cast<std::size_t>(row)];
    for (const Term& term : stencil.terms) {
      for (int sign = 0; sign < 8; ++sign) {
        std::array<int, 3> v{};
        bool distinct = true;
        for (std::size_t d = 0; d < 3; ++d) {
          const bool minus = (sign >> d & 1) != 0;
          distinct = distinct && !(minus && term.offset[d] == 0);
          v[d] = static_cast<int>(at[d]) + (minus ? -term.offset[d] : term.offset[d]);
        }
        if (distinct && air(v[0], v[1], v[2]))
          add(row, index[static_cast<std::size_t>(v[0] + nx * (v[1] + ny * v[2]))], -term.weight);
      }
    }
  }
  for (const WallSegment& segment : walls.segments) {
    for (std::uint32_t i = 0; i < segment.length; ++i) {
      const std::uint64_t node = segment.node + i;
      for (std::uint64_t e = walls.pattern_begin[segment.pattern]; e < walls.pattern_begin[segment.pattern + 1]; ++e) {
        const RowEntry& entry = walls.entries[e];
        const std::int64_t to = static_cast<std::int64_t>(node) + entry.offset[0] +
                                std::int64_t{nx} * (entry.offset[1] + std::int64_t{ny} * entry.offset[2]);
        add(index[node], index[static_cast<std::size_t>(to)], -entry.weight);
      }
    }
  }
  op.K.resize(n, n);
  op.K.setFromTriplets(entries.begin(), entries.end());
  return op;
}

struct Found {
  Eigen::VectorXd k;       // wave numbers, ascending
  Eigen::MatrixXd shapes;  // sum of m u^2 = 1
};

// The operator's lowest modes, by inverse iteration on the space of `start`. Stencils whose weights leave the error of
// the time step alone (`map`) are rendered without it.
Found modes_of(const Operator& op, Eigen::MatrixXd start, double courant, bool time_error) {
  const Eigen::SparseMatrix<double> shifted = op.K + 1e-3 * Eigen::SparseMatrix<double>(op.mass.asDiagonal());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(shifted);
  REQUIRE(solver.info() == Eigen::Success);
  Eigen::VectorXd values;
  for (int round = 0; round < 3; ++round) {
    const Eigen::MatrixXd next = solver.solve(op.mass.asDiagonal() * start);
    const Eigen::MatrixXd mass = next.transpose() * op.mass.asDiagonal() * next,
                          form = next.transpose() * (op.K * next);
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

struct Mode {
  double z = 0.0;  // wave number times radius
  int order = 0, turn = 0;
  bool operator<(const Mode& other) const { return z < other.z; }
};

// Zeros of the derivative of spherical Bessel functions, 2 l + 1 modes each; the constant is left out.
std::vector<Mode> sphere_modes(double highest) {
  std::vector<Mode> modes;
  for (int l = 0; l < 12; ++l) {
    const auto slope = [l](double x) {
      return static_cast<double>(l) / x * std::sph_bessel(static_cast<unsigned>(l), x) -
             std::sph_bessel(static_cast<unsigned>(l + 1), x);
    };
    for (double a = 0.5; a < highest; a += 0.05) {
      const double b = std::min(a + 0.05, highest);
      if ((slope(a) > 0.0) == (slope(b) > 0.0)) continue;
      for (int m = -l; m <= l; ++m) modes.push_back({root_between(slope, a, b), l, m});
    }
  }
  std::stable_sort(modes.begin(), modes.end());
  return modes;
}

double sphere_mode(const Mode& mode, const std::array<double, 3>& from_centre, double radius) {
  const double r = std::hypot(from_centre[0], from_centre[1], from_centre[2]);
  const double theta = r > 0.0 ? std::acos(from_centre[2] / r) : 0.0, phi = std::atan2(from_centre[1], from_centre[0]);
  const auto l = static_cast<unsigned>(mode.order), m = static_cast<unsigned>(std::abs(mode.turn));
  return std::sph_bessel(l, mode.z * r / radius) * std::sph_legendre(l, m, theta) *
         (mode.turn < 0 ? std::sin(m * phi) : std::cos(m * phi));
}

double cents(double found, double exact) { return 1200.0 * std::log2(found / exact); }

MeshGrid grid_around(const Mesh& mesh, double margin) {
  MeshGrid grid{{}, {1.0, 1.0, 1.0}, {}, true};
  for (std::size_t d = 0; d < 3; ++d) {
    grid.corner[d] = std::floor(mesh.low[d] - margin);
    grid.size[d] = static_cast<int>(std::ceil(mesh.high[d] + margin - grid.corner[d]));
  }
  return grid;
}

struct Spread {
  double mean = 0.0, rms = 0.0, most = 0.0;
  int count = 0;
  void add(double value) {
    mean += value;
    rms += value * value;
    most = std::max(most, std::abs(value));
    ++count;
  }
  double finish() {
    mean /= count;
    rms = std::sqrt(rms / count);
    return rms;
  }
};

struct SphereErrors {
  Spread all;  // at 8 points a wavelength or more
  double dipole = 0.0;
  std::vector<double> radial, decay;  // decay: over the exact one
};

SphereErrors sphere_errors(const GridStencil& stencil, const std::array<double, 3>& centre, double radius,
                           bool single) {
  const Mesh mesh = test::sphere_mesh(centre, radius, 96);
  const MeshVoxels made = voxelise_mesh(mesh, mesh.materials, grid_around(mesh, 0.0), {centre}, {});
  const MeshGrid grid = grid_around(mesh, 0.0);
  NearWall walls = make_near_wall(stencil, made.voxels);
  if (single) walls = rounded_to_float(walls);
  const Operator op = operator_of(stencil, made.voxels.air, walls);
  const double highest = 2.0 * std::numbers::pi * radius / 8.0;
  std::vector<Mode> modes = sphere_modes(highest);
  modes.insert(modes.begin(), Mode{});  // the constant
  Eigen::MatrixXd shapes(op.mass.size(), static_cast<Eigen::Index>(modes.size()));
  for (Eigen::Index i = 0; i < shapes.rows(); ++i) {
    std::array<double, 3> at = op.places[static_cast<std::size_t>(i)];
    for (std::size_t d = 0; d < 3; ++d) at[d] += grid.corner[d] - centre[d];
    for (Eigen::Index j = 0; j < shapes.cols(); ++j)
      shapes(i, j) = sphere_mode(modes[static_cast<std::size_t>(j)], at, radius);
  }
  const Found found = modes_of(op, shapes, stencil.courant[0], stencil.family != Family::leggy);
  // Decay of the modes beside a resistive wall, to first order in its admittance Y: Y/2 times the integral of u^2 over
  // the wall; of the sphere, Y / (R (1 - l (l + 1)/z^2)).
  Eigen::VectorXd wall = Eigen::VectorXd::Zero(op.mass.size());
  for (const BoundaryFace& face : made.voxels.faces) wall[op.index[face.node]] += static_cast<double>(face.area);
  SphereErrors errors;
  for (std::size_t j = 1; j < modes.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    const double off = cents(found.k[column] * radius, modes[j].z);
    errors.all.add(off);
    if (j <= 3) errors.dipole += off / 3.0;
    if (modes[j].order != 0) continue;
    errors.radial.push_back(off);
    errors.decay.push_back(0.5 * radius * found.shapes.col(column).cwiseAbs2().dot(wall));
  }
  errors.all.finish();
  return errors;
}

GridStencil at_own_courant(const char* name) {
  const Stencil& stencil = *find_stencil(name);
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

// Zeros of the derivative of Bessel functions, two modes each but for order 0.
std::vector<Mode> disc_modes(double highest) {
  std::vector<Mode> modes;
  for (int m = 0; m < 12; ++m) {
    const auto slope = [m](double x) { return m / x * std::cyl_bessel_j(m, x) - std::cyl_bessel_j(m + 1, x); };
    for (double a = 0.5; a < highest; a += 0.05) {
      const double b = std::min(a + 0.05, highest);
      if ((slope(a) > 0.0) == (slope(b) > 0.0)) continue;
      modes.push_back({root_between(slope, a, b), m, m});
      if (m > 0) modes.push_back({root_between(slope, a, b), m, -m});
    }
  }
  std::stable_sort(modes.begin(), modes.end());
  return modes;
}

// A cylinder one cell high: a room in two dimensions.
Mesh disc_mesh(const std::array<double, 2>& centre, double radius) {
  Mesh mesh;
  constexpr int n = 240;
  const auto at = [&](int i, double z) {
    const double angle = 2.0 * std::numbers::pi * i / n;
    return test::Place{centre[0] + radius * std::cos(angle), centre[1] + radius * std::sin(angle), z};
  };
  for (int i = 0; i < n; ++i) {
    test::add_triangle(mesh, {at(i, 0), at(i + 1, 0), at(i + 1, 1)}, "wall");
    test::add_triangle(mesh, {at(i, 0), at(i + 1, 1), at(i, 1)}, "wall");
    for (const double z : {0.0, 1.0})
      test::add_triangle(mesh, {test::Place{centre[0], centre[1], z}, at(i, z), at(i + 1, z)}, "wall");
  }
  merge_vertices(mesh);
  return mesh;
}

GridStencil flat(const char* name) {
  const Stencil& stencil = *find_stencil(name);
  return on_grid(stencil, {stencil.courant, stencil.courant, 0.0});
}

double disc_error(const std::array<double, 2>& centre, double radius) {
  const GridStencil stencil = flat("leggy-4");
  const Mesh mesh = disc_mesh(centre, radius);
  MeshGrid grid = grid_around(mesh, 0.0);
  grid.size[2] = 1, grid.corner[2] = 0.0;
  const MeshVoxels made = voxelise_mesh(mesh, mesh.materials, grid, {{centre[0], centre[1], 0.5}}, {});
  const Operator op = operator_of(stencil, made.voxels.air, make_near_wall(stencil, made.voxels));
  std::vector<Mode> modes = disc_modes(5.4);
  modes.insert(modes.begin(), Mode{});
  Eigen::MatrixXd shapes(op.mass.size(), static_cast<Eigen::Index>(modes.size()));
  for (Eigen::Index i = 0; i < shapes.rows(); ++i) {
    const auto& at = op.places[static_cast<std::size_t>(i)];
    const double x = at[0] + grid.corner[0] - centre[0], y = at[1] + grid.corner[1] - centre[1];
    for (Eigen::Index j = 0; j < shapes.cols(); ++j) {
      const Mode& mode = modes[static_cast<std::size_t>(j)];
      const double angle = std::abs(mode.turn) * std::atan2(y, x);
      shapes(i, j) = std::cyl_bessel_j(mode.order, mode.z * std::hypot(x, y) / radius) *
                     (mode.turn < 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  const Found found = modes_of(op, shapes, stencil.courant[0], false);
  Spread errors;
  for (std::size_t j = 1; j < modes.size(); ++j)
    errors.add(cents(found.k[static_cast<Eigen::Index>(j)] * radius, modes[j].z));
  return errors.finish();
}

}  // namespace

// Heights seen along the axes with areas clipped made the radial modes 23 to 30 cents sharp, the dipole 16.
TEST_CASE("modes of a rigid sphere of radius 10 cells, 8 points a wavelength and more, are right to 12 cents",
          "[physics]") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> offset(-0.5, 0.5);
  const std::array<double, 3> centre = {offset(random), offset(random), offset(random)};
  for (const bool single : {false, true}) {
    GridStencil stencil = at_own_courant("leggy-4");
    if (single) stencil = rounded_to_float(stencil);
    const SphereErrors sphere = sphere_errors(stencil, centre, 10.0, single);
    INFO("leggy-4: mean " << sphere.all.mean << " rms " << sphere.all.rms << " most " << sphere.all.most << " dipole "
                          << sphere.dipole);
    CHECK(sphere.all.count > 50);
    CHECK(sphere.all.most < 12.0);
    CHECK(sphere.all.rms < 7.0);
    CHECK(std::abs(sphere.dipole) < 2.5);
    REQUIRE(sphere.radial.size() == 2);
    for (const double off : sphere.radial) CHECK(std::abs(off) < 6.0);
    CHECK(sphere.decay[0] == Approx(1.0).epsilon(0.03));  // 14 points a wavelength
    CHECK(sphere.decay[1] == Approx(1.0).epsilon(0.08));  // 8
  }
}

TEST_CASE("compact-3 has the modes of a rigid sphere of radius 10 cells to 12 cents in the mean square", "[physics]") {
  const SphereErrors sphere = sphere_errors(at_own_courant("compact-3"), {0.31, -0.17, 0.42}, 10.0, false);
  INFO("mean " << sphere.all.mean << " rms " << sphere.all.rms << " most " << sphere.all.most << " dipole "
               << sphere.dipole);
  CHECK(sphere.all.rms < 12.0);
}

TEST_CASE("modes of a disc converge with order 2 or more", "[physics]") {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> offset(-0.5, 0.5);
  std::vector<double> errors;
  const std::vector<double> radii = {6.0, 9.0, 13.5, 20.25};
  for (const double radius : radii) {
    double square = 0.0;
    for (int trial = 0; trial < 3; ++trial) {
      const double error = disc_error({offset(random), offset(random)}, radius);
      square += error * error / 3.0;
    }
    errors.push_back(std::sqrt(square));
  }
  INFO(errors[0] << " " << errors[1] << " " << errors[2] << " " << errors[3]);
  CHECK(errors[2] < 2.0);
  CHECK(std::log(errors.front() / errors.back()) / std::log(radii.back() / radii.front()) > 2.0);
}

#include "tests/support/solutions/oblique_slab.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <stdexcept>

#include "engine/voxels/voxelise_mesh.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/rooms/curved_rooms.hpp"
#include "tests/support/solutions/sparse_operator.hpp"

namespace fdtd::test {
namespace {

// Two vectors of length 1 along planes of that normal, at right angles; the first has a component 0.
std::array<Place, 2> axes_of(const std::array<int, 3>& n) {
  const double a = n[0], b = n[1], c = n[2], length = std::hypot(a, b, c), flat = std::hypot(a, b);
  if (flat == 0.0) return {Place{1.0, 0.0, 0.0}, Place{0.0, 1.0, 0.0}};
  const Place u = {-b / flat, a / flat, 0.0};
  return {u, Place{-u[1] * c / length, u[0] * c / length, (u[1] * a - u[0] * b) / length}};
}

Mesh slab_mesh(const std::array<int, 3>& n, double thickness, double offset, double across) {
  const double length = std::hypot(n[0], n[1], n[2]);
  const std::array<Place, 2> axes = axes_of(n);
  const Turn turn = [&](const Place& p) {
    Place at{};
    for (std::size_t d = 0; d < 3; ++d)
      at[d] = p[0] * axes[0][d] + p[1] * axes[1][d] + (p[2] + offset / length) * n[d] / length;
    return at;
  };
  Mesh mesh = box_mesh({-across, -across, 0.0}, {across, across, thickness}, turn);
  return mesh;
}

// A node of one n . p.
struct SlabNode {
  std::array<int, 3> at{};
  Eigen::Index row = 0;
  double distance = std::numeric_limits<double>::infinity();  // from the middle, along the planes, squared
};

int number_of(const std::array<int, 3>& normal, const std::array<int, 3>& cell) {
  return normal[0] * cell[0] + normal[1] * cell[1] + normal[2] * cell[2];
}

// The node of each n . p that is nearest to the middle. Slivers at the slab's sides have heights of their own: nodes
// further than half of `across` are left out.
std::map<int, SlabNode> nearest_nodes(const std::vector<std::array<int, 3>>& cells, const std::array<int, 3>& normal,
                                      const Place& middle, double across) {
  const double length = std::hypot(normal[0], normal[1], normal[2]);
  std::map<int, SlabNode> nodes;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Place from{};
    double height = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      from[d] = cells[i][d] + 0.5 - middle[d];
      height += from[d] * normal[d] / length;
    }
    const double square = from[0] * from[0] + from[1] * from[1] + from[2] * from[2] - height * height;
    SlabNode& known = nodes[number_of(normal, cells[i])];
    if (square < known.distance) known = {cells[i], static_cast<Eigen::Index>(i), square};
  }
  std::erase_if(nodes, [&](const auto& one) { return one.second.distance > 0.25 * across * across; });
  return nodes;
}

struct SlabMode {
  double value = 0.0;
  Eigen::VectorXcd vector;
};

// The mode of a Hermitian matrix that is most like `exact`, of length 1. Rayleigh's quotient iteration finds it mostly;
// a mode that has more than half of the square is the one, else all are looked at.
SlabMode most_alike(const Eigen::MatrixXcd& form, const Eigen::VectorXcd& exact) {
  constexpr int max_solves = 8;
  constexpr double settled = 1e-12, surely = 0.6;
  SlabMode mode{exact.dot(form * exact).real(), exact};
  const double size = form.norm();
  for (int i = 0; i < max_solves; ++i) {
    Eigen::MatrixXcd shifted = form;
    shifted.diagonal().array() -= mode.value;
    const Eigen::VectorXcd next = shifted.partialPivLu().solve(mode.vector);
    if (!next.allFinite()) break;  // the value is exact
    mode.vector = next.normalized();
    const Eigen::VectorXcd product = form * mode.vector;
    mode.value = mode.vector.dot(product).real();
    if ((product - mode.value * mode.vector).norm() > settled * size) continue;
    if (std::norm(mode.vector.dot(exact)) > surely) return mode;
    break;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> found(form);
  Eigen::Index best = 0;
  (found.eigenvectors().adjoint() * exact).cwiseAbs().maxCoeff(&best);
  return {found.eigenvalues()[best], found.eigenvectors().col(best)};
}

}  // namespace

ObliqueSlab::ObliqueSlab(const GridStencil& stencil, const std::array<int, 3>& normal, double thickness, double offset,
                         double across)
    : normal_(normal),
      length_(std::hypot(normal[0], normal[1], normal[2])),
      thickness_(thickness),
      offset_(offset),
      courant_(stencil.courant[0]) {
  const Mesh mesh = slab_mesh(normal, thickness, offset, across);
  const MeshGrid grid = grid_around(mesh);
  Place middle{};
  for (std::size_t d = 0; d < 3; ++d) middle[d] = (offset / length_ + 0.5 * thickness) * normal[d] / length_;
  MeshVoxels made = voxelise_mesh(mesh, mesh.materials, grid, {{middle[0] + 1e-3, middle[1], middle[2]}}, {});
  std::vector<MovedWall> moved;
  const NearWall near_wall = make_near_wall(stencil, made.voxels, &moved);
  move_walls(made.voxels.faces, moved);
  const SparseOperator op = sparse_operator(stencil, made.voxels.air, near_wall);
  std::vector<double> wall(static_cast<std::size_t>(op.mass.size()), 0.0);
  for (const BoundaryFace& face : made.voxels.faces)
    wall[static_cast<std::size_t>(op.index[face.node])] += static_cast<double>(face.area);
  std::vector<std::array<int, 3>> cells(op.places.size());
  for (std::size_t i = 0; i < op.places.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d)
      cells[i][d] = static_cast<int>(std::floor(op.places[i][d])) + static_cast<int>(grid.corner[d]);

  const std::map<int, SlabNode> nodes = nearest_nodes(cells, normal, middle, across);
  std::map<int, int> place_of;
  for (const auto& [number, node] : nodes) place_of.emplace(number, static_cast<int>(place_of.size()));
  const Eigen::SparseMatrix<double, Eigen::RowMajor> stiffness = op.stiffness;
  for (const auto& [number, node] : nodes) {
    masses_.push_back(op.mass[node.row]);
    walls_.push_back(wall[static_cast<std::size_t>(node.row)]);
    depths_.push_back((number + 0.5 * (normal[0] + normal[1] + normal[2]) - offset) / length_);
    rows_.emplace_back();
    for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator entry(stiffness, node.row); entry; ++entry) {
      if (entry.value() == 0.0) continue;
      const std::array<int, 3>& cell = cells[static_cast<std::size_t>(entry.col())];
      Entry one;
      one.weight = entry.value();
      for (std::size_t d = 0; d < 3; ++d) one.offset[d] = cell[d] - node.at[d];
      one.to = place_of.at(number_of(normal, cell));
      rows_.back().push_back(one);
    }
  }
}

double ObliqueSlab::volume() const {
  double sum = 0.0;
  for (const double one : masses_) sum += one;
  return sum / (thickness_ * length_);
}

double ObliqueSlab::area() const {
  double sum = 0.0;
  for (const double one : walls_) sum += one;
  return sum / (2.0 * length_);
}

std::array<double, 3> ObliqueSlab::normal() const {
  return {normal_[0] / length_, normal_[1] / length_, normal_[2] / length_};
}

std::array<double, 3> ObliqueSlab::along_planes(double angle) const {
  const std::array<Place, 2> axes = axes_of(normal_);
  Place along{};
  for (std::size_t d = 0; d < 3; ++d) along[d] = std::cos(angle) * axes[0][d] + std::sin(angle) * axes[1][d];
  return along;
}

ObliqueSlab::Wave ObliqueSlab::wave(int half_waves, double k_t, const std::array<double, 3>& along) const {
  using Complex = std::complex<double>;
  const auto count = static_cast<Eigen::Index>(masses_.size());
  const Eigen::VectorXd mass = Eigen::Map<const Eigen::VectorXd>(masses_.data(), count);
  const double k_n = std::numbers::pi * half_waves / thickness_;
  // u_p = exp(i k_t . p) v(n . p), with p taken along the planes alone.
  Eigen::MatrixXcd form = Eigen::MatrixXcd::Zero(count, count);
  for (Eigen::Index row = 0; row < count; ++row) {
    for (const Entry& entry : rows_[static_cast<std::size_t>(row)]) {
      double phase = 0.0;
      for (std::size_t d = 0; d < 3; ++d) phase += k_t * along[d] * entry.offset[d];
      form(row, entry.to) += entry.weight * std::polar(1.0, phase);
    }
  }
  const Eigen::VectorXd root = mass.cwiseSqrt();
  form = (root.cwiseInverse().asDiagonal() * (0.5 * (form + form.adjoint())) * root.cwiseInverse().asDiagonal()).eval();
  Eigen::VectorXcd exact(count);
  for (Eigen::Index i = 0; i < count; ++i)
    exact[i] = Complex(root[i] * std::cos(k_n * depths_[static_cast<std::size_t>(i)]), 0.0);
  const SlabMode mode = most_alike(form, exact.normalized());
  double loss = 0.0;
  for (Eigen::Index i = 0; i < count; ++i)
    loss += walls_[static_cast<std::size_t>(i)] * std::norm(mode.vector[i]) / mass[i];
  const double k = std::sqrt(std::max(0.0, mode.value)) / courant_;
  Wave wave;
  wave.k_n = k_n;
  wave.k_t = k_t;
  wave.cents = k_n + k_t > 0.0 ? cents(k, std::hypot(k_n, k_t)) : 0.0;
  wave.decay = 0.5 * loss * thickness_ / (half_waves == 0 ? 1.0 : 2.0);
  return wave;
}

}  // namespace fdtd::test

#include "engine/estimate/model.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace fdtd {
namespace {

// Through an opening smaller than the mean free path the diffusion equation alone conducts too well: not more than
// c w / 4 a square metre can pass. The resistance 4/c of that flux is added in series, as in small contacts (A. Wexler,
// The size effect and the non-local Boltzmann transport equation in orifice and disk geometry, Proc. Phys. Soc. 89,
// 1966), in the cells of one part that border on the other.
// `straight`: by cell, what the distance from a source adds to a third of the mean free path, m; empty for nothing.
multigrid::Elements elements_of(const DiffusionRoom& room, double speed, std::span<const float> straight) {
  multigrid::Elements elements{room.cells, room.spacing, room.air};
  const auto nx = static_cast<std::size_t>(room.cells[0]), ny = static_cast<std::size_t>(room.cells[1]);
  const std::array<std::size_t, 3> stride = {1, nx, nx * ny};
  for (std::size_t i = 0; i < room.air.size(); ++i) {
    if (room.part[i] < 0) continue;
    double D = speed * room.parts[static_cast<std::size_t>(room.part[i])].mean_free_path / 3.0;
    if (!straight.empty()) D += speed * static_cast<double>(straight[i]);
    const std::array<std::size_t, 3> at = {i % nx, i / nx % ny, i / nx / ny};
    double resistance = 0.0;  // s/m
    for (std::size_t d = 0; d < 3; ++d) {
      const bool below = at[d] > 0 && room.part[i - stride[d]] > room.part[i];
      const bool above = at[d] + 1 < static_cast<std::size_t>(room.cells[d]) && room.part[i + stride[d]] > room.part[i];
      if (below || above) resistance = std::max(resistance, 4.0 / speed / room.spacing[d]);
    }
    elements.coefficient[i] = static_cast<float>(static_cast<double>(room.air[i]) / (1.0 / D + resistance));
  }
  return elements;
}

// The corners of the face of a cell, as offsets (bits x, y, z).
std::array<unsigned, 4> face_corners(std::uint8_t side) {
  const unsigned axis = side / 2U, high = side % 2U;
  std::array<unsigned, 4> corners{};
  std::size_t n = 0;
  for (unsigned c = 0; c < 8; ++c)
    if ((c >> axis & 1U) == high) corners[n++] = c;
  return corners;
}

std::size_t corner_node(const multigrid::NodeGrid& grid, const std::array<int, 3>& cell, unsigned corner) {
  return grid.index(cell[0] + static_cast<int>(corner & 1U), cell[1] + static_cast<int>(corner >> 1 & 1U),
                    cell[2] + static_cast<int>(corner >> 2));
}

double wall_factor(double alpha) { return alpha / (2.0 * (2.0 - alpha)); }

std::array<double, 3> face_centre(const DiffusionRoom& room, const DiffusionRoom::Wall& wall) {
  const auto cell = room.place_of(static_cast<std::size_t>(wall.cell));
  std::array<double, 3> centre{};
  for (std::size_t d = 0; d < 3; ++d) centre[d] = (cell[d] + 0.5) * room.spacing[d];
  // A little inside: the line of sight ends in the wall's own cell.
  centre[wall.side / 2] += (wall.side % 2 == 0 ? -0.499 : 0.499) * room.spacing[wall.side / 2];
  return centre;
}

// The power that each wall receives from a source of 1 W: faces of the cells in sight, by their solid angles, which
// together fill the sphere.
std::vector<double> received(const DiffusionRoom& room, const std::array<double, 3>& source) {
  const auto& h = room.spacing;
  const std::array<double, 3> face = {h[1] * h[2], h[0] * h[2], h[0] * h[1]};
  std::vector<double> power(room.walls.size(), 0.0);
  double sum = 0.0;
  for (std::size_t i = 0; i < power.size(); ++i) {
    const DiffusionRoom::Wall& wall = room.walls[i];
    const auto centre = face_centre(room, wall);
    const std::size_t d = wall.side / 2;
    const double out = wall.side % 2 == 0 ? source[d] - centre[d] : centre[d] - source[d];
    if (!(out > 0.0) || !in_sight(room, source, centre)) continue;
    const double r = std::max(distance_between(centre, source), 0.5 * std::cbrt(h[0] * h[1] * h[2]));
    power[i] = face[d] * out / (4.0 * std::numbers::pi * r * r * r);
    sum += power[i];
  }
  for (double& one : power) one /= sum > 0.0 ? sum : 1.0;
  return power;
}

std::vector<bool> reached_from(const DiffusionRoom& room, const std::array<double, 3>& source) {
  std::vector<bool> reached(room.air.size(), false);
  const auto start = room.cell_at(source);
  std::vector<std::array<int, 3>> next;
  const auto visit = [&](int x, int y, int z) {
    if (!room.is_air(x, y, z) || reached[room.cell_of(x, y, z)]) return;
    reached[room.cell_of(x, y, z)] = true;
    next.push_back({x, y, z});
  };
  visit(start[0], start[1], start[2]);
  while (!next.empty()) {
    const auto [x, y, z] = next.back();
    next.pop_back();
    visit(x - 1, y, z), visit(x + 1, y, z), visit(x, y - 1, z), visit(x, y + 1, z), visit(x, y, z - 1),
        visit(x, y, z + 1);
  }
  return reached;
}

// exchange_factor of every part's mean absorption.
std::vector<double> exchange_of(const DiffusionRoom& room, std::span<const double> alpha) {
  std::vector<double> absorbing(room.parts.size(), 0.0), area(room.parts.size(), 0.0);
  for (const DiffusionRoom::Wall& wall : room.walls) {
    const auto part = static_cast<std::size_t>(room.part[static_cast<std::size_t>(wall.cell)]);
    absorbing[part] += alpha[wall.material] * wall.area;
    area[part] += wall.area;
  }
  for (std::size_t p = 0; p < area.size(); ++p)
    absorbing[p] = exchange_factor(area[p] > 0.0 ? absorbing[p] / area[p] : 0.0);
  return absorbing;
}

}  // namespace

double exchange_factor(double alpha) {
  constexpr double most = 0.7, least = 1e-6;
  alpha = std::min(alpha, most);
  if (alpha < least) return 1.0;
  const double x = 0.75 * std::sqrt(-std::log1p(-alpha));
  return 4.0 / 9.0 * x * std::tan(x) / wall_factor(alpha);
}

std::shared_ptr<multigrid::MaskedSolver> make_cpu_solver(const multigrid::MaskLevels& levels) {
  return std::make_shared<multigrid::MaskedMultigrid>(levels);
}

DiffusionModel::DiffusionModel(const DiffusionRoom& room, double sound_speed, int modes,
                               multigrid::MakeSolver make_solver)
    : room_(&room),
      speed_(sound_speed),
      modes_(modes),
      make_solver_(std::move(make_solver)),
      levels_(std::make_shared<const std::vector<multigrid::MaskLevel>>(
          multigrid::mask_levels(elements_of(room, sound_speed, {})))) {
  mass_ = mass();
  for (const auto& source : room.sources) {
    power_.push_back(received(room, source));
    reached_.push_back(reached_from(room, source));
  }
}

std::vector<double> DiffusionModel::mass() const {
  const double cell = room_->spacing[0] * room_->spacing[1] * room_->spacing[2];
  std::vector<double> mass(grid().size, 0.0);
  for (std::size_t i = 0; i < room_->air.size(); ++i)
    if (room_->air[i] > 0.0F)
      for (unsigned c = 0; c < 8; ++c)
        mass[corner_node(grid(), room_->place_of(i), c)] += static_cast<double>(room_->air[i]) * cell / 8.0;
  return mass;
}

void DiffusionModel::set_band(std::span<const double> alpha, double attenuation) {
  alpha_.assign(alpha.begin(), alpha.end());
  exchange_ = exchange_of(*room_, alpha);
  attenuation_ = attenuation;
  diagonal_.assign(grid().size, 0.0);
  for (std::size_t i = 0; i < diagonal_.size(); ++i) diagonal_[i] = speed_ * attenuation * mass_[i];
  for (const DiffusionRoom::Wall& wall : room_->walls)
    for (const unsigned c : face_corners(wall.side))
      diagonal_[corner_node(grid(), room_->place_of(static_cast<std::size_t>(wall.cell)), c)] +=
          exchange(wall) * speed_ * wall_factor(alpha_[wall.material]) * wall.area / 4.0;
  // Air that no source reaches, or in which nothing absorbs, would make the matrix singular; its value is of no interest.
  std::vector<bool> any(room_->air.size(), false);
  for (std::size_t s = 0; s < reached_.size(); ++s)
    for (std::size_t i = 0; i < any.size() && absorbs(s); ++i)
      if (reached_[s][i]) any[i] = true;
  for (std::size_t i = 0; i < any.size(); ++i)
    if (!any[i] && room_->air[i] > 0.0F) {
      const std::size_t node = corner_node(grid(), room_->place_of(i), 0);
      diagonal_[node] += speed_ * mass_[node];
    }
}

// The steady state with D = c lambda/3, and its slow modes.
multigrid::KrylovSpace DiffusionModel::slow_modes(std::span<const double> emitted,
                                                  const multigrid::KrylovOptions& options,
                                                  std::span<const std::int64_t> nodes) {
  if (!solver_) solver_ = make_solver_(levels_);
  solver_->set_diagonal(diagonal_);
  return solver_->krylov(grid(), emitted, mass_, options, nodes);
}

void DiffusionModel::prepare_source(std::size_t source) {
  if (prepared_source_ && prepared_source_->source == source) return;
  PreparedSource made;
  made.source = source;
  const StraightPaths paths = straight_paths(*room_, room_->sources[source]);
  made.in_sight = paths.in_sight;
  made.farthest = paths.farthest;
  if (!paths.length.empty())
    made.levels = std::make_shared<const std::vector<multigrid::MaskLevel>>(
        multigrid::mask_levels(elements_of(*room_, speed_, paths.length)));
  prepared_source_ = std::move(made);
}

// Steady state of the source with D that grows with the distance from it.
int DiffusionModel::solve_straight(std::span<const double> load, std::span<double> steady,
                                   const multigrid::KrylovOptions& options) {
  if (!prepared_source_->solver) prepared_source_->solver = make_solver_(prepared_source_->levels);
  prepared_source_->solver->set_diagonal(diagonal_);
  return prepared_source_->solver->solve(load, steady, options.tolerance, options.most).iterations;
}

bool DiffusionModel::absorbs(std::size_t source) const {
  if (attenuation_ > 0.0) return true;
  return std::ranges::any_of(room_->walls, [&](const DiffusionRoom::Wall& wall) {
    return alpha_[wall.material] > 0.0 && reached_[source][static_cast<std::size_t>(wall.cell)];
  });
}

std::array<DiffusionModel::CornerWeight, 8> DiffusionModel::corner_weights(const std::array<double, 3>& place) const {
  const auto cell = room_->cell_at(place);
  std::array<CornerWeight, 8> weights{};
  for (unsigned c = 0; c < 8; ++c) {
    weights[c] = {static_cast<std::int64_t>(corner_node(grid(), cell, c)), 1.0};
    for (unsigned d = 0; d < 3; ++d) {
      const double t = std::clamp(place[d] / room_->spacing[d] - cell[d], 0.0, 1.0);
      weights[c].weight *= (c >> d & 1U) != 0 ? t : 1.0 - t;
    }
  }
  return weights;
}

double DiffusionModel::at(std::span<const double> field, const std::array<double, 3>& place) const {
  double value = 0.0;
  for (const CornerWeight& one : corner_weights(place)) value += one.weight * field[static_cast<std::size_t>(one.node)];
  return value;
}

double DiffusionModel::direct(std::size_t source, const std::array<double, 3>& place, double attenuation) const {
  const auto& from = room_->sources[source];
  if (!in_sight(*room_, from, place)) return 0.0;
  const double nearest = 0.5 * std::cbrt(room_->spacing[0] * room_->spacing[1] * room_->spacing[2]);
  const double r = std::max(distance_between(from, place), nearest);
  return std::exp(-attenuation * r) / (4.0 * std::numbers::pi * r * r * speed_);
}

std::vector<double> DiffusionModel::load(std::size_t source) const {
  std::vector<double> q(grid().size, 0.0);
  for (std::size_t i = 0; i < room_->walls.size(); ++i) {
    const double power = power_[source][i];
    if (!(power > 0.0)) continue;
    const DiffusionRoom::Wall& wall = room_->walls[i];
    const double alpha = alpha_[wall.material];
    const double r = distance_between(face_centre(*room_, wall), room_->sources[source]);
    const double emitted = (1.0 - alpha) * power * std::exp(-attenuation_ * r);
    for (const unsigned c : face_corners(wall.side))
      q[corner_node(grid(), room_->place_of(static_cast<std::size_t>(wall.cell)), c)] +=
          exchange(wall) * 0.25 * 2.0 * emitted / (2.0 - alpha);
  }
  return q;
}

// The decay is the exponential of the operator with D = c lambda/3 applied to its steady state. Lanczos on its inverse
// from that state, in the inner product of the mass, finds the slow modes first, and keeps w(0) and its first moments
// exact.
DiffusionField DiffusionModel::solve(std::size_t source) {
  std::vector<std::array<CornerWeight, 8>> places;
  std::vector<std::int64_t> nodes;
  for (const auto& place : room_->receivers) {
    places.push_back(corner_weights(place));
    for (const CornerWeight& one : places.back()) nodes.push_back(one.node);
  }
  multigrid::KrylovOptions options;
  options.vectors = modes_;
  const std::vector<double> emitted = load(source);
  prepare_source(source);
  multigrid::KrylovSpace space;
  if (modes_ == 0 && straight())  // nothing of it is needed
    space.start.assign(grid().size, 0.0);
  else
    space = slow_modes(emitted, options, nodes);
  const int size = space.size;
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(size, size);
  for (int j = 0; j < size; ++j)
    for (int i = 0; i <= j; ++i) T(i, j) = space.projected[static_cast<std::size_t>(i + modes_ * j)];
  // Where all walls absorb all sound, nothing is diffuse, and the space is empty.
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;
  if (size > 0) eigen.compute(Eigen::MatrixXd(T.selfadjointView<Eigen::Upper>()));
  DiffusionField field;
  field.iterations = space.iterations;
  field.steady = std::move(space.start);
  if (straight()) field.iterations += solve_straight(emitted, field.steady, options);
  for (std::size_t r = 0; r < places.size(); ++r) {
    const auto& place = room_->receivers[r];
    field.diffuse.push_back(at(field.steady, place));
    field.direct.push_back(direct(source, place, attenuation_));
    ModalDecay& decay = field.decays.emplace_back();
    for (int k = size; k-- > 0;) {  // the largest eigenvalue of the inverse decays most slowly
      const double theta = eigen.eigenvalues()(k);
      if (!(theta > 0.0)) continue;
      double value = 0.0;
      for (int i = 0; i < size; ++i) {
        double there = 0.0;
        for (std::size_t c = 0; c < 8; ++c)
          there += places[r][c].weight * space.values[static_cast<std::size_t>(i)][8 * r + c];
        value += there * eigen.eigenvectors()(i, k);
      }
      decay.rates.push_back(1.0 / theta);
      decay.amplitudes.push_back(space.norm * value * eigen.eigenvectors()(0, k));
    }
  }
  return field;
}

}  // namespace fdtd

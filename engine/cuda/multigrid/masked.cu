// A cycle is one graph: in rooms of some ten thousand cells a launch takes longer than its work. Sums stay on the device
// and are read once an iteration.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "engine/cuda/gpu/check.cuh"
#include "engine/cuda/gpu/device_array.hpp"
#include "engine/cuda/gpu/graph.hpp"
#include "engine/cuda/multigrid/masked.hpp"
#include "engine/cuda/multigrid/masked_kernels.cuh"

namespace fdtd::cuda {
namespace {

using multigrid::MaskLevel;
using multigrid::NodeGrid;

masked::Place place_of(const NodeGrid& grid) {
  return {grid.nodes[0], grid.nodes[1], grid.nodes[2], grid.row, grid.plane, grid.at(0, 0, 0)};
}

unsigned pieces(std::int64_t count, std::int64_t of) { return static_cast<unsigned>((count + of - 1) / of); }

struct DeviceRows {
  DeviceArray<std::int64_t> row, begin, column;
  DeviceArray<float> value;
  std::int64_t count = 0;
  DeviceRows() = default;
  explicit DeviceRows(const multigrid::SparseRows& rows)
      : row(rows.row), begin(rows.begin), column(rows.column), value(rows.value), count(rows.count()) {}
  masked::Rows get() const { return {row.data(), begin.data(), column.data(), value.data(), count}; }
};

class MaskedOnGpu final : public multigrid::MaskedSolver {
 public:
  MaskedOnGpu(int device, const multigrid::MaskLevels& levels, const multigrid::Cycle& cycle)
      : host_(levels), cycle_(cycle), visits_(multigrid::level_visits(*levels, cycle)) {
    use_device(device);
    stream_ = std::make_unique<OwnedStream>();
    for (const MaskLevel& level : *host_) {
      Level one;
      one.place = place_of(level.grid);
      one.body = place_of(level.body);
      one.size = level.grid.size;
      for (std::size_t i = 0; i < 8; ++i) one.weight[i] = level.weight[i];
      one.steps = multigrid::smoothing_steps(cycle, multigrid::eigenvalue_limit(level.weight));
      one.element = DeviceArray<float>(level.element);
      for (DeviceArray<float>* values : {&one.inverse, &one.diagonal, &one.u, &one.b, &one.other})
        *values = DeviceArray<float>(one.size);
      one.irregular = DeviceRows(level.irregular);
      one.interpolation = DeviceRows(level.interpolation);
      one.restriction = DeviceRows(level.restriction);
      one.kept = DeviceArray<float>(level.interpolation.row.size());
      levels_.push_back(std::move(one));
    }
    for (DeviceArray<double>* values : {&extra_, &u_, &r_, &p_, &q_}) *values = DeviceArray<double>(levels_[0].size);
    sums_ = DeviceArray<double>(masked::sum_blocks);
    scalars_ = DeviceArray<double>(scalar_count);
  }

  void set_diagonal(std::span<const double> diagonal) override {
    const multigrid::MaskDiagonals all = multigrid::mask_diagonals(*host_, diagonal);
    extra_.set(all.extra.front());
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      levels_[l].diagonal.set(std::vector<float>(all.extra[l].begin(), all.extra[l].end()));
      levels_[l].inverse.set(all.inverse[l]);
    }
    coarsest_ = DeviceArray<std::int64_t>(all.coarsest);
    dense_ = DeviceArray<float>(all.dense);
    // The graph holds the arrays of the coarsest level.
    graph_ = std::make_unique<Graph>();
    captured_ = graph_->capture(stream_->get(), [&] { visit(0, true); });
  }

  multigrid::Solution solve(std::span<const double> b, std::span<double> u, double tolerance, int most) override {
    const std::size_t n = levels_[0].size;
    if (b.size() != n || u.size() != n) throw std::invalid_argument("multigrid: a vector does not match the grid");
    copy_to_device(q_.data(), b.data(), n * sizeof(double));
    copy_to_device(u_.data(), u.data(), n * sizeof(double));
    const multigrid::Solution solution = solve_on_device(tolerance, most);
    copy_to_host(u.data(), u_.data(), n * sizeof(double));
    return solution;
  }

  // The vectors stay on the device: what crosses is b, the mass, x, a few sums a vector and the values asked for.
  multigrid::KrylovSpace krylov(const NodeGrid& grid, std::span<const double> b, std::span<const double> mass,
                                const multigrid::KrylovOptions& options, std::span<const std::int64_t> nodes) override {
    const std::size_t n = levels_[0].size;
    if (b.size() != n || mass.size() != n || grid.size != n)
      throw std::invalid_argument("multigrid: a vector does not match the grid");
    const auto most = static_cast<std::size_t>(options.vectors);
    multigrid::KrylovSpace space;
    space.vectors = options.vectors;
    space.projected.assign(most * most, 0.0);
    const DeviceArray<std::int64_t> places(std::vector<std::int64_t>(nodes.begin(), nodes.end()));
    DeviceArray<double> weights(n), found(nodes.size()), shares(2 * most + 1);
    copy_to_device(weights.data(), mass.data(), n * sizeof(double));
    std::vector<DeviceArray<double>> basis, of_mass;
    const auto weigh = [&](const double* v, double* out) { each(masked::multiplied, weights.data(), v, out); };
    // u_ over `scale` becomes a vector.
    const auto add = [&](double scale) {
      basis.emplace_back(n);
      of_mass.emplace_back(n);
      each(masked::scaled, u_.data(), scale, basis.back().data());
      weigh(basis.back().data(), of_mass.back().data());
      if (found.size() > 0) {
        const auto count = static_cast<std::int64_t>(found.size());
        masked::gather<<<pieces(count, 256), 256, 0, stream_->get()>>>(basis.back().data(), places.data(), found.data(),
                                                                       count);
        FDTD_CUDA(cudaGetLastError());
      }
      space.values.push_back(found.get());
    };
    // Of u_, in the product of the mass, its square; `shares` are read with it.
    std::vector<double> now;
    const auto find_norm = [&] {
      weigh(u_.data(), q_.data());
      queue_dot_to(u_.data(), q_.data(), shares.data() + 2 * most);
      now = shares.get();
      return std::sqrt(now[2 * most]);
    };
    copy_to_device(q_.data(), b.data(), n * sizeof(double));
    u_.clear();
    space.iterations += solve_on_device(options.tolerance, options.most).iterations;
    space.start.resize(n);
    copy_to_host(space.start.data(), u_.data(), n * sizeof(double));
    space.norm = find_norm();
    if (space.norm > 0.0) add(space.norm);
    for (; space.size < options.vectors && space.size < static_cast<int>(basis.size()); ++space.size) {
      const auto j = static_cast<std::size_t>(space.size);
      FDTD_CUDA(
          cudaMemcpyAsync(q_.data(), of_mass[j].data(), n * sizeof(double), cudaMemcpyDeviceToDevice, stream_->get()));
      u_.clear();
      space.iterations += solve_on_device(options.tolerance, options.most).iterations;
      for (std::size_t pass = 0; pass < 2; ++pass)
        for (std::size_t i = 0; i < basis.size(); ++i) {
          double* const along = shares.data() + pass * most + i;
          queue_dot_to(u_.data(), of_mass[i].data(), along);
          each(masked::take_away, static_cast<const double*>(along), basis[i].data(), u_.data());
        }
      const double rest = find_norm();
      for (std::size_t i = 0; i < basis.size(); ++i) space.projected[j * most + i] = now[i] + now[most + i];
      if (space.size + 1 < options.vectors && rest > options.least * space.projected[0]) add(rest);
    }
    return space;
  }

 private:
  // By conjugate gradients from u_; the right side is in q_.
  multigrid::Solution solve_on_device(double tolerance, int most) {
    p_.clear();
    queue_dot(q_.data(), q_.data(), norm);
    multiply(u_.data(), r_.data());
    each(masked::difference, q_.data(), r_.data());
    queue_dot(r_.data(), r_.data(), left);
    std::vector<double> now = scalars_.get();
    const double whole = std::sqrt(now[norm]), first = std::sqrt(now[left]);
    multigrid::Solution solution;
    double rest = first;
    while (rest > tolerance * whole && solution.iterations < most) {
      queue_iteration(solution.iterations);
      now = scalars_.get();
      if (!(now[along] > 0.0)) break;
      rest = std::sqrt(now[left]);
      ++solution.iterations;
    }
    multigrid::finish(solution, first, rest, whole, tolerance);
    return solution;
  }

  enum Scalar : std::size_t { norm, left, along, rho_even, rho_odd, scalar_count };

  struct Level {
    masked::Place place{}, body{};
    std::size_t size = 0;
    std::array<double, 8> weight{};
    std::vector<float> steps;
    DeviceArray<float> element, inverse, diagonal, u, b, other, kept;
    DeviceRows irregular, interpolation, restriction;
  };

  template <class T>
  masked::Operator<T> operator_of(const Level& level, const T* diagonal) const {
    masked::Operator<T> A{level.element.data(), diagonal, {}, level.place};
    for (std::size_t i = 0; i < 8; ++i) A.weight[i] = static_cast<T>(level.weight[i]);
    return A;
  }

  template <class Kernel, class... Values>
  void nodes(const masked::Place& g, Kernel kernel, Values... values) {
    const dim3 blocks(pieces(g.nx, masked::threads_in_x), pieces(g.ny, masked::threads_in_y),
                      static_cast<unsigned>(g.nz));
    kernel<<<blocks, dim3(masked::threads_in_x, masked::threads_in_y), 0, stream_->get()>>>(values...);
    FDTD_CUDA(cudaGetLastError());
  }
  template <class Kernel, class... Values>
  void rows(const DeviceRows& of, Kernel kernel, Values... values) {
    if (of.count == 0) return;
    kernel<<<pieces(of.count, masked::threads_a_row), masked::threads_a_row, 0, stream_->get()>>>(of.get(), values...);
    FDTD_CUDA(cudaGetLastError());
  }
  // All values of an array of the finest level, with their number as last argument.
  template <class Kernel, class... Values>
  void each(Kernel kernel, Values... values) {
    const auto count = static_cast<std::int64_t>(levels_[0].size);
    kernel<<<pieces(count, 256), 256, 0, stream_->get()>>>(values..., count);
    FDTD_CUDA(cudaGetLastError());
  }

  void smooth(Level& level, bool from_zero, bool reversed) {
    std::vector<float> steps = level.steps;
    if (reversed) std::ranges::reverse(steps);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      if (s == 0 && from_zero) {
        nodes(level.place, masked::first_sweep, level.place, level.b.data(), level.inverse.data(), steps[s],
              level.other.data());
      } else {
        nodes(level.place, masked::sweep, operator_of<float>(level, level.diagonal.data()), level.u.data(),
              level.b.data(), level.inverse.data(), steps[s], level.other.data());
        rows(level.irregular, masked::add_rows<float>, level.u.data(), -steps[s], level.inverse.data(),
             level.other.data());
      }
      std::swap(level.u, level.other);
    }
  }

  void visit(std::size_t l, bool from_zero) {
    Level& level = levels_[l];
    if (l + 1 == levels_.size()) {
      const int count = static_cast<int>(coarsest_.size());
      masked::coarsest<<<pieces(count, 64), 64, 0, stream_->get()>>>(dense_.data(), coarsest_.data(), count,
                                                                     level.b.data(), level.u.data());
      FDTD_CUDA(cudaGetLastError());
      return;
    }
    Level& coarse = levels_[l + 1];
    smooth(level, from_zero, false);
    nodes(level.place, masked::residual, operator_of<float>(level, level.diagonal.data()), level.u.data(),
          level.b.data(), level.other.data());
    rows(level.irregular, masked::add_rows<float>, level.u.data(), -1.0F, nullptr, level.other.data());
    rows(level.interpolation, masked::take_out, level.other.data(), level.kept.data());
    FDTD_CUDA(cudaMemsetAsync(coarse.b.data(), 0, coarse.size * sizeof(float), stream_->get()));
    nodes(coarse.body, masked::restrict_full, level.other.data(), level.body, coarse.b.data(), coarse.body);
    rows(level.interpolation, masked::put_back, level.kept.data(), level.other.data());
    rows(level.restriction, masked::add_rows<float>, level.other.data(), 1.0F, nullptr, coarse.b.data());
    for (int i = 0; i < visits_[l]; ++i) visit(l + 1, i == 0);
    rows(level.interpolation, masked::keep_with_rows, coarse.u.data(), level.u.data(), level.kept.data());
    nodes(level.body, masked::prolong, coarse.u.data(), coarse.body, level.inverse.data(), level.u.data(), level.body);
    rows(level.interpolation, masked::put_back, level.kept.data(), level.u.data());
    smooth(level, false, true);
  }

  void multiply(const double* from, double* to) {
    const Level& level = levels_[0];
    nodes(level.place, masked::product, operator_of<double>(level, extra_.data()), from, to);
  }

  template <class A, class B>
  void queue_dot(const A* a, const B* b, std::size_t to) {
    queue_dot_to(a, b, scalars_.data() + to);
  }
  template <class A, class B>
  void queue_dot_to(const A* a, const B* b, double* to) {
    products<masked::sum_threads><<<masked::sum_blocks, masked::sum_threads, 0, stream_->get()>>>(
        a, b, static_cast<std::int64_t>(levels_[0].size), sums_.data());
    FDTD_CUDA(cudaGetLastError());
    masked::whole_sum<<<1, masked::sum_threads, 0, stream_->get()>>>(sums_.data(), to);
    FDTD_CUDA(cudaGetLastError());
  }

  void queue_iteration(int number) {
    Level& finest = levels_[0];
    const double* const rho = scalars_.data() + (number % 2 == 0 ? rho_even : rho_odd);
    const double* const before = number == 0 ? nullptr : scalars_.data() + (number % 2 == 0 ? rho_odd : rho_even);
    each(masked::to_single, r_.data(), finest.b.data());
    // As many sweeps before as after: all arrays are where they were at its end.
    if (captured_)
      graph_->launch(stream_->get());
    else
      visit(0, true);
    queue_dot(r_.data(), finest.u.data(), number % 2 == 0 ? rho_even : rho_odd);
    each(masked::next_direction, finest.u.data(), rho, before, p_.data());
    multiply(p_.data(), q_.data());
    queue_dot(p_.data(), q_.data(), along);
    each(masked::step_along, rho, static_cast<const double*>(scalars_.data() + along), p_.data(), q_.data(), u_.data(),
         r_.data());
    queue_dot(r_.data(), r_.data(), left);
  }

  multigrid::MaskLevels host_;
  multigrid::Cycle cycle_;
  std::vector<int> visits_;
  std::unique_ptr<OwnedStream> stream_;
  std::vector<Level> levels_;
  DeviceArray<double> extra_, u_, r_, p_, q_, sums_, scalars_;
  DeviceArray<std::int64_t> coarsest_;
  DeviceArray<float> dense_;
  std::unique_ptr<Graph> graph_;
  bool captured_ = false;
};

}  // namespace

std::shared_ptr<multigrid::MaskedSolver> make_masked_solver(int device, const multigrid::MaskLevels& levels,
                                                            const multigrid::Cycle& cycle) {
  return std::make_shared<MaskedOnGpu>(device, levels, cycle);
}

}  // namespace fdtd::cuda

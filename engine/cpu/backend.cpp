// The CPU backend: chooses precision, kernel, threads and order of tiles when it loads a plan.
#include "engine/backend/backend.hpp"
#include "engine/cpu/make_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/cpu/field/axis_order.hpp"
#include "engine/cpu/stepper.hpp"
#include "engine/cpu/thread_count.hpp"
#include "engine/cpu/tune.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/version.hpp"

namespace fdtd {
namespace cpu {
namespace {

// The steps a sweep that a kernel's name requests. Throws Error (status resource) where a sweep cannot be several
// steps.
template <class T>
Steps steps_of(const Kernel& kernel, const std::string& name, const Stepper<T>& stepper, const Slab& slab) {
  if (name.empty()) return stepper.several_steps() ? Steps::any : Steps::one;
  if (!kernel.several_steps) return Steps::one;
  if (!slab.alone())
    throw Error(Status::resource, "time_slice takes several steps a sweep, and ranks exchange planes after each",
                "take --kernel sliding_window, or none");
  if (!stepper.several_steps()) {
    throw Error(Status::resource, "time_slice cannot work walls inside the room that read several nodes across tiles",
                "take --kernel sliding_window, or none: then the fastest that can is taken");
  }
  return Steps::several;
}

std::string tile_order_key(const Plan& plan, const std::string& kernel, int threads) {
  const bool open = plan.boundary.nodes.empty() && plan.near_wall.segments.empty();
  return TuneKey{fmt::format("{}; {} threads", processor_name(), threads),
                 kernel.empty() ? "any" : kernel,
                 fmt::format("{} points, radius {}", plan.stencil.point_count(), plan.stencil.radius),
                 to_string(plan.precision),
                 plan.grid.size,
                 !plan.air.all_air() ? "obstacles"
                 : open              ? "air"
                                     : "box"}
      .text();
}

template <class T>
std::unique_ptr<Backend> make_stepper(const Plan& plan, const Slab& slab, const BackendOptions& options, int threads) {
  const Kernel& kernel = choose_kernel(options.kernel);
  auto stepper = std::make_unique<Stepper<T>>(plan, slab, kernel, threads, options.ranks);
  const Steps steps = steps_of(kernel, options.kernel, *stepper, slab);
  if (!options.tune || !slab.alone()) {
    stepper->set_tile_order(default_tile_order(*stepper, steps == Steps::any ? Steps::one : steps));
    return stepper;
  }
  TileOrderCache cache(options.tile_order_file);
  const std::string key = tile_order_key(plan, options.kernel, threads);
  const SearchSpace space = tile_orders_to_try(*stepper, steps);
  const std::vector<TileOrder> orders = space.all();
  if (const std::optional<TileOrder> known = options.retune ? std::nullopt : cache.find(key, orders)) {
    stepper->set_tile_order(*known);
  } else {
    stepper->reset();
    std::vector<std::pair<TileOrder, double>> timed;
    const TileOrder found = fastest(space, [&](const TileOrder& order) {
      return timed.emplace_back(order, stepper->seconds_per_step(order)).second;
    });
    stepper->set_tile_order(found);
    stepper->reset();
    double seconds = 0.0;  // a step, the last time that it was timed; a lone order is not
    for (const auto& [order, time] : timed)
      if (order == found) seconds = time;
    cache.keep(key, found, 1e9 * seconds / static_cast<double>(plan.grid.nodes()));
  }
  return stepper;
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(BackendOptions options) : options_(std::move(options)) {
    if (options_.threads < 0) throw Error(Status::resource, "a number of threads cannot be negative");
  }
  void load(const Plan& plan, const Slab& slab) override {
    if (!slab.alone() && options_.ranks == nullptr)
      throw Error(Status::resource, "a slab with neighbours needs ranks to exchange its planes with");
    loaded_.reset();  // before more memory is allocated
    flat_ = slab.alone() ? flattened(plan) : std::nullopt;
    layers_ = static_cast<std::size_t>(layer_count(slab.planes()));
    size_ = plan.grid.size;
    const int threads = options_.threads > 0 ? options_.threads : threads_for(plan, omp_get_max_threads());
    try {
      const Plan& chosen = flat_ ? *flat_ : plan;
      loaded_ = plan.precision == Precision::f32 ? make_stepper<float>(chosen, slab, options_, threads)
                                                 : make_stepper<double>(chosen, slab, options_, threads);
    } catch (const std::bad_alloc&) {
      throw Error(Status::resource, "there is not enough memory for this room",
                  "a coarser grid, f32, or a machine with more memory");
    }
  }
  void advance(const Drive& drive, Samples& samples) override { loaded().advance(drive, samples); }
  void save(State& state) const override {
    loaded().save(state);
    state.injected.resize(layers_);  // the flattened plan has other layers: all energy is in the first
    state.dissipated.resize(layers_);
  }
  State state() const override {
    State state = loaded().state();
    state.injected.resize(layers_);
    state.dissipated.resize(layers_);
    return state;
  }
  void restore(const State& state) override { loaded().restore(state); }
  Timing profile(int repeats) override { return loaded().profile(repeats); }
  std::vector<Energy> energies() const override { return loaded().energies(); }
  Extreme extreme() const override { return loaded().extreme(); }
  void plane(int axis, int index, std::span<float> values) const override {
    loaded().plane(flat_ ? flat_axis(size_, axis) : axis, index, values);
  }
  std::int64_t step() const override { return loaded().step(); }
  WallReads wall_reads() const override { return WallReads::in_rows; }
  std::vector<std::uint32_t> wall_row() override { return loaded().wall_row(); }
  void read_walls(const Drive& drive, Samples& samples, std::byte* rows) override {
    loaded().read_walls(drive, samples, rows);
  }
  int host_threads() const override { return loaded().host_threads(); }
  std::string describe() const override { return loaded_ ? loaded_->describe() : "cpu, nothing loaded"; }

 private:
  Backend& loaded() const {
    if (!loaded_) throw Error(Status::resource, "no plan is loaded");
    return *loaded_;
  }
  BackendOptions options_;
  std::optional<Plan> flat_;
  std::size_t layers_ = 0;
  std::array<int, 3> size_{};  // of the plan, before it was flattened
  std::unique_ptr<Backend> loaded_;
};

}  // namespace
}  // namespace cpu

std::unique_ptr<Backend> make_cpu_backend(const BackendOptions& options) {
  return std::make_unique<cpu::CpuBackend>(options);
}

const char* cpu_instruction_set() { return cpu::choose_kernel("").instruction_set; }

std::int64_t cpu_state_bytes(const Plan& shape, const PlaneCounts& walls) {
  const std::size_t value = shape.precision == Precision::f32 ? sizeof(float) : sizeof(double);
  std::array<int, 3> size = shape.grid.size;  // in the order of flattened()
  std::stable_partition(size.begin(), size.end(), [](int n) { return n > 1; });
  const cpu::Layout layout(size, shape.stencil.radius, value);
  const auto of = [](std::int64_t count) { return static_cast<std::size_t>(count); };
  constexpr std::size_t a_node = cpu::max_pieces * sizeof(cpu::GroupPiece) / cpu::batch_group;
  // Of rows that no other node has: as rows, as columns of blocks as wide as a vector, and, while these are made, as a
  // plan has them, twice (near_wall_ops.cpp).
  constexpr std::size_t in_block = sizeof(std::ptrdiff_t) + cpu::block_width<float> * sizeof(float);
  constexpr std::size_t an_entry = sizeof(std::ptrdiff_t) + sizeof(float) + in_block + 2 * sizeof(RowEntry);
  const std::size_t bytes =
      2 * static_cast<std::size_t>(layout.length) * value + of(walls.segments) * sizeof(cpu::NearWallOp) +
      of(walls.entries) * an_entry + of(walls.boundary_nodes) * (sizeof(std::int32_t) + a_node + 5 * value) +
      of(walls.sites) * value + of(walls.branches) * (branch_state_size * value + sizeof(std::uint64_t)) +
      static_cast<std::size_t>(layout.size[1]) * static_cast<std::size_t>(layout.size[2]) * 2 *
          sizeof(cpu::SolidPiece) +
      layout.tiles.size() * (sizeof(cpu::Tile) + 72 * sizeof(double));
  return static_cast<std::int64_t>(bytes);
}

std::int64_t cpu_state_bytes(const Plan& plan) { return cpu_state_bytes(plan, sum_of(plane_counts(plan))); }

}  // namespace fdtd

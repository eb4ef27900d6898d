// The CPU backend: chooses precision, kernel, threads and march when a plan comes.
#include "engine/backend.hpp"

#include <algorithm>

#include "engine/cpu/stepper.hpp"
#include "engine/cpu/tune.hpp"
#include "engine/error.hpp"

namespace fdtd {
namespace cpu {
namespace {

// As many threads as OpenMP gives, but each with weights enough a step that waiting for the others does not show: in small
// rooms a barrier takes longer than the arithmetic.
int worthwhile_threads(const Plan& plan) {
  constexpr double weights_a_thread = 4e5;  // some 20 us of a core with vectors
  const double weights = static_cast<double>(plan.grid.nodes()) * plan.stencil.point_count();
  return std::clamp(static_cast<int>(std::min(weights / weights_a_thread, 1e6)), 1, omp_get_max_threads());
}

template <class T>
std::unique_ptr<Backend> make_stepper(const Plan& plan, const BackendOptions& options, int threads) {
  const Kernel& kernel = choose_kernel(options.kernel);
  auto stepper = std::make_unique<Stepper<T>>(plan, kernel, threads);
  stepper->set_march(default_march(*stepper, kernel.slices));
  return stepper;
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(BackendOptions options) : options_(std::move(options)) {
    if (options_.threads < 0) throw Error(Status::resource, "a number of threads cannot be negative");
  }
  void load(const Plan& plan, const Slab& slab) override {
    if (slab.below || slab.above || slab.z_begin != 0 || slab.z_end != plan.grid.size[2]) {
      throw Error(Status::resource, "the CPU computes the whole grid, not a slab of it");
    }
    loaded_.reset();  // before more memory is taken
    const int threads = options_.threads > 0 ? options_.threads : worthwhile_threads(plan);
    try {
      loaded_ = plan.precision == Precision::f32 ? make_stepper<float>(plan, options_, threads)
                                                 : make_stepper<double>(plan, options_, threads);
    } catch (const std::bad_alloc&) {
      throw Error(Status::resource, "there is not enough memory for this room",
                  "a coarser grid, f32, or a machine with more memory");
    }
  }
  void advance(const Drive& drive, Samples& samples) override { loaded().advance(drive, samples); }
  void save(State& state) const override { loaded().save(state); }
  void restore(const State& state) override { loaded().restore(state); }
  Timing profile(int repeats) override { return loaded().profile(repeats); }
  Energy energy() const override { return loaded().energy(); }
  Extreme extreme() const override { return loaded().extreme(); }
  std::int64_t step() const override { return loaded().step(); }
  std::string describe() const override { return loaded_ ? loaded_->describe() : "cpu, nothing loaded"; }

 private:
  Backend& loaded() const {
    if (!loaded_) throw Error(Status::resource, "no plan is loaded");
    return *loaded_;
  }
  BackendOptions options_;
  std::unique_ptr<Backend> loaded_;
};

}  // namespace
}  // namespace cpu

std::unique_ptr<Backend> make_cpu_backend(const BackendOptions& options) {
  return std::make_unique<cpu::CpuBackend>(options);
}

std::int64_t cpu_state_bytes(const Plan& plan) {
  const std::size_t value = plan.precision == Precision::f32 ? sizeof(float) : sizeof(double);
  const cpu::Layout layout(plan.grid.size, plan.stencil.radius, value);
  const Boundary& b = plan.boundary;
  const std::size_t branches = b.branch_begin.back();
  const std::size_t bytes = 2 * static_cast<std::size_t>(layout.length) * value +
                            plan.near_wall.segments.size() * sizeof(cpu::WallOp) +
                            b.nodes.size() * (sizeof(std::int32_t) + 5 * value) + b.sites.size() * value +
                            branches * (2 * value + sizeof(std::uint64_t)) +
                            static_cast<std::size_t>(layout.size[1]) * static_cast<std::size_t>(layout.size[2]) *
                                (sizeof(std::uint64_t) + sizeof(cpu::Run)) +
                            layout.tiles.size() * (sizeof(cpu::Tile) + 12 * sizeof(double));
  return static_cast<std::int64_t>(bytes);
}

}  // namespace fdtd

// The GPU backend: blocks of steps queued without waiting, and the bookkeeping around them. The host waits at the end
// of a block alone, for its samples.
#include "engine/cuda/make_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/error.hpp"
#include "base/math/median.hpp"
#include "engine/cuda/adjoint/correlation_tables.hpp"
#include "engine/cuda/device_plan.hpp"
#include "engine/cuda/field/transfer.hpp"
#include "engine/cuda/gpu/device.hpp"
#include "engine/cuda/gpu/timing.hpp"
#include "engine/cuda/tuning/roofs.hpp"
#include "engine/cuda/wall_correlation.hpp"
#include "engine/system/ranks.hpp"

namespace fdtd {
namespace cuda {
namespace {

template <class T>
class Loaded final : public Backend {
 public:
  Loaded(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options)
      : plan_(plan),
        device_(device),
        ranks_(slab.alone() ? nullptr : options.ranks),
        device_plan_(plan, slab, device, options) {}

  void load(const Plan&, const Slab&) override {}  // the owner makes a new one

  void advance(const Drive& drive, Samples& samples) override {
    const std::unique_lock<std::mutex> alone = device_plan_.alone_on_gpu();
    samples.steps = drive.steps;
    samples.p.assign(plan_.receivers.size() * static_cast<std::size_t>(drive.steps), 0.0);
    for (std::int64_t first = 0; first < drive.steps; first += device_plan_.receivers().capacity()) {
      const std::int64_t count = std::min(device_plan_.receivers().capacity(), drive.steps - first);
      advance_piece(drive, first, count);
      device_plan_.wait();
      device_plan_.receivers().collect(count, first, samples);
    }
  }

  void save(State& state) const override {
    state = this->state();
    const auto nodes = static_cast<std::uint64_t>(plan_.grid.nodes()), branches = plan_.boundary.branch_begin.back();
    for (const StatePart part : state_parts)
      state.array(part) = state.values(part, 0, part <= StatePart::u_before ? nodes : branches);
    state.read = nullptr;
  }
  State state() const override { return device_plan_.state(step_); }

  void restore(const State& state) override {
    if (state.precision != plan_.precision) throw Error(Status::file, "the state has another precision than the plan");
    step_ = 0;
    device_plan_.restore(state);
    if (!state.silent()) step_ = state.step;
  }

  // Steps and triads take turns, so that both see the same clocks.
  Timing profile(int repeats) override {
    device_plan_.reset();
    step_ = 0;
    const PreparedRoof roof = prepare_roof(Roof::triad, device_plan_.layout(), device_plan_.fields());
    device_plan_.make_noise();  // on zeros a GPU may be faster than in any room
    const auto steps_of = [&](std::int64_t count) {
      return seconds_of(device_plan_.stream(), [&] { device_plan_.step_undriven(0, count); }) /
             static_cast<double>(count);
    };
    const auto triads_of = [&](std::int64_t count) {
      const auto work = [&] {
        for (std::int64_t n = 0; n < count; ++n) roof.pass(static_cast<int>(n & 1), device_plan_.stream());
      };
      return seconds_of(device_plan_.stream(), work) / static_cast<double>(count);
    };
    device_plan_.receivers().start_block();
    steps_of(2);
    const auto measured = 2 * static_cast<std::int64_t>(std::clamp(0.01 / steps_of(2), 1.0, 500.0));
    const std::int64_t steps = ranks_ != nullptr ? of_first(*ranks_, measured) : measured;
    std::vector<double> stepping, triads;
    for (int i = 0; i < std::max(repeats, 1); ++i) {
      device_plan_.receivers().start_block();
      stepping.push_back(steps_of(steps));
      triads.push_back(triads_of(steps));
    }
    Timing timing;
    const auto nodes = static_cast<double>(plan_.grid.nodes());
    timing.seconds_per_step = median(stepping);
    timing.ctpn_ns = timing.seconds_per_step / nodes * 1e9;
    timing.triad_ctpn_ns = median(triads) / nodes * 1e9;
    timing.declared_bytes = 3.0 * sizeof(T);
    return timing;
  }

  std::vector<Energy> energies() const override {
    const ReceiverBuffers::Sums sums = device_plan_.receivers().sums();
    const std::vector<double> stored = device_plan_.stored(step_);
    std::vector<Energy> layers;
    for (std::size_t l = 0; l < stored.size(); ++l) layers.push_back({stored[l], sums.injected[l], sums.dissipated[l]});
    return layers;
  }

  // Rows have places without a node, and two more than a block has steps: 66 for 64, or 18 for 16.
  std::optional<std::int64_t> correlation_memory() const override {
    constexpr std::int64_t reserve = std::int64_t{1} << 28U;
    const double places = static_cast<double>(device_plan_.wall_reads()) * 18.0 / 16.0,
                 nodes = static_cast<double>(plan_.boundary.nodes.size());
    const std::int64_t free =
        static_cast<std::int64_t>(free_device_memory()) - reserve - correlation_bytes(plan_.boundary, sizeof(T));
    return static_cast<std::int64_t>(static_cast<double>(std::max<std::int64_t>(free, 0)) *
                                     (places > 0.0 ? std::min(nodes / places, 1.0) : 1.0));
  }
  std::unique_ptr<WallCorrelation> wall_correlation(const CorrelationNeeds& needs) override {
    if (ranks_ != nullptr) throw std::logic_error("the walls of several GPUs are correlated by the host");
    return make_wall_correlation(plan_, *this, device_plan_, needs);
  }

  Extreme extreme() const override { return extreme_of(device_plan_.field(step_), device_plan_.layout()); }
  void plane(int axis, int index, std::span<float> values) const override {
    copy_plane(device_plan_.field(step_), device_plan_.layout(), axis, index, values);
  }
  std::int64_t step() const override { return step_; }
  std::string describe() const override {
    return fmt::format("cuda:{}, {}, kernel {} {}{}", device_.index, device_.name, device_plan_.chosen().kernel->name,
                       to_string(device_plan_.chosen().tile), device_plan_.many_steps() ? ", many steps a launch" : "");
  }

 private:
  // Steps first .. first + count - 1 of the block.
  void advance_piece(const Drive& drive, std::int64_t first, std::int64_t count) {
    device_plan_.receivers().start_block();
    device_plan_.start_wall_reads(step_, first);
    send_drive(drive, first, count);
    for (std::int64_t n = 0, end = 0; n < count; n = end) {
      const bool driven = drives(drive, first + n);
      while (end < count && drives(drive, first + end) == driven) ++end;
      if (driven)
        device_plan_.drive(step_, force_.data() + n, count, end - n);
      else
        device_plan_.step_undriven(step_, end - n);
      step_ += end - n;
    }
    device_plan_.sample_receivers(step_);
  }

  bool drives(const Drive& drive, std::int64_t n) const {
    for (std::size_t s = 0; s < plan_.sources.size(); ++s)
      if (drive.f[s * static_cast<std::size_t>(drive.steps) + static_cast<std::size_t>(n)] != 0.0) return true;
    return false;
  }

  // f[source * count + n] of these steps to the GPU, where any source drives.
  void send_drive(const Drive& drive, std::int64_t first, std::int64_t count) {
    bool any = false;
    for (std::int64_t n = 0; n < count && !any; ++n) any = drives(drive, first + n);
    if (!any) return;
    std::vector<double> f;
    for (std::size_t s = 0; s < plan_.sources.size(); ++s) {
      const auto from = drive.f.begin() + static_cast<std::ptrdiff_t>(s) * drive.steps + first;
      f.insert(f.end(), from, from + count);
    }
    if (force_.size() < f.size()) force_ = DeviceArray<double>(f.size());
    force_.set(f);
  }

  const Plan& plan_;
  Device device_;
  Ranks* ranks_;  // of a slab with neighbours
  DevicePlan<T> device_plan_;
  DeviceArray<double> force_;
  std::int64_t step_ = 0;
};

// Chooses precision and kernel when a plan comes; every call is on its own device.
class CudaBackend final : public Backend {
 public:
  CudaBackend(BackendOptions options, int index)
      : options_(std::move(options)),
        device_(device_of(index)),
        queue_(options_.rooms_at_once > 1 ? Queue::own : Queue::common) {
    if (queue_ == Queue::own && !computes_side_by_side(device_))
      throw Error(Status::resource, fmt::format("GPU {} ({}) computes one room at a time", index, device_.name),
                  "batches need compute capability 9.0 and memory pools: leave the batch out");
  }
  ~CudaBackend() override {
    try {
      use_device(device_.index, queue_);
    } catch (const Error&) {  // lost: its memory went with it
    }
  }
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  void load(const Plan& plan, const Slab& slab) override {
    if (!slab.alone() && options_.ranks == nullptr)
      throw Error(Status::resource, "a slab with neighbours needs ranks to exchange its planes with");
    use_device(device_.index, queue_);
    loaded_.reset();  // before more memory is taken
    if (plan.precision == Precision::f32) {
      loaded_ = std::make_unique<Loaded<float>>(plan, slab, device_, options_);
    } else {
      loaded_ = std::make_unique<Loaded<double>>(plan, slab, device_, options_);
    }
  }
  void advance(const Drive& drive, Samples& samples) override { loaded().advance(drive, samples); }
  void save(State& state) const override { loaded().save(state); }
  State state() const override {
    State state = loaded().state();
    state.read = [this, read = std::move(state.read)](StatePart part, std::uint64_t first, std::uint64_t count) {
      use_device(device_.index, queue_);
      return read(part, first, count);
    };
    return state;
  }
  void restore(const State& state) override { loaded().restore(state); }
  Timing profile(int repeats) override { return loaded().profile(repeats); }
  std::vector<Energy> energies() const override { return loaded().energies(); }
  Extreme extreme() const override { return loaded().extreme(); }
  void plane(int axis, int index, std::span<float> values) const override { loaded().plane(axis, index, values); }
  std::int64_t step() const override { return loaded().step(); }
  WallReads wall_reads() const override { return WallReads::correlated; }
  std::optional<std::int64_t> correlation_memory() const override { return loaded().correlation_memory(); }
  std::unique_ptr<WallCorrelation> wall_correlation(const CorrelationNeeds& needs) override {
    return loaded().wall_correlation(needs);
  }
  std::string describe() const override {
    return loaded_ ? loaded_->describe() : fmt::format("cuda:{}, {}, nothing loaded", device_.index, device_.name);
  }

 private:
  Backend& loaded() const {
    if (!loaded_) throw Error(Status::resource, "no plan is loaded");
    use_device(device_.index, queue_);
    return *loaded_;
  }
  BackendOptions options_;
  Device device_;
  Queue queue_;
  std::unique_ptr<Backend> loaded_;
};

}  // namespace

std::unique_ptr<Backend> make_backend(const BackendOptions& options, int index) {
  return std::make_unique<CudaBackend>(options, index);
}

}  // namespace cuda
}  // namespace fdtd

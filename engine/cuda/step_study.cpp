#include "engine/cuda/step_study.hpp"

#include <fmt/format.h>

#include "engine/cuda/device_plan.hpp"
#include "engine/cuda/gpu/timing.hpp"

namespace fdtd::cuda {
namespace {

class DeviceSteps final : public study::StepStudy {
 public:
  DeviceSteps(const Plan& plan, const Slab& slab, const BackendOptions& options, int index)
      : plan_(plan, slab, device_of(index), options) {}

  double seconds_of_steps(std::int64_t count) override {
    plan_.receivers().start_block();
    const double seconds = seconds_of(plan_.stream(), [&] { plan_.step_undriven(0, count); });
    plan_.wait();
    return seconds;
  }

  std::string kernel() const override {
    return fmt::format("{} {}", plan_.chosen().kernel->name, to_string(plan_.chosen().tile));
  }

  std::string exchange() const override { return plan_.halo() == nullptr ? "" : plan_.halo()->way().name(); }

  std::vector<study::Span> timeline(std::int64_t count) override {
    Halo* const halo = plan_.halo();
    if (halo == nullptr) return {};
    halo->time(count);
    (void)seconds_of_steps(count);
    return halo->spans();
  }

 private:
  DevicePlan<float> plan_;
};

}  // namespace

std::unique_ptr<study::StepStudy> make_step_study(const Plan& plan, const Slab& slab, const BackendOptions& options,
                                                  int index) {
  return std::make_unique<DeviceSteps>(plan, slab, options, index);
}

}  // namespace fdtd::cuda

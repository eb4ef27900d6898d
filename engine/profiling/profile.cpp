#include "engine/profiling/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "engine/devices/devices.hpp"
#include "engine/system/machine.hpp"

namespace fdtd {

namespace {

// An open box of air without walls, sources or receivers.
Plan open_box(const Stencil& stencil, Precision precision, const std::array<int, 3>& size) {
  Plan plan;
  plan.precision = precision;
  plan.grid.size = size;
  plan.grid.spacing = {1.0, 1.0, 1.0};
  plan.grid.sound_speed = 1.0;
  plan.grid.time_step = stencil.courant;
  plan.stencil_name = stencil.name;
  plan.stencil = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  if (precision == Precision::f32) plan.stencil = rounded_to_float(plan.stencil);
  plan.air = AirMask(size);
  plan.steps = 1;
  return plan;
}

}  // namespace

KernelProfile profile_stencil(const Stencil& stencil, const ProfileSettings& settings) {
  const Plan plan = open_box(stencil, settings.precision, settings.grid);
  const double field = 2.0 * static_cast<double>(plan.grid.nodes()) * (plan.precision == Precision::f32 ? 4.0 : 8.0);
  if (field > 0.9 * static_cast<double>(available_memory()))
    throw Error(Status::resource,
                fmt::format("a grid of {} x {} x {} needs {}, {} are available", settings.grid[0], settings.grid[1],
                            settings.grid[2], human_bytes(field), human_bytes(static_cast<double>(available_memory()))),
                "choose a smaller --grid");
  BackendOptions options;
  options.threads = settings.threads;
  options.kernel = settings.kernel;
  options.tune = true;
  options.tile_order_file = settings.tile_order_file;
  const auto backend = make_cpu_backend(options);
  backend->load(plan, whole(plan));
  const Timing timing = backend->profile(settings.repeats);
  return {stencil.name,   backend->describe(),  stencil.point_count(),
          timing.ctpn_ns, timing.triad_ctpn_ns, timing.declared_bytes};
}

double ctpn_on(const Target& target, const Stencil& stencil, Precision precision) {
  if (!target.on_gpu()) {
    const Plan plan =
        open_box(stencil, precision, {192, 160, 128});  // 16 MB of floats twice, measured in a fraction of a second
    double least = std::numeric_limits<double>::infinity();
    for (const char* kernel : {"sliding_window", "time_slice"}) {
      BackendOptions options;
      options.kernel = kernel;
      const auto backend = make_cpu_backend(options);
      backend->load(plan, whole(plan));
      least = std::min(least, backend->profile(3).ctpn_ns);
    }
    return least;
  }
  const Plan plan = open_box(stencil, precision, {480, 400, 320});  // 246 MB of floats twice
  const auto backend = make_backend(target, {});
  backend->load(plan, whole(plan));
  return backend->profile(3).ctpn_ns;
}

std::string member_name(const Stencil& stencil) { return stencil.name.substr(0, stencil.name.find('/')); }

}  // namespace fdtd

#include "engine/profile.hpp"

#include <fmt/format.h>

#include "engine/backend.hpp"
#include "engine/error.hpp"
#include "engine/machine.hpp"

namespace fdtd {

KernelProfile profile_stencil(const Stencil& stencil, const ProfileSettings& settings) {
  Plan plan;
  plan.precision = settings.precision;
  plan.grid.size = settings.grid;
  plan.grid.spacing = {1.0, 1.0, 1.0};
  plan.grid.sound_speed = 1.0;
  plan.grid.time_step = stencil.courant;
  plan.stencil_name = stencil.name;
  plan.stencil = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  if (plan.precision == Precision::f32) plan.stencil = rounded_to_float(plan.stencil);
  plan.air = AirMask(settings.grid);
  plan.steps = 1;
  const double field = 2.0 * static_cast<double>(plan.grid.nodes()) * (plan.precision == Precision::f32 ? 4.0 : 8.0);
  if (field > 0.9 * static_cast<double>(available_memory()))
    throw Error(Status::resource,
                fmt::format("a grid of {} x {} x {} needs {}, {} are available", settings.grid[0], settings.grid[1],
                            settings.grid[2], human_bytes(field), human_bytes(static_cast<double>(available_memory()))),
                "take a smaller --grid");
  BackendOptions options;
  options.threads = settings.threads;
  options.kernel = settings.kernel;
  options.tune = true;
  options.march_file = settings.march_file;
  const auto backend = make_cpu_backend(options);
  backend->load(plan, whole(plan));
  const Timing timing = backend->profile(settings.repeats);
  return {stencil.name,   backend->describe(),  stencil.point_count(),
          timing.ctpn_ns, timing.triad_ctpn_ns, timing.declared_bytes};
}

std::string member_name(const Stencil& stencil) { return stencil.name.substr(0, stencil.name.find('/')); }

}  // namespace fdtd

// fdtd profile --multigrid: cycles and their time for the Poisson problem on a box, beside those of the literature.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <stdexcept>

#include "cli/profile_options.hpp"
#include "cli/say.hpp"
#include "engine/error.hpp"
#include "engine/multigrid/box_levels.hpp"
#include "engine/multigrid/box_poisson.hpp"
#include "engine/multigrid/profile.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/version.hpp"

namespace fdtd::cli {
namespace {

using multigrid::Profile;

// M. Krotkiewski, M. Dabrowski, "Efficient 3D stencil computations using CUDA", Parallel Computing 39, 2013, section 8:
// Jacobi smoothing in f32 on 27-point kernels.
constexpr std::array<int, 2> paper_cycles = {6, 7}, paper_sweeps = {10, 12};

constexpr std::array<int, 3> default_grid = {255, 255, 255};

void require_grid(const std::array<int, 3>& grid) {
  try {
    (void)multigrid::box_levels(grid);
  } catch (const std::invalid_argument& wrong) {
    throw Error(Status::scene, fmt::format("--grid: {} x {} x {}: {}", grid[0], grid[1], grid[2], wrong.what()),
                "for example 127x127x127, 255x255x255 or 511x511x511");
  }
}

nlohmann::ordered_json multigrid_json(const Profile& profile, const std::string& device) {
  const int cycles = profile.cycles_to_single();
  const auto points = static_cast<double>(profile.grid[0]) * profile.grid[1] * profile.grid[2];
  return {{"device", device},
          {"version", version_line()},
          {"grid", profile.grid},
          {"visits", profile.cycle.visits},
          {"sweeps", profile.cycle.sweeps},
          {"smoother", profile.cycle.smoother == multigrid::Smoother::jacobi ? "jacobi" : "chebyshev"},
          {"residuals", profile.residuals},
          {"cycles_to_single", cycles > 0 ? nlohmann::ordered_json(cycles) : nlohmann::ordered_json(nullptr)},
          {"convergence_factor", profile.convergence_factor()},
          {"cycle_seconds", profile.cycle_seconds},
          {"sweep_seconds", profile.sweep_seconds},
          {"triad_seconds", profile.triad_seconds},
          {"sweeps_per_cycle", profile.sweeps_per_cycle()},
          {"bytes_per_node", multigrid::cycle_bytes(profile.cycle.sweeps)},
          {"gb_per_second", profile.cycle.visits == 1 && profile.cycle_seconds > 0.0
                                ? nlohmann::ordered_json(1e-9 * points * multigrid::cycle_bytes(profile.cycle.sweeps) /
                                                         profile.cycle_seconds)
                                : nlohmann::ordered_json(nullptr)},
          {"paper", {{"cycles_to_single", paper_cycles}, {"sweeps_per_cycle", paper_sweeps}}}};
}

void print_multigrid(const Profile& profile, const std::string& device) {
  print_text("multigrid, Poisson problem on {} x {} x {} nodes, {}: f32 {}-cycles with {} {} sweeps, f64 residuals\n",
             profile.grid[0], profile.grid[1], profile.grid[2], device, profile.cycle.visits == 1 ? "V" : "W",
             profile.cycle.sweeps, profile.cycle.smoother == multigrid::Smoother::jacobi ? "Jacobi" : "Chebyshev");
  for (std::size_t i = 0; i < profile.residuals.size(); ++i)
    print_text("  after {:>2} cycles: residual {:.2e}\n", i, profile.residuals[i]);
  print_text("  {:<34} {:>10} {:>22}\n", "", "here", "Krotkiewski, Dabrowski");
  print_text("  {:<34} {:>10} {:>22}\n", "cycles to single precision",
             profile.cycles_to_single() > 0 ? std::to_string(profile.cycles_to_single()) : "not reached",
             fmt::format("{} to {}", paper_cycles[0], paper_cycles[1]));
  print_text("  {:<34} {:>10.2f} {:>22}\n", "a cycle, in stencil computations", profile.sweeps_per_cycle(),
             fmt::format("{} to {}", paper_sweeps[0], paper_sweeps[1]));
  print_text("  a cycle {:.4g} ms, a stencil computation {:.4g} ms, the triad {:.4g} ms\n", 1e3 * profile.cycle_seconds,
             1e3 * profile.sweep_seconds, 1e3 * profile.triad_seconds);
}

}  // namespace

void profile_multigrid(const ProfileCommand& command) {
  if (!command.scene.empty() || !command.stencils.empty() || !command.kernels.empty() || command.counters ||
      command.retune)
    throw Error(Status::scene, "--multigrid takes no scene, stencil or kernel",
                "of the options of profile it has --grid, --device, --repeats, --threads and --json");
  if (command.precision == "f64")
    throw Error(Status::scene, "--multigrid is f32 with residuals in f64", "leave --precision out");
  if (!command.json_file.empty()) check_profile_options(command);
  const std::array<int, 3> grid = command.grid.empty() ? default_grid : parse_grid(command.grid);
  require_grid(grid);
  multigrid::Cycle cycle;
  cycle.visits = command.multigrid == "W" ? 2 : 1;
  cycle.smoother = command.smoother == "jacobi" ? multigrid::Smoother::jacobi : multigrid::Smoother::chebyshev;
  cycle.sweeps = command.sweeps;
  std::string device = "cpu";
  Profile profile;
  if (const auto gpu = parse_device(command.device)) {
    device = fmt::format("cuda:{}", *gpu);
    profile = profile_multigrid_on_gpu(*gpu, grid, cycle, command.settings.repeats);
  } else {
    const double bytes = multigrid::BoxPoisson::bytes(grid), there = static_cast<double>(available_memory());
    if (bytes > there)
      throw Error(
          Status::resource,
          fmt::format("--grid: multigrid on it takes {}, and {} are free", human_bytes(bytes), human_bytes(there)),
          "use a smaller grid");
    profile = multigrid::profile_on_cpu(grid, cycle, command.settings.repeats);
  }
  if (command.json)
    put_json(command, multigrid_json(profile, device));
  else
    print_multigrid(profile, device);
}

}  // namespace fdtd::cli

// fdtd profile --multigrid: cycles and their time for the Poisson problem on a box, beside those of the literature.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "base/error.hpp"
#include "cli/option_values.hpp"
#include "cli/study/profile_options.hpp"
#include "cli/terminal/say.hpp"
#include "engine/devices/masked_solver.hpp"
#include "engine/multigrid/box_levels.hpp"
#include "engine/multigrid/box_poisson.hpp"
#include "engine/multigrid/mask_profile.hpp"
#include "engine/multigrid/profile.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/version.hpp"

namespace fdtd::cli {
namespace {

using multigrid::Profile;

// M. Krotkiewski, M. Dabrowski, "Efficient 3D stencil computations using CUDA", Parallel Computing 39, 2013, section 8:
// Jacobi smoothing in f32 on 27-point kernels.
constexpr std::array<int, 2> paper_cycles = {6, 7}, paper_sweeps = {10, 12};

constexpr std::array<int, 3> default_multigrid = {255, 255, 255};
constexpr std::array<int, 3> default_cells = {100, 100, 100};  // of a mask

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

nlohmann::ordered_json mask_json(const multigrid::MaskProfile& profile, const multigrid::Cycle& cycle,
                                 const std::string& device) {
  return {{"device", device},
          {"version", version_line()},
          {"mask", profile.mask},
          {"cells", profile.cells},
          {"nodes", profile.nodes},
          {"further_nodes", profile.further_nodes},
          {"levels", profile.levels},
          {"visits", cycle.visits},
          {"sweeps", cycle.sweeps},
          {"smoother", cycle.smoother == multigrid::Smoother::jacobi ? "jacobi" : "chebyshev"},
          {"iterations", profile.solution.iterations},
          {"converged", profile.solution.converged},
          {"residual", profile.solution.residual},
          {"convergence_factor", profile.solution.convergence_factor},
          {"levels_seconds", profile.levels_seconds},
          {"ready_seconds", profile.ready_seconds},
          {"solution_seconds", profile.solution_seconds}};
}

void print_mask(const multigrid::MaskProfile& profile, const multigrid::Cycle& cycle, const std::string& device) {
  print_text(
      "multigrid, mask \"{}\" of {} x {} x {} cells, {} nodes, {} levels with {} further nodes, {}: conjugate "
      "gradients\nwith f32 {}-cycles of {} {} sweeps, f64 residuals\n",
      profile.mask, profile.cells[0], profile.cells[1], profile.cells[2], profile.nodes, profile.levels,
      profile.further_nodes, device, cycle.visits == 1 ? "V" : "W", cycle.sweeps,
      cycle.smoother == multigrid::Smoother::jacobi ? "Jacobi" : "Chebyshev");
  print_text("  {} after {} iterations: residual {:.2e}, times {:.3f} each\n",
             profile.solution.converged ? "converged" : "not converged", profile.solution.iterations,
             profile.solution.residual, profile.solution.convergence_factor);
  print_text(
      "  the levels {:.4g} ms, the solver {:.4g} ms, a solution {:.4g} ms, {:.3g} ns a node and iteration\n",
      1e3 * profile.levels_seconds, 1e3 * profile.ready_seconds, 1e3 * profile.solution_seconds,
      1e9 * profile.solution_seconds / static_cast<double>(profile.nodes) / std::max(1, profile.solution.iterations));
}

void profile_mask(const ProfileCommand& command, const multigrid::Cycle& cycle) {
  const std::array<int, 3> cells = command.grid.empty() ? default_cells : parse_grid(command.grid);
  const double bytes = multigrid::mask_bytes(cells), there = static_cast<double>(available_memory());
  if (bytes > there)
    throw Error(Status::resource,
                fmt::format("--grid: a mask of so many cells takes {}, and {} are free", human_bytes(bytes),
                            human_bytes(there)),
                "use a smaller grid");
  Target target;
  if (const auto gpu = parse_device(command.device)) target = gpu_target(*gpu);
  const multigrid::MaskProfile profile =
      multigrid::profile_mask(command.mask, cells, masked_solver_on(target, cycle), command.settings.repeats);
  if (command.json)
    put_json(command, mask_json(profile, cycle, target.text()));
  else
    print_mask(profile, cycle, target.text());
}

}  // namespace

void profile_multigrid(const ProfileCommand& command) {
  if (!command.scene.empty() || !command.stencils.empty() || !command.kernels.empty() || command.counters ||
      command.retune)
    throw Error(
        Status::scene, "--multigrid takes no scene, stencil or kernel",
        "of the options of profile it has --grid, --device, --repeats, --threads and --json, and --mask of its own");
  if (command.precision == "f64")
    throw Error(Status::scene, "--multigrid is f32 with residuals in f64", "leave --precision out");
  if (!command.json_file.empty()) check_profile_options(command);
  multigrid::Cycle cycle;
  cycle.visits = command.multigrid == "W" ? 2 : 1;
  cycle.smoother = command.smoother == "jacobi" ? multigrid::Smoother::jacobi : multigrid::Smoother::chebyshev;
  cycle.sweeps = command.sweeps;
  if (!command.mask.empty()) return profile_mask(command, cycle);
  const std::array<int, 3> grid = command.grid.empty() ? default_multigrid : parse_grid(command.grid);
  require_grid(grid);
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

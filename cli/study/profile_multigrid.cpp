// fdtd profile --multigrid: cycles and their time for the Poisson problem on a box, beside those of the literature.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "base/error.hpp"
#include "cli/documents.hpp"
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

const JsonFields<multigrid::Cycle>& cycle_fields() {
  using Cycle = multigrid::Cycle;
  static const auto fields =
      JsonFields<Cycle>()
          .value("visits", "", "Of the next coarser level: 1, a V-cycle; 2, a W-cycle.", &Cycle::visits)
          .value("sweeps", "", "Smoothing sweeps before and after each visit.", &Cycle::sweeps)
          .value("smoother", "", "`chebyshev` or `jacobi`.", [](const Cycle& cycle) {
            return cycle.smoother == multigrid::Smoother::jacobi ? "jacobi" : "chebyshev";
          });
  return fields;
}

std::optional<int> cycles_of(const Profile& profile) {
  const int cycles = profile.cycles_to_single();
  return cycles > 0 ? std::optional(cycles) : std::nullopt;
}

std::optional<double> traffic_of(const Profile& profile) {
  if (profile.cycle.visits != 1 || !(profile.cycle_seconds > 0.0)) return std::nullopt;
  const auto points = static_cast<double>(profile.grid[0]) * profile.grid[1] * profile.grid[2];
  return 1e-9 * points * multigrid::cycle_bytes(profile.cycle.sweeps) / profile.cycle_seconds;
}

const JsonFields<Profile>& literature_fields() {
  static const auto fields =
      JsonFields<Profile>()
          .value("cycles_to_single", "", "Cycles to single precision.", [](const Profile&) { return paper_cycles; })
          .value("sweeps_per_cycle", "", "A cycle in fine-grid stencil computations.",
                 [](const Profile&) { return paper_sweeps; });
  return fields;
}

const JsonFields<Profile>& cycles_fields() {
  static const auto fields =
      JsonFields<Profile>()
          .value("version", "", "Version of the program.", [](const Profile&) { return std::string(version_line()); })
          .value("grid", "", "Nodes inside the box along x, y and z.", &Profile::grid)
          .include(cycle_fields(), &Profile::cycle)
          .value("residuals", "", "|b - A u| / |b| after 0, 1, 2, ... cycles, in f64.", &Profile::residuals)
          .value("cycles_to_single", "",
                 "Cycles until the residual is below 6e-8, half a unit in the last place of f32; null: not within 30.",
                 cycles_of)
          .value("convergence_factor", "", "Of the residual, the geometric mean of those cycles.",
                 &Profile::convergence_factor)
          .value("cycle_seconds", "s", "A cycle with its residual and correction in f64, the median.",
                 &Profile::cycle_seconds)
          .value("sweep_seconds", "s", "One fine-grid stencil computation: u and b read, one array written.",
                 &Profile::sweep_seconds)
          .value("triad_seconds", "s", "The leapfrog triad on such arrays.", &Profile::triad_seconds)
          .value("sweeps_per_cycle", "", "The first over the second.", &Profile::sweeps_per_cycle)
          .value("bytes_per_node", "bytes", "Least memory traffic of a V-cycle for each node of the finest grid.",
                 [](const Profile& profile) { return multigrid::cycle_bytes(profile.cycle.sweeps); })
          .value("gb_per_second", "GB/s", "That traffic per second; null for W-cycles.", traffic_of)
          .object("paper", "The same figures of Krotkiewski and Dabrowski (2013), section 8: from, to.",
                  literature_fields(), std::identity());
  return fields;
}

struct ProfiledCycles {
  std::string device;
  const Profile* profile = nullptr;
};

const JsonFields<ProfiledCycles>& profiled_cycles_fields() {
  static const auto fields =
      JsonFields<ProfiledCycles>()
          .value("device", "", "`cpu` or `cuda:N`.", &ProfiledCycles::device)
          .include(cycles_fields(), [](const ProfiledCycles& of) -> const Profile& { return *of.profile; });
  return fields;
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

struct ProfiledMask {
  const multigrid::MaskProfile* profile = nullptr;
  multigrid::Cycle cycle;
  std::string device;
};

const JsonFields<multigrid::MaskProfile>& mask_fields() {
  using Mask = multigrid::MaskProfile;
  static const auto fields =
      JsonFields<Mask>()
          .value("mask", "", "`ball`, `rooms` or `random`.", &Mask::mask)
          .value("cells", "", "Cells along x, y and z, with those of walls.", &Mask::cells)
          .value("nodes", "", "Corners of cells of air: the unknowns.", &Mask::nodes)
          .value("further_nodes", "", "Of all coarser levels, beside the first one of each position.",
                 &Mask::further_nodes)
          .value("levels", "", "Grids, the finest included.", &Mask::levels);
  return fields;
}

const JsonFields<multigrid::MaskProfile>& solution_fields() {
  using Mask = multigrid::MaskProfile;
  static const auto fields =
      JsonFields<Mask>()
          .value("iterations", "", "Of conjugate gradients, until the residual is 10⁻⁶, at most 100.",
                 [](const Mask& mask) { return mask.solution.iterations; })
          .value("converged", "", "Whether it is.", [](const Mask& mask) { return mask.solution.converged; })
          .value("residual", "", "|b - A u| / |b|, in f64.", [](const Mask& mask) { return mask.solution.residual; })
          .value("convergence_factor", "", "Of the residual, the geometric mean of the iterations.",
                 [](const Mask& mask) { return mask.solution.convergence_factor; })
          .value("levels_seconds", "s", "To make all levels, on the CPU.", &Mask::levels_seconds)
          .value("ready_seconds", "s", "To make the solver of them, and to set the diagonal.", &Mask::ready_seconds)
          .value("solution_seconds", "s", "A solution, the median; from host memory and back.",
                 &Mask::solution_seconds);
  return fields;
}

const JsonFields<ProfiledMask>& profiled_mask_fields() {
  const auto profile = [](const ProfiledMask& of) -> const multigrid::MaskProfile& { return *of.profile; };
  static const auto fields = JsonFields<ProfiledMask>()
                                 .value("device", "", "`cpu` or `cuda:N`.", &ProfiledMask::device)
                                 .value("version", "", "Version of the program.",
                                        [](const ProfiledMask&) { return std::string(version_line()); })
                                 .include(mask_fields(), profile)
                                 .include(cycle_fields(), &ProfiledMask::cycle)
                                 .include(solution_fields(), profile);
  return fields;
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
    put_json(command, profiled_mask_fields().write({&profile, cycle, target.text()}));
  else
    print_mask(profile, cycle, target.text());
}

}  // namespace

DocumentFields multigrid_document() { return profiled_cycles_fields().all(); }
DocumentFields mask_document() { return profiled_mask_fields().all(); }

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
    put_json(command, profiled_cycles_fields().write({device, &profile}));
  else
    print_multigrid(profile, device);
}

}  // namespace fdtd::cli

// fdtd profile: compute time per node (CTPN) of stencils or of a whole room, each with the triad timed in the same run.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/documents.hpp"
#include "cli/option_values.hpp"
#include "cli/study/profile_options.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/threads.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/multigrid/mask_profile.hpp"
#include "engine/profiling/profile.hpp"

namespace fdtd::cli {

void add_profile_options(CLI::App& app, ProfileOptions& options) {
  app.add_option("--device", options.device, "device to profile: cpu, cuda or cuda:N")->capture_default_str();
  app.add_option("--grid", options.grid, "grid size in nodes, as in 256x256x192");
  app.add_option("--precision", options.precision, "precision: f32 or f64")->check(CLI::IsMember({"f32", "f64"}));
  add_threads_option(app, options.settings.threads);
  app.add_option(
      "--kernel", options.kernels,
      "kernel; CPU: sliding_window, time_slice or rows, optionally with /AVX-512, /AVX2 or /baseline; GPU: a name from "
      "its table of kernels, or best; by default the fastest");
  app.add_option("--repeats", options.settings.repeats,
                 "number of timed pairs of stencil and triad; medians are reported")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--counters", options.counters, "GPU: measure memory traffic with Nsight Compute");
  app.add_flag("--retune", options.retune, "GPU: repeat the search for the best tiles");
  app.add_flag("--force", options.force, "replace the output file if it exists");
  // Without a file name it prints.
  app.add_option_function<std::string>(
         "--json",
         [&options](const std::string& file) {
           options.json = true;
           options.json_file = file;
         },
         "write one JSON document to this file, or print it when no file is named")
      ->expected(0, 1)
      ->trigger_on_parse();
}

void check_profile_options(const ProfileOptions& options) {
  const bool gpu = parse_device(options.device).has_value();
  if (gpu && options.settings.threads != 0)
    throw Error(Status::scene, "--threads applies to the CPU only", "leave it out, or use --device cpu");
  if (!gpu && (options.counters || options.retune))
    throw Error(Status::scene, fmt::format("{} applies to GPUs only", options.counters ? "--counters" : "--retune"),
                "add --device cuda, or leave it out");
  if (!gpu && options.kernels.size() > 1)
    throw Error(Status::scene, "on the CPU one run profiles one --kernel", "name one");
  if (!options.json_file.empty()) check_writable(options.json_file, options.force);
}

ProfileSettings settings_of(const ProfileOptions& options) {
  ProfileSettings settings = options.settings;
  settings.precision = options.precision == "f64" ? Precision::f64 : Precision::f32;
  if (!options.grid.empty()) settings.grid = parse_grid(options.grid);
  if (!options.kernels.empty()) settings.kernel = options.kernels.front();
  return settings;
}

void put_json(const ProfileOptions& options, const nlohmann::ordered_json& document) {
  if (options.json_file.empty())
    put_document(json_text(document, 2) + "\n");
  else
    write_whole_file(options.json_file, json_text(document, 1) + "\n", options.force);
}

double CpuProfiles::triad_ctpn_ns() const {
  double triad = 0.0;
  for (const KernelProfile& one : kernels) triad += one.triad_ctpn_ns / static_cast<double>(kernels.size());
  return triad;
}

double CpuProfiles::triad_gb_per_second() const {
  const double triad = triad_ctpn_ns();
  return triad > 0.0 ? kernels.back().declared_bytes / triad : 0.0;
}

namespace {

struct TimedKernel {
  const ProfileSettings* settings = nullptr;
  const KernelProfile* kernel = nullptr;
};

std::vector<TimedKernel> timed_kernels(const CpuProfiles& of) {
  std::vector<TimedKernel> list;
  for (const KernelProfile& one : of.kernels) list.push_back({&of.settings, &one});
  return list;
}

const JsonFields<TimedKernel>& timed_kernel_fields() {
  using Of = TimedKernel;
  static const auto fields =
      JsonFields<Of>()
          .value("stencil", "", "Name of the stencil.", [](const Of& of) { return of.kernel->stencil; })
          .value("kernel", "", "The kernel and its order of work.", [](const Of& of) { return of.kernel->kernel; })
          .value("precision", "", "`f32` or `f64`.", [](const Of& of) { return to_string(of.settings->precision); })
          .value("grid", "", "Number of grid points along x, y and z.", [](const Of& of) { return of.settings->grid; })
          .value("points", "", "Number of points of the stencil.", [](const Of& of) { return of.kernel->points; })
          .value("ctpn_ns", "ns", "Compute time per node, the median of all repeats.",
                 [](const Of& of) { return of.kernel->ctpn_ns; })
          .value("gpts_per_second", "10⁹/s", "Grid points updated per second.",
                 [](const Of& of) { return of.kernel->gpts_per_second(); })
          .value("triad_ctpn_ns", "ns", "The triad, timed in turn with this stencil.",
                 [](const Of& of) { return of.kernel->triad_ctpn_ns; })
          .value("eff", "", "Time of the triad / time of the stencil.", [](const Of& of) { return of.kernel->eff(); })
          .value("declared_bytes_per_point", "bytes", "Least memory traffic of a step: three values.",
                 [](const Of& of) { return of.kernel->declared_bytes; })
          .value("gb_per_second", "GB/s", "That traffic per second.",
                 [](const Of& of) { return of.kernel->gb_per_second(); });
  return fields;
}

const JsonFields<CpuProfiles>& mean_triad_fields() {
  static const auto fields =
      JsonFields<CpuProfiles>()
          .value("ctpn_ns", "ns", "Time per grid point, the mean over the stencils.", &CpuProfiles::triad_ctpn_ns)
          .value("gb_per_second", "GB/s", "Memory traffic of the triad.", &CpuProfiles::triad_gb_per_second);
  return fields;
}

}  // namespace

const JsonFields<CpuProfiles>& cpu_profile_fields() {
  using Of = CpuProfiles;
  static const auto fields =
      JsonFields<Of>()
          .value("device", "", "`cpu`.", [](const Of&) { return "cpu"; })
          .value("precision", "", "`f32` or `f64`.", [](const Of& of) { return to_string(of.settings.precision); })
          .value("grid", "", "Number of grid points along x, y and z.", [](const Of& of) { return of.settings.grid; })
          .object("triad", "The leapfrog triad u0 = 2 u1 - u0 of the same run: the reference for the speed of memory.",
                  mean_triad_fields(), std::identity())
          .list("results", "One element for each stencil.", timed_kernel_fields(), timed_kernels);
  return fields;
}

DocumentFields profile_document() { return cpu_profile_fields().all(); }

void print_profiles(const std::vector<KernelProfile>& profiles) {
  print_text("{:<18} {:>6} {:>10} {:>8} {:>8} {:>10} {:>6}  {}\n", "stencil", "points", "CTPN ns", "Gpts/s", "GB/s",
             "triad ns", "eff", "kernel");
  for (const KernelProfile& one : profiles)
    print_text("{:<18} {:>6} {:>10.4f} {:>8.3f} {:>8.1f} {:>10.4f} {:>6.2f}  {}\n", one.stencil, one.points,
               one.ctpn_ns, one.gpts_per_second(), one.gb_per_second(), one.triad_ctpn_ns, one.eff(), one.kernel);
}

namespace {

void profile_on_cpu(const ProfileCommand& command) {
  if (command.tiles != "best")
    throw Error(Status::scene, "--tiles applies to GPUs only", "add --device cuda, or leave it out");
  const ProfileSettings settings = settings_of(command);
  std::vector<KernelProfile> profiles;
  for (const std::string& name : command.stencils) profiles.push_back(profile_stencil(known_stencil(name), settings));
  if (command.json)
    put_json(command, cpu_profile_fields().write({settings, profiles}));
  else
    print_profiles(profiles);
}

}  // namespace

namespace {

void add_multigrid_options(CLI::App& app, ProfileCommand& command) {
  app.add_option("--multigrid", command.multigrid,
                 "profile multigrid instead, by V- or W-cycles, on the Poisson problem in a box of 2^k - 1 nodes along "
                 "each axis: cycles to single precision, and a cycle's time in fine-grid stencil computations")
      ->check(CLI::IsMember({"V", "W"}));
  app.add_option(
         "--mask", command.mask,
         "of --multigrid: conjugate gradients with such cycles on a mask of --grid cells instead of the box; "
         "ball: with a hole, parted by a wall of one cell with a door; rooms: four, with three doors; random: a "
         "third of the cells are wall")
      ->check(CLI::IsMember(std::vector<std::string>(multigrid::mask_names.begin(), multigrid::mask_names.end())));
  app.add_option("--smoother", command.smoother, "of --multigrid: chebyshev or jacobi")
      ->check(CLI::IsMember({"chebyshev", "jacobi"}))
      ->capture_default_str();
  app.add_option("--sweeps", command.sweeps, "of --multigrid: smoothing sweeps before and after each coarser level")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
}

// `multigrid_options`: options of --multigrid are given.
void run_profile(ProfileCommand& command, bool multigrid_options) {
  if (command.multigrid.empty() && multigrid_options)
    throw Error(Status::scene, "--smoother, --sweeps and --mask apply to --multigrid only",
                "add --multigrid V, or leave them out");
  if (!command.multigrid.empty()) {
    profile_multigrid(command);
    return;
  }
  if (!command.scene.empty()) {
    profile_scene(command);
    return;
  }
  if (!command.overrides.empty() || command.allow_outside)
    throw Error(Status::scene, fmt::format("{} needs a scene", command.allow_outside ? "--allow-outside" : "--set"),
                "name the scene, or leave it out");
  check_profile_options(command);
  if (command.stencils.empty()) command.stencils = {"leggy-1", "leggy-2", "leggy-3", "leggy-4", "compact-3", "box-222"};
  for (const std::string& name : command.stencils) (void)known_stencil(name);
  if (const auto device = parse_device(command.device))
    profile_on_gpu(command, *device);
  else
    profile_on_cpu(command);
}

}  // namespace

void add_profile(CLI::App& app, int& status) {
  auto command = std::make_shared<ProfileCommand>();
  app.add_option(
      "scene", command->scene,
      "scene file: profile its whole step, with walls and receivers, and the bare kernel; without it, bare kernels");
  app.add_option("--set", command->overrides, "replace a key of the scene: KEY=VALUE, as for `fdtd run`");
  app.add_flag("--allow-outside", command->allow_outside, "allow the scene to name files outside its folder");
  app.add_option("--stencil", command->stencils,
                 "stencil to profile, repeatable; by default leggy-1 to leggy-4, compact-3 and box-222");
  app.add_option("--tiles", command->tiles,
                 "GPU: all times every valid tile and reports the model's prediction beside each")
      ->check(CLI::IsMember({"best", "all"}))
      ->capture_default_str();
  add_multigrid_options(app, *command);
  // For cli/study/counters.cpp, which starts this program under Nsight Compute; not for users.
  app.add_option("--counted", command->counted)->group("");
  add_profile_options(app, *command);
  app.callback([command, &app, &status] {
    command->device_given = app.count("--device") > 0;
    command->settings.threads = take_threads(command->settings.threads);
    run_profile(*command, app.count("--smoother") + app.count("--sweeps") + app.count("--mask") > 0);
    status = 0;
  });
}

}  // namespace fdtd::cli

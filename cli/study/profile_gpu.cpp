// fdtd profile --device cuda: every kernel that is requested, beside the roofs of the same run on the same arrays.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "cli/option_values.hpp"
#include "cli/study/counters.hpp"
#include "cli/study/gpu_documents.hpp"
#include "cli/study/profile_options.hpp"
#include "cli/terminal/say.hpp"
#include "engine/devices/gpu_code.hpp"
#include "engine/studies/kernel_study.hpp"

namespace fdtd::cli {
namespace {

using study::GpuProfile;

constexpr std::array<int, 3> default_grid = {640, 512, 512};  // 168 million nodes: far past L2

void print_head() {
  print_text("{:<16} {:>6} {:>4} {:<16} {:>9} {:>6} {:>8} {:>7} {:>9} {:>5} {:>5} {:>5} {:>7} {:>5}  {}\n", "stencil",
             "points", "", "kernel", "CTPN ns", "+-%", "Gpts/s", "GB/s", "triad ns", "eff", "regs", "spill", "shared",
             "occ", "tile");
}

void print_profile(const GpuProfile& p) {
  if (!p.error.empty()) {
    print_text("{:<16} {:>6} {:>4} {:<16} failed: {}\n", p.stencil, p.points, to_string(p.precision), p.kernel,
               p.error);
    return;
  }
  print_text(
      "{:<16} {:>6} {:>4} {:<16} {:>9.5f} {:>6.1f} {:>8.2f} {:>7.0f} {:>9.5f} {:>5.2f} {:>5} {:>5} {:>7} {:>5.2f}  {} "
      "({})\n",
      p.stencil, p.points, to_string(p.precision), p.kernel, p.ctpn.median_ns, 50.0 * p.ctpn.spread,
      p.gpts_per_second(), p.gb_per_second(), p.triad.median_ns, p.eff(), p.resources.registers,
      p.resources.local_bytes, p.resources.shared_bytes, p.occupancy, to_string(p.tile), p.tile_from);
}

void print_roofs(const study::RoofTimes& roofs, std::size_t value_bytes) {
  const auto value = static_cast<double>(value_bytes);
  const auto print = [&](const char* name, const study::Spread& roof, double values) {
    print_text("  {:<10} {:>9.5f} ns +-{:.1f} % {:>7.0f} GB/s\n", name, roof.median_ns, 50.0 * roof.spread,
               values * value / roof.median_ns);
  };
  print("triad", roofs.triad, 3.0);
  print("copy", roofs.copy, 2.0);
  print("copy_halo", roofs.copy_halo, 2.0);
}

// All tiles by time, each beside what the model says of it.
void print_tiles(const GpuProfile& p) {
  auto tiles = p.tiles;
  std::stable_sort(tiles.begin(), tiles.end(), [](const auto& a, const auto& b) { return a.ctpn_ns < b.ctpn_ns; });
  print_text("  {:<32} {:>9} {:>9} {:>9} {:>9} {:>6} {:>5} {:>7} {:>5}  {}\n", "tile", "CTPN ns", "cost", "sectors",
             "conflicts", "blocks", "occ", "threads", "wave", "predicted");
  for (const study::TimedLaunch& one : tiles)
    print_text("  {:<32} {:>9.5f} {:>9.3f} {:>9.3f} {:>9.2f} {:>6} {:>5.2f} {:>7.2f} {:>5.2f}  {}\n",
               to_string(one.tile), one.ctpn_ns, one.cost, one.transactions, one.conflicts, one.active_blocks,
               one.occupancy, one.thread_efficiency, one.wave_efficiency, one.predicted ? "yes" : "no");
  const auto score = study::score_of(p.tiles);
  if (!score) return;
  print_text(
      "  the fastest of {} tiles is {}in the predicted set of {}, whose fastest takes {:.1f} % longer; "
      "the model's first: {:.1f} %\n",
      score->tiles, score->best_predicted ? "" : "not ", score->predicted, 100.0 * score->loss_of_set,
      100.0 * score->loss_of_first);
}

void print_counters(const std::vector<GpuProfile>& profiles) {
  print_text(
      "\nbytes and instructions a point as counted by Nsight Compute, bytes as the kernel and the footprint model say; "
      "and "
      "what part\nof the cycles issues an instruction, or makes a pass of shared memory\n");
  print_text("{:<16} {:<16} {:>9} {:>9} {:>9} {:>9} {:>8} {:>9} {:>7} {:>8} {:>7} {:>9} {:>7} {:>6} {:>6}\n", "stencil",
             "kernel", "DRAM read", "written", "effective", "footprint", "L2", "declared", "L2 hit", "L1", "L1 hit",
             "conflicts", "instr.", "issue", "shared");
  for (const GpuProfile& p : profiles) {
    if (!p.counters) continue;
    const study::Counters& c = *p.counters;
    print_text(
        "{:<16} {:<16} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>8.2f} {:>9.2f} {:>7.2f} {:>8.1f} {:>7.2f} {:>9.3f} "
        "{:>7.1f} {:>6.2f} {:>6.2f}\n",
        p.stencil, p.kernel, c.dram_read_bytes, c.dram_written_bytes, c.effective_bytes(), p.footprint_bytes,
        c.l2_bytes, p.l2_bytes, c.l2_hit_rate, c.l1_bytes, c.l1_hit_rate, c.shared_conflicts, c.instructions,
        c.issue_use, c.shared_use);
  }
}

// The kernels to profile for this job: one that is chosen, those that are named, or all that take it.
std::vector<std::string> kernels_for(const ProfileCommand& command, const study::KernelStudy& bench) {
  if (command.kernels.empty()) return {""};
  std::vector<std::string> names;
  for (const std::string& name : command.kernels) {
    if (name != "all") {
      names.push_back(name);
      continue;
    }
    for (const std::string& kernel : bench.kernels())
      if (bench.takes(kernel)) names.push_back(kernel);
  }
  return names;
}

std::vector<GpuProfile> profile_all(const ProfileCommand& command, study::KernelStudy& bench) {
  const Precision precision = command.precision == "f64" ? Precision::f64 : Precision::f32;
  const auto grid = command.grid.empty() ? default_grid : parse_grid(command.grid);
  study::KernelSettings settings;
  settings.repeats = command.settings.repeats;
  settings.all_tiles = command.tiles == "all";
  settings.retune = command.retune;
  std::int64_t bytes = 0;
  for (const std::string& name : command.stencils)
    bytes = std::max(bytes, bench.array_bytes(study::on_cubes(known_stencil(name)), precision, grid));
  bench.reserve(bytes);
  std::vector<GpuProfile> profiles;
  if (!command.json) print_head();
  for (const std::string& name : command.stencils) {
    const Stencil& stencil = known_stencil(name);
    bench.begin(stencil.name, study::on_cubes(stencil), precision, grid);
    std::optional<study::RoofTimes> roofs;
    for (const std::string& kernel : kernels_for(command, bench)) {
      settings.kernel = kernel;
      // A requested kernel is one of several: its failure does not end the profile of the others.
      profiles.push_back(kernel.empty() ? bench.profile(settings) : bench.profile_or_error(settings));
      GpuProfile& made = profiles.back();
      if (!command.json) print_profile(made);
      if (!made.error.empty()) continue;
      if (!roofs) roofs = bench.roofs(settings);
      made.roofs = roofs;
      if (!command.json && settings.all_tiles) print_tiles(made);
    }
    if (!command.json && roofs) print_roofs(*roofs, precision == Precision::f32 ? sizeof(float) : sizeof(double));
  }
  return profiles;
}

}  // namespace

void profile_on_gpu(const ProfileCommand& command, int device) {
  if (!command.counted.empty()) {
    run_counted(command.counted, device);
    return;
  }
  const auto bench = gpu_code().kernel_study(device);
  std::filesystem::path ncu;
  if (command.counters) ncu = find_ncu();
  const bool reported = !bench->remark().empty();
  if (reported) say("fdtd: {}\n", bench->remark());
  auto profiles = profile_all(command, *bench);
  if (!reported && !bench->remark().empty()) say("fdtd: {}\n", bench->remark());
  if (command.counters) {
    bench->release();
    std::vector<GpuProfile*> counted;
    for (GpuProfile& profile : profiles)
      if (profile.error.empty()) counted.push_back(&profile);
    count_traffic(ncu, device, counted);
    if (!command.json) print_counters(profiles);
  }
  const auto failed =
      std::count_if(profiles.begin(), profiles.end(), [](const auto& one) { return !one.error.empty(); });
  if (command.json) put_json(command, gpu_profile_json({bench->device_name(), bench->driver(), device}, profiles));
  if (failed > 0)
    throw Error(Status::resource, fmt::format("{} of {} profiles failed", failed, profiles.size()),
                "their rows give the reason");
}

multigrid::Profile profile_multigrid_on_gpu(int device, const std::array<int, 3>& grid, const multigrid::Cycle& cycle,
                                            int repeats) {
  return gpu_code().profile_multigrid(device, grid, cycle, repeats);
}

}  // namespace fdtd::cli

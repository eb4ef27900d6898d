// fdtd bench --device cuda: the study of B. Hamilton, C. J. Webb, A. Gray, S. Bilbao, "Large stencil operations for
// GPU-based 3-D acoustics simulations", DAFx-15, made again: the first twenty members of each family, in both
// precisions, on the medium and the large grid, by the paper's two kernels and by the best one, each beside the roof of
// the same run; and the kernels of earlier papers on their own stencils.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "cli/option_values.hpp"
#include "cli/study/bench_figures.hpp"
#include "cli/study/costs.hpp"
#include "cli/study/counters.hpp"
#include "cli/study/families.hpp"
#include "cli/study/gpu_documents.hpp"
#include "cli/study/profile_options.hpp"
#include "cli/terminal/say.hpp"
#include "engine/devices/gpu_code.hpp"
#include "engine/devices/target.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/studies/kernel_study.hpp"
#include "engine/studies/literature.hpp"
#include "engine/system/stopwatch.hpp"

namespace fdtd::cli {
namespace {

using study::GpuProfile;

// Of the paper's own sizes; the first is the one that figures 8 and 9 and the costs are of.
std::vector<GpuCase> cases_of(const BenchCommand& command) {
  const std::vector<GpuCase> all = {{Precision::f32, {928, 800, 750}, {}, {}},
                                    {Precision::f32, {720, 640, 560}, {}, {}},
                                    {Precision::f64, {672, 660, 600}, {}, {}},
                                    {Precision::f64, {640, 480, 420}, {}, {}}};
  std::vector<GpuCase> chosen;
  for (const GpuCase& one : all)
    if (command.precision.empty() || command.precision == to_string(one.precision)) chosen.push_back(one);
  if (command.grid.empty()) return chosen;
  // One grid for each precision that is requested.
  std::vector<GpuCase> own;
  for (const GpuCase& one : chosen)
    if (own.empty() || own.back().precision != one.precision)
      own.push_back({one.precision, parse_grid(command.grid), {}, {}});
  return own;
}

study::KernelSettings settings_for(const BenchCommand& command, const std::string& kernel) {
  study::KernelSettings settings;
  settings.repeats = command.settings.repeats;
  settings.batch_seconds = 0.006;
  settings.retune = command.retune;
  settings.kernel = kernel;
  return settings;
}

GpuMember measure(const BenchCommand& command, const Stencil& stencil, const GpuCase& one, study::KernelStudy& bench) {
  bench.begin(stencil.name, study::on_cubes(stencil), one.precision, one.grid);
  GpuMember member;
  member.best = bench.profile(settings_for(command, command.kernels.empty() ? "" : command.kernels.front()));
  for (const auto& [name, place] : {std::pair{"kernel_a", &member.kernel_a}, {"kernel_b", &member.kernel_b}}) {
    if (!bench.takes(name)) continue;
    auto settings = settings_for(command, name);
    settings.tuned = false;  // they keep the paper's blocks of 32 x 4 x 2 threads
    *place = bench.profile(settings);
  }
  return member;
}

// Each kernel of the literature with its best tile, on the stencils of its paper. Radius 1 has the roofs of the run as
// well, for Krotkiewski & Dabrowski compare their kernels with a copy that reads the halo.
void measure_literature(const BenchCommand& command, GpuCase& one, study::KernelStudy& bench) {
  for (const study::LiteratureKernel& paper : study::literature_kernels())
    for (const std::string& stencil : paper.stencils) {
      const GridStencil weights = study::literature_stencil(stencil);
      bench.begin(stencil, weights, one.precision, one.grid);
      const auto settings = settings_for(command, paper.kernel);
      one.literature.push_back({paper.paper, 2 * weights.radius, bench.profile_or_error(settings), paper.other_values});
      GpuProfile& made = one.literature.back().profile;
      if (made.error.empty() && weights.radius == 1) made.roofs = bench.roofs(settings);
      say("{} {}x{}x{} {} {}: {}\n", to_string(one.precision), one.grid[0], one.grid[1], one.grid[2], made.kernel,
          stencil,
          made.error.empty() ? fmt::format("{:.5f} ns, eff {:.2f}", made.ctpn.median_ns, made.eff())
                             : "failed: " + made.error);
    }
}

// The families' costs follow from CTPN as such, whatever the device.
KernelProfile plain(const GpuProfile& p) {
  return {p.stencil, p.kernel, p.points, p.ctpn.median_ns, p.triad.median_ns, p.declared_bytes};
}

std::int64_t largest_array(const std::vector<FamilyProfile>& list, const std::vector<GpuCase>& cases, bool literature,
                           const study::KernelStudy& bench) {
  std::int64_t bytes = 0;
  for (const GpuCase& one : cases)
    for (const FamilyProfile& family : list)
      for (const Member& member : family.members)
        bytes = std::max(bytes, bench.array_bytes(study::on_cubes(*member.variants.front()), one.precision, one.grid));
  if (literature)
    for (const GpuCase& one : cases)
      bytes = std::max(bytes, bench.array_bytes(study::literature_stencil("leggy-20"), one.precision, one.grid));
  return bytes;
}

void run_case(const BenchCommand& command, std::vector<FamilyProfile>& list, GpuCase& one, bool first,
              study::KernelStudy& bench) {
  for (FamilyProfile& family : list)
    for (Member& member : family.members) {
      one.members.push_back(measure(command, *member.variants.front(), one, bench));
      GpuMember& made = one.members.back();
      made.family = family.name;
      if (first) member.profile = plain(made.best);
      say("{} {}x{}x{} {}: {:.5f} ns, eff {:.2f}, {} {}\n", to_string(one.precision), one.grid[0], one.grid[1],
          one.grid[2], made.best.stencil, made.best.ctpn.median_ns, made.best.eff(), made.best.kernel,
          to_string(made.best.tile));
    }
}

void count_case(GpuCase& one, const std::filesystem::path& ncu, int device) {
  std::vector<GpuProfile*> profiles;
  for (GpuMember& member : one.members) {
    profiles.push_back(&member.best);
    if (member.kernel_a) profiles.push_back(&*member.kernel_a);
    if (member.kernel_b) profiles.push_back(&*member.kernel_b);
  }
  for (study::LiteratureProfile& paper : one.literature)
    if (paper.profile.error.empty()) profiles.push_back(&paper.profile);
  count_traffic(ncu, device, profiles);
}

std::vector<StudiedKernel> kernels_of(const std::vector<GpuCase>& cases) {
  std::vector<StudiedKernel> list;
  for (const GpuCase& one : cases) {
    for (const GpuMember& member : one.members) {
      list.push_back({member.family, "best", &member.best, nullptr});
      if (member.kernel_a) list.push_back({member.family, "kernel_a", &*member.kernel_a, nullptr});
      if (member.kernel_b) list.push_back({member.family, "kernel_b", &*member.kernel_b, nullptr});
    }
    for (const study::LiteratureProfile& paper : one.literature)
      list.push_back({"literature", "literature", &paper.profile, &paper});
  }
  return list;
}

void print_cases(const std::vector<GpuCase>& cases) {
  const auto rate = [](const std::optional<GpuProfile>& profile) {
    return profile ? fmt::format("{:.2f}", profile->gpts_per_second()) : std::string("-");
  };
  for (const GpuCase& one : cases) {
    if (one.members.empty()) continue;
    print_text("{}, {} x {} x {}: Gpts/s\n{:<14} {:>6} {:>9} {:>9} {:>9} {:>9} {:>5}  {}\n", to_string(one.precision),
               one.grid[0], one.grid[1], one.grid[2], "stencil", "points", "KernelA", "KernelB", "best", "triad", "eff",
               "kernel and tile");
    for (const GpuMember& member : one.members) {
      const GpuProfile& best = member.best;
      print_text("{:<14} {:>6} {:>9} {:>9} {:>9.2f} {:>9.2f} {:>5.2f}  {} {}\n",
                 best.stencil.substr(0, best.stencil.find('/')), best.points, rate(member.kernel_a),
                 rate(member.kernel_b), best.gpts_per_second(), 1.0 / best.triad.median_ns, best.eff(), best.kernel,
                 to_string(best.tile));
    }
    print_text("\n");
  }
}

void print_literature(const std::vector<GpuCase>& cases) {
  for (const GpuCase& one : cases) {
    if (one.literature.empty()) continue;
    print_text("kernels of the literature, {}, {} x {} x {}; reads of u1 a point, bytes a point from and to DRAM\n",
               to_string(one.precision), one.grid[0], one.grid[1], one.grid[2]);
    const Table table = literature_table(one);
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < table.head.size(); ++i) {
      widths.push_back(table.head[i].size());
      for (const auto& row : table.rows) widths[i] = std::max(widths[i], row[i].size());
    }
    const auto print = [&](const std::vector<std::string>& row) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
      print_text("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
    };
    print(table.head);
    for (const auto& row : table.rows) print(row);
    print_text("\n");
  }
}

}  // namespace

void bench_on_gpu(const BenchCommand& command, int device) {
  const Stopwatch since_start;
  const Scene room = cost_scene(command);
  const auto bench = gpu_code().kernel_study(device);
  std::filesystem::path ncu;
  if (command.counters) ncu = find_ncu();
  std::vector<GpuCase> cases = cases_of(command);
  std::vector<std::string> names = command.families;
  const bool literature = std::erase(names, "literature") > 0;
  std::vector<FamilyProfile> list = families(names, command.count);
  if (!bench->remark().empty()) say("fdtd: {}\n", bench->remark());
  bench->reserve(largest_array(list, cases, literature, *bench));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    run_case(command, list, cases[i], i == 0, *bench);
    // On the first grid of each precision.
    if (literature && (i == 0 || cases[i - 1].precision != cases[i].precision))
      measure_literature(command, cases[i], *bench);
  }
  bench->release();
  if (command.counters) count_case(cases.front(), ncu, device);
  Target target;
  target.gpu = device;
  const Precision precision = cases.empty() ? Precision::f32 : cases.front().precision;
  const CostTable table = costs(list, command.errors, room, {device_class(target), precision});
  const double seconds = since_start.seconds();
  say("{:.0f} s in all\n", seconds);
  if (!command.file.empty())
    write_whole_file(command.file, gpu_study(cases, list, table, bench->device_name()), command.force);
  if (!command.json) {
    print_cases(cases);
    print_literature(cases);
    if (!list.empty()) print_costs(table);
    return;
  }
  const MeasuredGpu gpu{bench->device_name(), bench->driver(), device};
  put_json(command, gpu_bench_json({gpu, std::round(seconds), kernels_of(cases), &list, &table}));
}

}  // namespace fdtd::cli

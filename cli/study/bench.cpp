// fdtd bench: CTPN against the number of points by family (figure 7 of Hamilton, Webb, Gray, Bilbao, DAFx-15), and
// beyond it: what a given accuracy costs in a room, in seconds of computing for a second of sound.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/documents.hpp"
#include "cli/option_values.hpp"
#include "cli/study/costs.hpp"
#include "cli/study/families.hpp"
#include "cli/study/profile_options.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/threads.hpp"
#include "engine/devices/target.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/profiling/profile.hpp"
#include "engine/reports/page.hpp"
#include "engine/reports/plot.hpp"
#include "engine/system/machine.hpp"

namespace fdtd::cli {
namespace {

Plot ctpn_plot(const std::vector<FamilyProfile>& list, const ProfileSettings& settings) {
  Plot plot{fmt::format("CTPN against points, {}, {} x {} x {}", to_string(settings.precision), settings.grid[0],
                        settings.grid[1], settings.grid[2]),
            {"points K", true, 0.0, 0.0},
            {"CTPN, ns", true, 0.0, 0.0},
            {}};
  Series roof{"triad of the same run", {}, true, false, 7};
  for (const FamilyProfile& family : list) {
    Series series{family.name, {}, false, true, -1};
    for (const Member& member : family.members) {
      series.points.emplace_back(member.profile.points, member.profile.ctpn_ns);
      roof.points.emplace_back(member.profile.points, member.profile.triad_ctpn_ns);
    }
    plot.series.push_back(std::move(series));
  }
  std::stable_sort(roof.points.begin(), roof.points.end());
  plot.series.push_back(std::move(roof));
  return plot;
}

std::string document(const std::vector<FamilyProfile>& list, const ProfileSettings& settings, const CostTable& table) {
  Table measured{{"stencil", "points", "CTPN ns", "Gpts/s", "GB/s", "triad ns", "eff"}, {}};
  for (const FamilyProfile& family : list)
    for (const Member& member : family.members) {
      const KernelProfile& p = member.profile;
      measured.rows.push_back({member_name(*member.variants.front()), fmt::format("{}", p.points),
                               fmt::format("{:.4f}", p.ctpn_ns), fmt::format("{:.3f}", p.gpts_per_second()),
                               fmt::format("{:.1f}", p.gb_per_second()), fmt::format("{:.4f}", p.triad_ctpn_ns),
                               fmt::format("{:.2f}", p.eff())});
    }
  std::string body = fmt::format(
      "<p>{}; {}. CTPN: time of a step over the number of grid points, median of {} runs in turn with the leapfrog "
      "triad over the same arrays.</p>\n",
      escape_html(processor_name()), escape_html(vector_units()), settings.repeats);
  body += to_svg(ctpn_plot(list, settings)) + to_svg(cost_plot(table)) + cost_tables(table);
  return html_page("Stencil families compared", body + "<h2>Measured</h2>\n" + to_html(measured));
}

void print_tables(const std::vector<FamilyProfile>& list) {
  print_text("{:<12} {:>6} {:>10} {:>8} {:>10} {:>6}\n", "stencil", "points", "CTPN ns", "Gpts/s", "triad ns", "eff");
  for (const FamilyProfile& family : list)
    for (const Member& member : family.members) {
      const KernelProfile& p = member.profile;
      print_text("{:<12} {:>6} {:>10.4f} {:>8.3f} {:>10.4f} {:>6.2f}\n", member_name(*member.variants.front()),
                 p.points, p.ctpn_ns, p.gpts_per_second(), p.triad_ctpn_ns, p.eff());
    }
}

void bench_on_cpu(const BenchCommand& options) {
  const ProfileSettings settings = settings_of(options);
  const Scene room = cost_scene(options);
  std::vector<FamilyProfile> list = families(options.families, options.count);
  std::vector<KernelProfile> profiles;
  for (FamilyProfile& family : list)
    for (Member& member : family.members) {
      member.profile = profile_stencil(*member.variants.front(), settings);
      profiles.push_back(member.profile);
      say("{}: {:.4f} ns\n", member_name(*member.variants.front()), member.profile.ctpn_ns);
    }
  const CostTable table = costs(list, options.errors, room, {device_class(Target{}), settings.precision});
  if (!options.file.empty()) write_whole_file(options.file, document(list, settings, table), options.force);
  if (!options.json) {
    print_tables(list);
    print_costs(table);
    return;
  }
  nlohmann::ordered_json json = cpu_profile_fields().write({settings, profiles});
  cost_fields().write_into(json, table);
  put_json(options, json);
}

// The costs alone, from times that an earlier run measured, on whatever device.
void bench_measured(const BenchCommand& options) {
  const Scene room = cost_scene(options);
  std::vector<FamilyProfile> list = families(options.families, options.count);
  nlohmann::ordered_json json = take_times(options.times, list);
  const CostTable table = costs(list, options.errors, room, timed_on(json));
  if (!options.file.empty())
    write_whole_file(options.file,
                     html_page("Costs of stencil families", to_svg(cost_plot(table)) + cost_tables(table)),
                     options.force);
  if (options.json) {
    cost_fields().write_into(json, table);
    put_json(options, json);
  } else {
    print_costs(table);
  }
}

}  // namespace

DocumentFields bench_document() {
  DocumentFields list = cpu_profile_fields().all();
  cost_fields().describe("", "", false, list);
  return list;
}

void add_bench(CLI::App& app, int& status) {
  auto command = std::make_shared<BenchCommand>();
  app.add_option("--families", command->families,
                 "leggy, compact, box; and, on a GPU, literature: the kernels of earlier papers (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember({"leggy", "compact", "box", "literature"}));
  app.add_option("--count", command->count, "members of each family")->check(CLI::Range(1, 20))->capture_default_str();
  app.add_option("--error", command->errors, "dispersion errors to compare at")->delimiter(',')->capture_default_str();
  app.add_option("--scene", command->scene,
                 "scene whose room, limits and max_frequency the costs are of (default: a cube of 100 m3 with walls of "
                 "plasterboard, up to 1 kHz)");
  app.add_option("--set", command->overrides, "replace a key of the scene: a.b=value; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--allow-outside", command->allow_outside, "allow the scene to name files outside its folder");
  app.add_option("--times", command->times,
                 "compute the costs from the times in this document of an earlier `bench --json`, and measure "
                 "nothing; --json then prints that document with the new costs");
  app.add_option("-o,--output", command->file, "write plots and tables to this HTML file");
  add_profile_options(app, *command);
  app.callback([command, &status] {
    check_profile_options(*command);
    command->settings.threads = take_threads(command->settings.threads);
    check_errors(command->errors);
    if (command->kernels.size() > 1)
      throw Error(Status::scene, "bench sets one --kernel beside the paper's", "name one");
    if (!command->file.empty()) check_writable(command->file, command->force);
    const auto device = parse_device(command->device);
    if (!command->times.empty() && (device || !command->kernels.empty() || !command->grid.empty()))
      throw Error(Status::scene, "--times measures nothing: --device, --grid and --kernel do not apply",
                  "leave them out");
    const bool literature = std::count(command->families.begin(), command->families.end(), "literature") > 0;
    if (literature && !device)
      throw Error(Status::scene, "--families literature is of GPUs", "add --device cuda, or leave it out");
    if (command->families.empty()) {
      command->families = {"leggy", "compact", "box"};
      if (device) command->families.emplace_back("literature");
    }
    if (!command->times.empty())
      bench_measured(*command);
    else if (device)
      bench_on_gpu(*command, *device);
    else
      bench_on_cpu(*command);
    status = 0;
  });
}

}  // namespace fdtd::cli

#include "cli/study/costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "base/rounded_text.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/say.hpp"
#include "engine/planning/costs/wall_work.hpp"
#include "engine/profiling/stencil_cost.hpp"
#include "engine/reports/page.hpp"
#include "engine/session/scene_request.hpp"
#include "scenes/toml/parse.hpp"

namespace fdtd::cli {
namespace {

// A cube: grids of one spacing for all axes fit it as well as others.
constexpr const char* standard_text = R"(schema = 1
simulation = { duration = 1.0, max_frequency = 1000.0 }
room = { box = [4.6416, 4.6416, 4.6416], walls = { default = "plasterboard" } }
materials.plasterboard = { library = "plasterboard" }
[[source]]
name = "S"
position = [1.3, 1.7, 1.5]
[[receiver]]
name = "R"
position = [3.1, 2.9, 1.3]
)";

struct Job {
  const Stencil* stencil;
  double ctpn_ns;
};

// Of all jobs in one room.
struct Walls {
  WallWork work;
  DeviceClass device;
};

// One variant; its seconds are infinite where it does not reach the error.
Cost cost_of(const Scene& scene, const Job& job, const Walls& walls, SceneLimits& limits) {
  Cost cost;
  cost.stencil = job.stencil;
  cost.ctpn_ns = job.ctpn_ns;
  try {
    StencilCost all = stencil_cost(scene, *job.stencil, limits);
    cost.interior_seconds = 1e-9 * job.ctpn_ns * all.interior_updates;
    const double bare = 1e-9 * job.ctpn_ns * all.updates;
    const double cut = limits.cut_fraction(all.choice.grid_stencil, all.choice.grid.mean_spacing());
    cost.wall_seconds = bare * (walls.work.over_interior(*job.stencil, walls.device, all.choice.grid, cut) - 1.0);
    cost.seconds = bare + cost.wall_seconds;
    cost.usable = eligible(all);
    cost.limited_by = all.limited_by;
    cost.missed = std::move(all.missed);
  } catch (const Error& error) {
    if (error.status == Status::resource) throw;
  }
  return cost;
}

// Of all jobs at all errors, job by job: walls are known from one error to the next where the grid is the same.
std::vector<std::vector<Cost>> costs_of(const Scene& scene, const std::vector<Job>& jobs,
                                        const std::vector<double>& errors, const Walls& walls) {
  std::vector<std::vector<Cost>> made(jobs.size());
  ParallelFailure failure;
  CountProgress progress("limits of accuracy", "stencils", static_cast<std::int64_t>(jobs.size()));
#pragma omp parallel
  {
    Scene room = scene;
    SceneLimits limits(room);  // what it keeps is of one thread
#pragma omp for schedule(dynamic)
    for (std::size_t i = 0; i < jobs.size(); ++i)
      failure.guard([&] {
        for (const double error : errors) {
          room.simulation.dispersion_error = error;
          made[i].push_back(cost_of(room, jobs[i], walls, limits));
        }
        progress.add();
      });
  }
  progress.finish();
  failure.rethrow();
  return made;
}

void rank(std::vector<Cost>& list) {
  std::erase_if(list, [](const Cost& cost) { return !std::isfinite(cost.seconds); });
  std::ranges::stable_sort(
      list, [](const Cost& a, const Cost& b) { return a.usable != b.usable ? a.usable : a.seconds < b.seconds; });
}

std::string limit_text(const Cost& cost) {
  std::string text = cost.limited_by;
  for (const std::string& what : cost.missed) text += "; misses " + what;
  return text;
}

constexpr const char* count_of_limits =
    "Each stencil's grid is what all limits of its accuracy need, as plan prints them and auto counts them: the "
    "interior's dispersion, the absorption of walls within wall_error, sources and receivers, and the geometry of a "
    "mesh; the time that walls add to a step is counted by the program's table. Interior: the cost of the grid that "
    "the "
    "interior alone needs, without walls. A stencil that misses a limit keeps it on no "
    "grid up to 2.2 times as fine, and is ranked last.";

}  // namespace

Scene cost_scene(const BenchCommand& command) {
  if (command.scene.empty()) {
    if (!command.overrides.empty() || command.allow_outside)
      throw Error(Status::scene, "--set and --allow-outside need a scene", "add --scene FILE, or leave them out");
    return parse_scene(standard_text, "standard room").scene;
  }
  SceneRequest request;
  request.scene = command.scene;
  request.overrides = command.overrides;
  request.allow_outside = command.allow_outside;
  Scene scene = load(request);
  if (!scene.simulation.max_frequency)
    throw Error(Status::scene, "simulation.max_frequency: stencils are compared at one, and the scene has none",
                "set it instead of grid_spacing");
  return scene;
}

TimedOn timed_on(const nlohmann::ordered_json& document) {
  TimedOn on;
  const auto text = [](const nlohmann::ordered_json& of, const char* key) {
    return of.is_object() && of.contains(key) && of[key].is_string() ? of[key].get<std::string>() : std::string();
  };
  const bool gpu = text(document, "device").starts_with("cuda");
  if (gpu) on.device = DeviceClass::gpu_before_9_0;
  bool first = true;
  for (const auto& one : document["results"]) {
    const std::string kernel = text(one, "kernel");
    if (gpu && kernel.ends_with("_tma")) on.device = DeviceClass::gpu_9_0;
    if (!gpu && kernel.find("AVX2") != kernel.npos) on.device = DeviceClass::cpu_avx2;
    if (!gpu && kernel.find("AVX-512") != kernel.npos) on.device = DeviceClass::cpu_avx512;
    if (std::exchange(first, false) && text(one, "precision") == "f64") on.precision = Precision::f64;
  }
  return on;
}

CostTable costs(const std::vector<FamilyProfile>& list, const std::vector<double>& errors, const Scene& scene,
                const TimedOn& on) {
  Scene room = scene;
  room.simulation.duration = 1.0;
  room.simulation.precision = on.precision;
  const Walls walls{WallWork(room), on.device};
  room.sources.resize(std::min<std::size_t>(1, room.sources.size()));
  const auto& box = room.room.box;
  CostTable table{fmt::format("{:.4g} x {:.4g} x {:.4g} m", box[0], box[1], box[2]),
                  box[0] * box[1] * box[2],
                  *room.simulation.max_frequency,
                  {}};
  std::vector<Job> jobs;
  for (const FamilyProfile& family : list)
    for (const Member& member : family.members)
      for (const Stencil* stencil : member.variants) jobs.push_back({stencil, member.profile.ctpn_ns});
  const std::vector<std::vector<Cost>> made = costs_of(room, jobs, errors, walls);
  for (std::size_t e = 0; e < errors.size(); ++e) {
    std::size_t job = 0;
    for (const FamilyProfile& family : list) {
      FamilyCosts costs{errors[e], family.name, {}};
      for (const Member& member : family.members)
        for (std::size_t v = 0; v < member.variants.size(); ++v) costs.ranked.push_back(made[job++][e]);
      rank(costs.ranked);
      table.rows.push_back(std::move(costs));
    }
  }
  return table;
}

namespace {

struct CostAtError {
  double error = 0.0;
  std::string family;
  const Cost* cost = nullptr;
};

std::vector<CostAtError> rows_of(const CostTable& table) {
  std::vector<CostAtError> list;
  for (const FamilyCosts& family : table.rows)
    for (const Cost& cost : family.ranked) list.push_back({family.error, family.family, &cost});
  return list;
}

const JsonFields<CostAtError>& cost_at_error_fields() {
  using Of = CostAtError;
  static const auto fields =
      JsonFields<Of>()
          .value("dispersion_error", "", "Largest relative error of the phase velocity.", &Of::error)
          .value("family", "", "`leggy`, `compact` or `box`.", &Of::family)
          .value("stencil", "", "Name of the stencil.", [](const Of& of) { return of.cost->stencil->name; })
          .value("points", "", "Number of its points.", [](const Of& of) { return of.cost->stencil->point_count(); })
          .value("ctpn_ns", "ns", "Its measured compute time per node.", [](const Of& of) { return of.cost->ctpn_ns; })
          .value("seconds", "s",
                 "Computing time for a second of sound of one source in that room, on the grid that all limits need.",
                 [](const Of& of) { return of.cost->seconds; })
          .value("wall_seconds", "s", "Of it, what walls take, by the program's table of costs.",
                 [](const Of& of) { return of.cost->wall_seconds; })
          .value("interior_seconds", "s", "Computing time on the grid that the interior alone needs, without walls.",
                 [](const Of& of) { return of.cost->interior_seconds; })
          .value("limited_by", "",
                 "The limit that sets the grid: `interior`, `walls`, `transducers` or `geometry`, as `spacings_needed` "
                 "of a "
                 "plan.",
                 [](const Of& of) { return of.cost->limited_by; })
          .value("missed", "",
                 "Limits that the stencil keeps on no grid up to 2.2 times as fine as the interior's; `wall "
                 "positions`: the box's walls stand further off than `dispersion_error` of a side.",
                 [](const Of& of) { return of.cost->missed; });
  return fields;
}

}  // namespace

const JsonFields<CostTable>& cost_fields() {
  static const auto fields =
      JsonFields<CostTable>()
          .value("volume", "m³", "Volume of the room that the costs are of; of a mesh that of its bounding box.",
                 &CostTable::volume)
          .value("max_frequency", "Hz", "Frequency up to which the costs are.", &CostTable::max_frequency)
          .list(
              "costs",
              "The cost of an accuracy: each variant that reaches it, the cheapest of a family first, those that miss "
              "a limit last.",
              cost_at_error_fields(), rows_of);
  return fields;
}

Plot cost_plot(const CostTable& table) {
  Plot plot{fmt::format("Computing time for one second of sound in {:.4g} m3, best of each family", table.volume),
            {"max_frequency, Hz", true, 200.0, 16000.0},
            {"s / s", true, 0.0, 0.0},
            {}};
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const FamilyCosts& family = table.rows[i];
    if (family.ranked.empty()) continue;
    const Cost& best = family.ranked.front();
    Series series{fmt::format("{} at {:.3g} %", best.stencil->name, 100.0 * family.error),
                  {},
                  family.error != table.rows.front().error,
                  false,
                  static_cast<int>(i)};
    for (double frequency = 200.0; frequency < 17000.0; frequency *= std::pow(2.0, 0.25)) {
      const double finer = frequency / table.max_frequency;
      series.points.emplace_back(
          frequency, (best.seconds - best.wall_seconds) * std::pow(finer, 4) + best.wall_seconds * std::pow(finer, 3));
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::string cost_tables(const CostTable& table) {
  std::string html = fmt::format(
      "<p>A room of {}, {} m3, up to {} Hz; with max_frequency time grows by its fourth power, that of walls "
      "by its third, as the plot has it. {}</p>\n",
      table.room, rounded_text(table.volume, 4), rounded_text(table.max_frequency, 4), count_of_limits);
  for (std::size_t i = 0; i < table.rows.size();) {
    const double error = table.rows[i].error;
    Table rows{
        {"stencil", "points", "Courant number", "CTPN ns", "s / s", "walls, s / s", "interior, s / s", "limited by"},
        {}};
    for (; i < table.rows.size() && table.rows[i].error == error; ++i)
      for (std::size_t n = 0; n < std::min<std::size_t>(5, table.rows[i].ranked.size()); ++n) {
        const Cost& cost = table.rows[i].ranked[n];
        rows.rows.push_back({cost.stencil->name, fmt::format("{}", cost.stencil->point_count()),
                             fmt::format("{:.4f}", cost.stencil->courant), fmt::format("{:.4f}", cost.ctpn_ns),
                             fmt::format("{:.4g}", cost.seconds), fmt::format("{:.4g}", cost.wall_seconds),
                             fmt::format("{:.4g}", cost.interior_seconds), limit_text(cost)});
      }
    html += fmt::format("<h2>{:.3g} % dispersion error: the best five of each family</h2>\n", 100.0 * error) +
            to_html(rows);
  }
  return html;
}

void print_costs(const CostTable& table) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const FamilyCosts& family = table.rows[i];
    if (i == 0 || family.error != table.rows[i - 1].error)
      print_text(
          "\nseconds for a second of sound in a room of {} up to {} Hz at {:.3g} % dispersion error, best three of "
          "each family\n  {:<18} {:>6} {:>12} {:>12} {:>12}  limited by\n",
          table.room, rounded_text(table.max_frequency, 4), 100.0 * family.error, "stencil", "points", "all limits",
          "of walls", "interior");
    for (std::size_t n = 0; n < std::min<std::size_t>(3, family.ranked.size()); ++n) {
      const Cost& cost = family.ranked[n];
      print_text("  {:<18} {:>6} {:>10.4g} s {:>10.4g} s {:>10.4g} s  {}\n", cost.stencil->name,
                 cost.stencil->point_count(), cost.seconds, cost.wall_seconds, cost.interior_seconds, limit_text(cost));
    }
    if (family.ranked.empty()) print_text("  {}: no stencil reaches this error\n", family.family);
  }
}

void check_errors(const std::vector<double>& errors) {
  for (const double error : errors)
    if (!(error > 0.0 && error < 0.5))
      throw Error(Status::scene, fmt::format("--error: {} is not a dispersion error", error),
                  "write a fraction, as in 0.02");
}

}  // namespace fdtd::cli

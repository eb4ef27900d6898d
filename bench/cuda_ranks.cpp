// Several GPUs of one or many machines: time a step, weak and strong scaling, and a timeline of halos beside the
// inside.
//
//   mpirun -n N bench_cuda_ranks [--size 1024] [--json FILE] [--stencils leggy-1,leggy-4,box-222] [--steps N] [--rigid]
//                                  [--scaling strong|weak] [--scene FILE [--spacing H]]
//
// A rank takes the GPU of its number on its machine; FDTD_HALO of the environment says how halos go
// (cuda/exchange/exchange.hpp). Every stencil is run in a cube of size^3 nodes (strong) and in one N times as tall (weak), f32,
// walls of one material with two branches; with --scene in that scene's room instead, on its grid spacing or on H (m),
// strong alone. Each is run beside one GPU with the room of one: the first rank alone, the others waiting. Efficiency: strong t_1 / (N t_N), weak t_1 / t_N; `predicted` by the model (engine/scaling). FILE is written
// anew after every row, so that a run cut off leaves what it has measured. Its timelines are CUDA events, in
// microseconds of each rank's own clock since the first of eight steps began.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/devices/devices.hpp"
#include "engine/devices/gpu_code.hpp"
#include "engine/devices/target.hpp"
#include "engine/plan/slab.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/planning/outline/scaling.hpp"
#include "engine/system/ranks.hpp"
#include "engine/system/version.hpp"
#include "engine/walls/wall_law.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"

namespace {

using namespace fdtd;
using Json = nlohmann::ordered_json;

struct Arguments {
  int size = 1024;
  std::int64_t steps = 0;  // 0: about half a second
  std::vector<std::string> stencils = {"leggy-1", "leggy-4", "box-222"};
  std::string json;
  bool rigid = false;
  std::string scaling;         // "": both
  std::string scene, spacing;  // "": a box; the scene's own
};

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--rigid") {
      arguments.rigid = true;
      continue;
    }
    const std::string value = i + 1 < argc ? argv[++i] : "";
    if (word == "--size") {
      arguments.size = std::stoi(value);
    } else if (word == "--steps") {
      arguments.steps = std::stoll(value);
    } else if (word == "--scene") {
      arguments.scene = value;
      arguments.scaling = "strong";
    } else if (word == "--spacing") {
      arguments.spacing = value;
    } else if (word == "--json") {
      arguments.json = value;
    } else if (word == "--scaling" && (value == "strong" || value == "weak")) {
      arguments.scaling = value;
    } else if (word == "--stencils") {
      arguments.stencils.clear();
      for (std::size_t at = 0; at <= value.size();) {
        const std::size_t comma = std::min(value.find(',', at), value.size());
        arguments.stencils.push_back(value.substr(at, comma - at));
        at = comma + 1;
      }
    } else {
      throw Error(Status::scene, fmt::format("unknown argument {}", word));
    }
  }
  return arguments;
}

Plan box(const std::string& name, std::array<int, 3> size, bool rigid) {
  const Stencil* stencil = find_stencil(name);
  if (stencil == nullptr) throw Error(Status::scene, "no stencil " + name);
  Plan plan;
  plan.grid.size = size;
  plan.grid.sound_speed = 343.0;
  plan.grid.time_step = 1e-5;
  plan.stencil_name = name;
  const std::array<double, 3> courant = {stencil->courant, stencil->courant, stencil->courant};
  plan.grid.spacing.fill(plan.grid.sound_speed * plan.grid.time_step / stencil->courant);
  plan.stencil = rounded_to_float(on_grid(*stencil, courant));
  plan.air = AirMask(size);
  plan.near_wall = make_near_wall(plan.stencil, plan.air);
  if (!rigid) {
    MaterialFit fit;
    fit.name = "plaster";
    fit.branches = {{2e-4, 2.0, 1e3}, {0.0, 9.0, 0.0}};
    const Voxels voxels =
        voxelise_box(size, plan.grid.spacing, {"plaster", "plaster", "plaster", "plaster", "plaster", "plaster"});
    plan.boundary = make_boundary(voxels, std::vector<MaterialFit>{fit}, plan.grid, plan.stencil, plan.near_wall, {});
  }
  plan.steps = 1;
  return plan;
}

Plan room(const Arguments& arguments, const std::string& stencil) {
  ParseOptions options;
  options.allow_outside = true;
  options.overrides = {"simulation.stencil=\"" + stencil + "\"", "simulation.precision=\"f32\""};
  if (!arguments.spacing.empty()) options.overrides.push_back("simulation.grid_spacing=" + arguments.spacing);
  const ParsedScene parsed = load_scene(arguments.scene, options);
  if (!parsed.problems.empty()) throw Error(Status::scene, arguments.scene + ": " + parsed.problems.front().message);
  return make_plan(parsed.scene, *find_stencil(stencil)).plan;
}

struct Measured {
  double seconds = 0.0;  // a step, of the slowest rank
  std::string kernel;
  std::string exchange;            // cuda/exchange/exchange.hpp; "" with one GPU
  std::vector<study::Span> spans;  // of this rank
};

double slowest(Ranks& all, double mine) {
  double most = mine;
  for (const auto& bytes : all.gather(std::as_bytes(std::span(&mine, 1)))) {
    double other = 0.0;
    std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(&other, 1)).begin());
    most = std::max(most, other);
  }
  return most;
}

// Median of five runs of so many steps, after a warm-up.
Measured measure(Ranks& all, const Plan& plan, const Slab& slab, std::int64_t steps_wanted, bool together) {
  BackendOptions options;
  options.ranks = together ? &all : nullptr;
  const auto room = gpu_code().step_study(plan, slab, options, all.local_rank());
  const auto steps_of = [&](std::int64_t count) { return room->seconds_of_steps(count) / static_cast<double>(count); };
  steps_of(4);
  double once = steps_of(4);
  if (together) once = of_first(all, once);
  const std::int64_t steps =
      steps_wanted > 0 ? steps_wanted : 2 * static_cast<std::int64_t>(std::clamp(0.25 / once, 5.0, 2000.0));
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) times.push_back(together ? slowest(all, steps_of(steps)) : steps_of(steps));
  std::nth_element(times.begin(), times.begin() + 2, times.end());
  return {times[2], room->kernel(), room->exchange(), room->timeline(8)};
}

// How much of the exchanges falls into the computing of their own step: 1, all of it.
double hidden(const std::vector<study::Span>& spans) {
  double all = 0.0, inside = 0.0;
  for (const study::Span& span : spans) {
    if (span.name != "halo") continue;
    for (const study::Span& other : spans) {
      if ((other.name != "step" && other.name != "inside") || other.step != span.step) continue;
      all += span.end - span.begin;
      inside += std::max(0.0, std::min(span.end, other.end) - std::max(span.begin, other.begin));
    }
  }
  return all > 0.0 ? inside / all : 0.0;
}

double mean_microseconds(const std::vector<study::Span>& spans, const std::string& name) {
  double sum = 0.0, count = 0.0;
  for (const study::Span& span : spans)
    if (span.name == name) sum += span.end - span.begin, count += 1.0;
  return count > 0.0 ? sum / count : 0.0;
}

// Of every rank, in their order.
Json timelines(Ranks& all, const std::vector<study::Span>& spans) {
  Json mine{{"rank", all.rank()}, {"mean_us", Json::object()}};
  for (const char* name : {"halo", "step", "inside", "edges", "walls"})
    mine["mean_us"][name] = mean_microseconds(spans, name);
  mine["halo_hidden"] = hidden(spans);
  for (const study::Span& span : spans)
    mine["spans"].push_back({{"what", span.name}, {"step", span.step}, {"begin_us", span.begin}, {"end_us", span.end}});
  const std::string text = mine.dump();
  Json list = Json::array();
  for (const auto& bytes : all.gather(std::as_bytes(std::span(text))))
    list.push_back(Json::parse(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
  return list;
}

Json row(Ranks& all, const Arguments& arguments, const std::string& stencil, bool weak) {
  const int n = arguments.size;
  const bool is_box = arguments.scene.empty();
  const Plan alone_plan = is_box ? box(stencil, {n, n, n}, arguments.rigid) : room(arguments, stencil);
  double alone = 0.0;
  if (all.first()) alone = measure(all, alone_plan, whole(alone_plan), arguments.steps, false).seconds;
  all.wait_for_all();
  alone = of_first(all, alone);
  const Plan plan = weak ? box(stencil, {n, n, n * all.size()}, arguments.rigid) : alone_plan;
  const std::vector<Slab> slabs = split(plan, all.size());
  const SlabPlan part = cut(plan, slabs[static_cast<std::size_t>(all.rank())]);
  const Measured together = all.alone() ? measure(all, plan, whole(plan), arguments.steps, false)
                                        : measure(all, part.plan, part.slab, arguments.steps, true);
  const double efficiency = alone / together.seconds / (weak ? 1.0 : all.size());
  Json planes = Json::array();
  for (const Slab& slab : slabs) planes.push_back(slab.planes());
  const double gpts = static_cast<double>(plan.grid.nodes()) / together.seconds * 1e-9;
  const StepBytes bytes = step_bytes(alone_plan, plane_counts(alone_plan));
  const Interconnect speeds = speeds_of(bytes, alone);
  const double predicted =
      weak ? weak_efficiency(bytes, all.size(), speeds) : strong_efficiency(bytes, all.size(), speeds);
  if (all.first())
    fmt::print(
        "{:<10} {:<6} {} GPUs, {}: {:.4g} ms a step, one {:.4g} ms, efficiency {:.4f} (predicted {:.4f}), {:.1f} "
        "Gpts/s, {}\n",
        stencil, weak ? "weak" : "strong", all.size(), together.exchange, 1e3 * together.seconds, 1e3 * alone,
        efficiency, predicted, gpts, together.kernel);
  return {{"stencil", stencil},
          {"scaling", weak ? "weak" : "strong"},
          {"gpus", all.size()},
          {"grid", plan.grid.size},
          {"planes", planes},
          {"walls", !is_box           ? arguments.scene
                    : arguments.rigid ? "rigid"
                                      : "two branches"},
          {"kernel", together.kernel},
          {"exchange", together.exchange},
          {"seconds_per_step", together.seconds},
          {"seconds_per_step_of_one", alone},
          {"efficiency", efficiency},
          {"predicted", predicted},
          {"gpts_per_second", gpts},
          {"timelines", timelines(all, together.spans)}};
}

void run(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  Ranks& all = ranks();
  (void)gpu_target(all.local_rank());  // throws where that GPU cannot be used
  Json report{{"program", version_line()},
              {"device", gpus()[static_cast<std::size_t>(all.local_rank())].name},
              {"ranks", all.size()},
              {"mpi", mpi_library()},
              {"rows", Json::array()}};
  for (const std::string& stencil : arguments.stencils) {
    for (const bool weak : {false, true}) {
      if (arguments.scaling == (weak ? "strong" : "weak")) continue;
      report["rows"].push_back(row(all, arguments, stencil, weak));
      if (all.first() && !arguments.json.empty()) std::ofstream(arguments.json) << report.dump(1) << '\n';
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto report = [](const Error& error) {
    fmt::print(stderr, "bench_cuda_ranks: {}\n  {}\n", error.what(), error.remedy);
  };
  on_lost_rank(report);
  int status = 0;
  try {
    run(argc, argv);
  } catch (const Error& error) {
    report(error);
    status = static_cast<int>(error.status);
  }
  leave_ranks(status);
  return status;
}

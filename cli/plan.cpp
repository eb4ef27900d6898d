// fdtd plan SCENE: what a run would compute, and whether it fits the device.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/print_plan.hpp"
#include "cli/scene_options.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/threads.hpp"
#include "engine/planning/outline/scaling.hpp"
#include "engine/session/choices.hpp"
#include "engine/session/session.hpp"
#include "engine/system/machine.hpp"

namespace fdtd::cli {
namespace {

struct PlanOptions : SceneOptions {
  std::string gpu_memory;  // "141GB"; empty: what this machine has
  bool gradient = false;
  std::string gradient_memory;  // empty: what is free
};

std::int64_t parse_bytes(const char* option, const std::string& text) {
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  std::string_view unit(last, end);
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  for (const auto& [name, bytes] : {std::pair{"GB", 1e9},
                                    {"GiB", 0x1p30},
                                    {"MB", 1e6},
                                    {"MiB", 0x1p20},
                                    {"kB", 1e3},
                                    {"KB", 1e3},
                                    {"kiB", 0x1p10},
                                    {"KiB", 0x1p10}})
    if (error == std::errc() && unit == name && number * bytes >= 1.0 && number * bytes < 1e15)
      return static_cast<std::int64_t>(number * bytes);
  throw Error(Status::scene, fmt::format("{}: \"{}\" is not a size", option, text),
              "write a number and kB, MB, GB, KiB, MiB or GiB, as in 300kB or 80GB");
}

void plan_and_print(const PlanOptions& options) {
  PlanningLine planning;
  std::optional<GradientRequest> gradient;
  if (options.gradient) gradient.emplace();
  if (!options.gradient_memory.empty()) gradient->memory = parse_bytes("--gradient-memory", options.gradient_memory);
  plan_scene(
      options,
      [&](const PlanReport& report) {
        planning.finish();
        print_plan(report, options.json);
      },
      [&](const std::string& stage) { planning.stage(stage); }, gradient);
}

// For GPUs that this machine need not have: as many as the room needs. Nothing is timed. Rank 0 prints.
void plan_for_gpus(const PlanOptions& options, Ranks& all) {
  Scene scene = load(options);
  const std::int64_t memory_of_one = parse_bytes("--gpu-memory", options.gpu_memory);
  StencilChoice chosen = choose_stencil(scene, DeviceClass::gpu_9_0, {}, all);
  constexpr int as_many_as_needed = 0, no_rank = -1;
  Target target{0, memory_of_one, as_many_as_needed, 1, no_rank};
  PlanResult planned = plan_for(target, DeviceClass::gpu_9_0, scene, chosen, all);
  if (!all.first()) return;
  target.ranks = gpus_needed(planned.plan, planned.counts, memory_of_one);
  if (target.ranks == 0)
    throw Error(Status::resource,
                fmt::format("no number of GPUs of {} can hold this room: slabs along z would be too thin",
                            human_bytes(static_cast<double>(memory_of_one))),
                "rotate the room so that its longest side is along z, or use GPUs with more memory");
  estimate_host_memory(planned, target);
  PlanReport report = make_report(scene, planned, target, PredictedTime{}, chosen.remarks);
  report.device = fmt::format("{} GPU{} of {}", target.ranks, target.ranks == 1 ? "" : "s",
                              human_bytes(static_cast<double>(memory_of_one)));
  print_plan(report, options.json);
}

}  // namespace

void add_plan(CLI::App& app, int& status) {
  auto options = std::make_shared<PlanOptions>();
  add_scene_options(app, *options);
  CLI::Option* const gpus = app.add_option(
      "--gpu-memory", options->gpu_memory,
      "print how many GPUs of this memory (80GB, 139GiB) the room needs and what each holds; this machine "
      "need not have them");
  CLI::Option* const gradient =
      app.add_flag(
             "--gradient", options->gradient,
             "print the memory, runs and time of a gradient by the scene's [materials], as rf.gradient of the Python "
             "package computes it")
          ->excludes(gpus);
  app.add_option(
         "--gradient-memory", options->gradient_memory,
         "memory for the histories of its walls (8GB, 500MB) instead of half of what is free, or all on a GPU; with "
         "less, parts of the run are computed again")
      ->needs(gradient);
  app.callback([options, &status] {
    Ranks& all = ranks();
    options->threads = take_threads(options->threads, all.first());
    status = 0;
    if (options->gpu_memory.empty())
      plan_and_print(*options);
    else
      plan_for_gpus(*options, all);
  });
}

}  // namespace fdtd::cli

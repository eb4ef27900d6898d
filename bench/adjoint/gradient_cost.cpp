// The price of a gradient: processor time of a run and of the gradient of a loss of all its samples (engine/adjoint/), in
// turns; on a GPU the time that passes, without loading: that of all steps less that of the first few.
//
//     bench_gradient_cost [--scene scenes/examples/shoebox.toml] [--frequencies 300,500] [--precisions f32,f64]
//                         [--steps 600] [--turns 5] [--threads 1] [--gpu 0] > bench/results/MACHINE/gradient-cost.json
//
// A row for each frequency and precision: nodes, sites of walls and their share of the nodes, median seconds of both, their
// ratio; on the CPU bytes of the history in each format, and the error of each format against the finest: the largest
// difference of a logarithmic derivative by a branch's term, over the largest such derivative.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/math/median.hpp"
#include "bench/rows_document.hpp"
#include "engine/adjoint/adjoint_memory.hpp"
#include "engine/adjoint/gradient.hpp"
#include "engine/devices/devices.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/run/run.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/version.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"

namespace {

using namespace fdtd;
using Json = nlohmann::ordered_json;

struct Arguments {
  std::string scene = "scenes/examples/shoebox.toml";
  std::vector<double> frequencies = {300.0};
  std::vector<std::string> precisions = {"f32", "f64"};
  std::int64_t steps = 600;
  int turns = 5, threads = 1;
  std::optional<int> gpu;
};

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string word = argv[i], value = argv[i + 1];
    if (word == "--scene") {
      arguments.scene = value;
    } else if (word == "--frequencies") {
      arguments.frequencies = bench::words<double>(value);
    } else if (word == "--precisions") {
      arguments.precisions = bench::words<std::string>(value);
    } else if (word == "--steps") {
      arguments.steps = std::stoll(value);
    } else if (word == "--turns") {
      arguments.turns = std::stoi(value);
    } else if (word == "--threads") {
      arguments.threads = std::stoi(value);
    } else if (word == "--gpu") {
      arguments.gpu = std::stoi(value);
    } else {
      throw Error(Status::scene, "no option " + word);
    }
  }
  return arguments;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double energy(const Recording& recording, std::span<double> slopes) {
  double J = 0.0;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    J += 0.5 * recording.pressure[i] * recording.pressure[i];
    slopes[i] = recording.pressure[i];
  }
  return J;
}

// x dJ/dx of every term of every branch of every law.
std::vector<double> logarithmic(const Plan& plan, const Gradient& found) {
  std::vector<double> all;
  const std::vector<LawSlopes> laws = by_law(plan, found.walls);
  for (std::size_t l = 0; l < laws.size(); ++l)
    for (std::size_t b = 0; b < laws[l].branches.size(); ++b) {
      const LawBranch &term = plan.boundary.laws[l].branches[b], &slope = laws[l].branches[b];
      all.insert(all.end(), {term.D * slope.D, term.E * slope.E, term.F * slope.F});
    }
  return all;
}

Plan plan_of(const Arguments& arguments, double frequency, const std::string& precision) {
  const ParsedScene parsed =
      load_scene(arguments.scene,
                 {{"simulation.precision=" + precision, fmt::format("simulation.max_frequency={}", frequency)}, true});
  if (!parsed.problems.empty()) throw Error(Status::scene, parsed.problems.front().message);
  Plan plan = make_plan(parsed.scene, *find_stencil(parsed.scene.simulation.stencil)).plan;
  plan.snapshots.clear();
  plan.stop = {};
  plan.sources.resize(1);
  plan.steps = arguments.gpu ? arguments.steps : std::min(plan.steps, arguments.steps);
  return plan;
}

constexpr std::int64_t enough = std::int64_t{1} << 40U;

struct Costs {
  double run = 0.0, gradient = 0.0;
};

Costs costs_on_cpu(const Arguments& arguments, const Plan& plan) {
  BackendOptions options;
  options.threads = arguments.threads;
  GradientOptions kept;
  kept.history = plan.precision == Precision::f32 ? HistoryFormat::f32 : HistoryFormat::f64, kept.memory = enough;
  std::vector<double> runs, gradients;
  for (int turn = 0; turn < arguments.turns; ++turn) {
    double start = processor_seconds();
    run(plan, *make_cpu_backend(options));
    runs.push_back(processor_seconds() - start);
    start = processor_seconds();
    gradient(plan, *make_cpu_backend(options), energy, kept);
    gradients.push_back(processor_seconds() - start);
  }
  return {median(runs), median(gradients)};
}

// Both end with a copy from the GPU.
Costs costs_on_gpu(const Arguments& arguments, const Plan& plan) {
  constexpr std::int64_t few = 64;
  Plan short_plan = plan;
  short_plan.steps = few;
  const auto backend = make_cuda_backend({}, *arguments.gpu);
  const auto passed = [&](const Plan& of, bool with_gradient) {
    const double start = seconds();
    if (with_gradient)
      gradient(of, *backend, energy);
    else
      run(of, *backend);
    return seconds() - start;
  };
  passed(short_plan, true);  // the tile is found, and memory has been taken once
  std::vector<double> runs, gradients;
  for (int turn = 0; turn < arguments.turns; ++turn)
    for (const bool with_gradient : {false, true})
      (with_gradient ? gradients : runs).push_back(passed(plan, with_gradient) - passed(short_plan, with_gradient));
  return {median(runs), median(gradients)};
}

// Errors of histories in each format, and their bytes.
void add_formats(const Arguments& arguments, const Plan& plan, Json& row) {
  BackendOptions options;
  options.threads = arguments.threads;
  std::vector<double> finest;
  Json errors = Json::object(), bytes = Json::object();
  for (const auto& [format, name] :
       {std::pair{HistoryFormat::f64, "f64"}, {HistoryFormat::f32, "f32"}, {HistoryFormat::i16, "i16"}}) {
    GradientOptions kept;
    kept.history = format, kept.memory = enough;
    const std::vector<double> slopes = logarithmic(plan, gradient(plan, *make_cpu_backend(options), energy, kept));
    if (finest.empty()) finest = slopes;
    double largest = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      largest = std::max(largest, std::abs(finest[i]));
      worst = std::max(worst, std::abs(slopes[i] - finest[i]));
    }
    errors[name] = std::stod(fmt::format("{:.1e}", worst / largest));
    bytes[name] = adjoint_memory(plan, enough, format).bytes;
  }
  row["bytes"] = bytes;
  row["errors"] = errors;
}

Json row_of(const Arguments& arguments, double frequency, const std::string& precision) {
  const Plan plan = plan_of(arguments, frequency, precision);
  const Costs costs = arguments.gpu ? costs_on_gpu(arguments, plan) : costs_on_cpu(arguments, plan);
  const auto nodes = static_cast<double>(plan.air.count());
  const auto rounded = [](double value, int digits) { return std::stod(fmt::format("{:.{}f}", value, digits)); };
  Json row = {{"scene", std::filesystem::path(arguments.scene).stem().string()},
              {"frequency", frequency},
              {"precision", precision},
              {"stencil", plan.stencil_name},
              {"nodes", plan.air.count()},
              {"wall_nodes", plan.boundary.nodes.size()},
              {"share", rounded(static_cast<double>(plan.boundary.nodes.size()) / nodes, 3)},
              {"steps", plan.steps},
              {"run_seconds", rounded(costs.run, 4)},
              {"gradient_seconds", rounded(costs.gradient, 4)},
              {"ratio", rounded(costs.gradient / costs.run, 2)}};
  if (!arguments.gpu) add_formats(arguments, plan, row);
  return row;
}

std::string processor_of(const Arguments& arguments) {
  if (!arguments.gpu) return processor_name();
  const std::string text = make_cuda_backend({}, *arguments.gpu)->describe();
  return text.substr(0, text.rfind(','));  // of a backend that has loaded nothing
}

void measure(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  const char* const time = arguments.gpu ? "time" : "processor time";
  bench::RowsDocument document({{"what", fmt::format("{} of a run and of its gradient in turns, medians", time)},
                                {"command", bench::command_line("bench_gradient_cost", argc, argv)},
                                {"version", version()},
                                {"date", bench::today()},
                                {"processor", processor_of(arguments)},
                                {"threads", arguments.threads}});
  for (const double frequency : arguments.frequencies)
    for (const std::string& precision : arguments.precisions) document.add({row_of(arguments, frequency, precision)});
  document.print();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    measure(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_gradient_cost: {}\n", error.what());
    return 2;
  }
}

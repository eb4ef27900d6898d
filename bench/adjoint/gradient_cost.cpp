// The price of a gradient: processor time of a run and of the gradient of a loss of all its samples (engine/adjoint/), in
// turns.
//
//     bench_gradient_cost [--scene scenes/examples/shoebox.toml] [--frequencies 300,500] [--precisions f32,f64]
//                         [--steps 600] [--turns 5] [--threads 1] > bench/results/MACHINE/gradient-cost.json
//
// A row for each frequency and precision: nodes, sites of walls and their share of the nodes, median seconds of both, their
// ratio, bytes of the history in each format, and the error of each format against the finest: the largest difference of a
// logarithmic derivative by a branch's term, over the largest such derivative.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>
#include <nlohmann/json.hpp>

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

Json row_of(const Arguments& arguments, double frequency, const std::string& precision) {
  const ParsedScene parsed =
      load_scene(arguments.scene,
                 {{"simulation.precision=" + precision, fmt::format("simulation.max_frequency={}", frequency)}, true});
  if (!parsed.problems.empty()) throw Error(Status::scene, parsed.problems.front().message);
  Plan plan = make_plan(parsed.scene, *find_stencil(parsed.scene.simulation.stencil)).plan;
  plan.snapshots.clear();
  plan.stop = {};
  plan.sources.resize(1);
  plan.steps = std::min(plan.steps, arguments.steps);
  BackendOptions options;
  options.threads = arguments.threads;
  std::vector<double> runs, gradients;
  std::vector<double> finest;
  Json errors = Json::object(), bytes = Json::object();
  constexpr std::int64_t enough = std::int64_t{1} << 40U;
  const auto gradient_in = [&](HistoryFormat format) {
    GradientOptions kept;
    kept.history = format, kept.memory = enough;
    return gradient(plan, *make_cpu_backend(options), energy, kept);
  };
  for (int turn = 0; turn < arguments.turns; ++turn) {
    double start = processor_seconds();
    run(plan, *make_cpu_backend(options));
    runs.push_back(processor_seconds() - start);
    start = processor_seconds();
    gradient_in(plan.precision == Precision::f32 ? HistoryFormat::f32 : HistoryFormat::f64);
    gradients.push_back(processor_seconds() - start);
  }
  for (const auto& [format, name] :
       {std::pair{HistoryFormat::f64, "f64"}, {HistoryFormat::f32, "f32"}, {HistoryFormat::i16, "i16"}}) {
    const std::vector<double> slopes = logarithmic(plan, gradient_in(format));
    if (finest.empty()) finest = slopes;
    double largest = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      largest = std::max(largest, std::abs(finest[i]));
      worst = std::max(worst, std::abs(slopes[i] - finest[i]));
    }
    errors[name] = std::stod(fmt::format("{:.1e}", worst / largest));
    bytes[name] = adjoint_memory(plan, enough, format).bytes;
  }
  const double of_run = median(runs), of_gradient = median(gradients);
  const auto nodes = static_cast<double>(plan.air.count());
  return {{"frequency", frequency},
          {"precision", precision},
          {"stencil", plan.stencil_name},
          {"nodes", plan.air.count()},
          {"wall_nodes", plan.boundary.nodes.size()},
          {"share", std::stod(fmt::format("{:.3f}", static_cast<double>(plan.boundary.nodes.size()) / nodes))},
          {"steps", plan.steps},
          {"run_seconds", std::stod(fmt::format("{:.3f}", of_run))},
          {"gradient_seconds", std::stod(fmt::format("{:.3f}", of_gradient))},
          {"ratio", std::stod(fmt::format("{:.2f}", of_gradient / of_run))},
          {"bytes", bytes},
          {"errors", errors}};
}

void measure(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  bench::RowsDocument document({{"what", "processor time of a run and of its gradient in turns, medians"},
                                {"command", bench::command_line("bench_gradient_cost", argc, argv)},
                                {"version", version()},
                                {"date", bench::today()},
                                {"processor", processor_name()},
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

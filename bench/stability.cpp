// Long runs of every stencil in small furnished rooms with lossy walls: does the energy balance hold, does anything grow?
//
//     bench_stability [--steps 1000000] [--stencils TEXT] [--rooms 1] [--size 8] [--precision f32|f64] [--device cpu|cuda]
//                     [--voxels whole|cut] [--jobs N] > bench/results/stability.json
//
// Rooms of size x (size - 1) x (size - 2) nodes with three blocks of random place and size, walls of the admittances .005,
// .02 and .001 in turn, each a fit for the stencil (stability_study.hpp). Of each stencil: the largest error of the
// energy balance over all steps and rooms, in fractions of the injected energy, the energy left, and the amplitude of what
// alternates from step to step (half the sample rate), halfway and at the end. --voxels cut: voxels and passages of any
// shares, at the Courant number of a mesh (bench/results/stability-cut.json). --stencils: those whose names contain
// TEXT. Members with the same points (box-111 is compact-3) are run once. On one thread, the figures are the same on any
// machine of the same instruction set.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <exception>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "bench/rows_document.hpp"
#include "bench/stability_study.hpp"
#include "engine/devices/devices.hpp"
#include "engine/devices/target.hpp"
#include "engine/system/version.hpp"

namespace {

using namespace fdtd;
using Json = nlohmann::ordered_json;

struct Arguments {
  std::int64_t steps = 1000000;
  std::string stencils;
  int rooms = 1, size = 8, jobs = 1;
  Precision precision = Precision::f32;
  bool cuda = false, cut = false;
};

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string word = argv[i], value = argv[i + 1];
    if (word == "--steps")
      arguments.steps = std::stoll(value);
    else if (word == "--stencils")
      arguments.stencils = value;
    else if (word == "--rooms")
      arguments.rooms = std::stoi(value);
    else if (word == "--size")
      arguments.size = std::stoi(value);
    else if (word == "--jobs")
      arguments.jobs = std::stoi(value);
    else if (word == "--precision")
      arguments.precision = value == "f64" ? Precision::f64 : Precision::f32;
    else if (word == "--device")
      arguments.cuda = value == "cuda";
    else if (word == "--voxels")
      arguments.cut = value == "cut";
    else
      throw Error(Status::scene, "no option " + word);
  }
  if (arguments.cuda && arguments.jobs > 1)
    throw Error(Status::scene, "--jobs: threads of one process cannot record steps on a GPU at the same time");
  return arguments;
}

// Each set of weights once.
std::vector<const Stencil*> chosen(const std::string& text, bool cut) {
  std::vector<const Stencil*> list;
  std::set<std::vector<double>> known;
  for (const Stencil& stencil : catalogue()) {
    std::vector<double> weights = stencil.weights;
    weights.push_back(stencil.centre);
    const double courant = own_courant(stencil, cut);
    if (cut && !knows_cut_voxels(on_grid(at_courant(stencil, courant), {courant, courant, courant}))) continue;
    if (stencil.name.find(text) != std::string::npos && known.insert(weights).second) list.push_back(&stencil);
  }
  return list;
}

double three_digits(double value) { return std::stod(fmt::format("{:.2e}", value)); }

Json figures(const Stencil& stencil, const Arguments& arguments) {
  bench::LongRoom room;
  room.stencil = stencil.name;
  room.precision = arguments.precision;
  room.size = {arguments.size, arguments.size - 1, arguments.size - 2};
  room.blocks = 3;
  room.cut = arguments.cut;
  room.admittances = {0.005, 0.02, 0.001};
  bench::LongRun worst;
  std::string proof;
  worst.steps = arguments.steps;
  for (int i = 1; i <= arguments.rooms; ++i) {
    room.seed = static_cast<unsigned>(i);
    const Plan plan = bench::plan_of(room);
    proof = to_string(plan.stencil.proof);
    const auto backend = arguments.cuda ? make_backend(gpu_target(0), {}) : make_backend({}, {1, ""});
    const bench::LongRun run = bench::run_long(plan, *backend, arguments.steps);
    worst.steps = std::min(worst.steps, run.steps);
    worst.balance = std::max(worst.balance, run.balance);
    worst.left = std::max(worst.left, run.left);
    worst.alternating_middle = std::max(worst.alternating_middle, run.alternating_middle);
    worst.alternating_end = std::max(worst.alternating_end, run.alternating_end);
  }
  return {{"stencil", stencil.name},
          {"proof", proof},
          {"steps", worst.steps},
          {"balance", three_digits(worst.balance)},
          {"energy_left", three_digits(worst.left)},
          {"alternating_halfway", three_digits(worst.alternating_middle)},
          {"alternating_at_end", three_digits(worst.alternating_end)}};
}

void run(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  const std::vector<const Stencil*> stencils = chosen(arguments.stencils, arguments.cut);
  std::vector<Json> rows(stencils.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) num_threads(arguments.jobs)
  for (std::size_t i = 0; i < stencils.size(); ++i)
    failure.guard([&] {
      rows[i] = figures(*stencils[i], arguments);
      fmt::print(stderr, "{}\n", rows[i].dump());
    });
  failure.rethrow();
  const Json document{
      {"what",
       "Small rooms with random furniture and lossy walls, run for long: largest error of the energy balance (share of "
       "the injected energy), energy left (the same), amplitude of the part of the field that alternates from step to "
       "step, halfway and at the end (root mean square, for a unit pulse at one node)."},
      {"date", bench::today()},
      {"command", bench::command_line("bench_stability", argc, argv)},
      {"program", version_line()},
      {"device", arguments.cuda ? gpus().front().name : std::string(cpu_instruction_set())},
      {"precision", to_string(arguments.precision)},
      {"stencils", rows}};
  fmt::print("{}\n", document.dump(1));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_stability: {}\n", error.what());
    return 2;
  }
}

// A trial: fields of B sources side by side in memory, u[node][B], against passes of one source each.
//
//     bench_joint_sources [--scene scenes/examples/hall.toml] [--frequencies 100,300,600]
//                         [--stencils leggy-1,leggy-4,compact-4] [--turns 9] [--steps-seconds 0.05]
//                         > bench/results/MACHINE/joint-sources.json
//
// A vector holds the values of one node of all sources: neighbours along x are other vectors, so that rows need no
// shifts, corrections beside walls and boundary nodes need no gathers, and every lane is used. One thread, f32; of the
// plan without the groups of coupled sites at edges, which both leave out. Steps of the engine's backend with the
// plan's air alone, with corrections, and with all, and those of the trial, part by part, take turns; processor time in
// ns a node and source, medians over the turns. `apart`: the largest difference of both fields after the first steps,
// relative to the largest value. The result is in docs/performance/cpu-tried.md, section 12.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/math/median.hpp"
#include "bench/joint_fields.hpp"
#include "bench/rows_document.hpp"
#include "engine/devices/devices.hpp"
#include "engine/devices/target.hpp"
#include "engine/plan/coupled_walls.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/version.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"

namespace {

using namespace fdtd;
using bench::Fields;
using Json = nlohmann::ordered_json;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Without the groups at edges.
Boundary without_groups(const Boundary& walls) {
  const std::vector<bool> coupled = coupled_nodes(walls);
  Boundary kept;
  kept.laws = walls.laws;
  for (std::size_t i = 0; i < walls.nodes.size(); ++i) {
    if (coupled[i]) continue;
    kept.nodes.push_back(walls.nodes[i]);
    if (!walls.inverse_mass.empty()) kept.inverse_mass.push_back(walls.inverse_mass[i]);
    for (std::uint32_t s = walls.site_begin[i]; s < walls.site_begin[i + 1]; ++s) {
      kept.sites.push_back(walls.sites[s]);
      kept.branch_begin.push_back(kept.branch_begin.back() + walls.laws[walls.sites[s].law].branches.size());
    }
    kept.site_begin.push_back(static_cast<std::uint32_t>(kept.sites.size()));
  }
  return kept;
}

Boundary rigid(const Boundary& walls) {
  Boundary none;
  none.laws = walls.laws;
  return none;
}

// Of the engine: a backend of a plan.
struct Single {
  Plan plan;
  std::unique_ptr<Backend> backend;
  std::vector<double> ns;  // by turn
  explicit Single(Plan of) : plan(std::move(of)) {
    BackendOptions options;
    options.threads = 1;
    backend = make_backend({}, options);
    backend->load(plan, whole(plan));
  }
  double advance(std::int64_t steps, bool pulse) {
    Drive drive{steps, std::vector<double>(plan.sources.size() * static_cast<std::size_t>(steps), 0.0)};
    if (pulse) drive.f[0] = 1.0;
    Samples samples;
    const double begin = processor_seconds();
    backend->advance(drive, samples);
    return processor_seconds() - begin;
  }
};

template <int B>
struct Joint {
  using Parts = typename Fields<B>::Parts;
  Fields<B> fields;
  std::vector<double> triad, air, corrected, whole;  // ns a node and source, by turn
  explicit Joint(const Plan& plan) : fields(plan) {}
  // `per`: ns a node and step of one second.
  void turn(std::int64_t steps, double per) {
    const auto timed = [&](std::vector<double>& to, const auto& work) {
      const double begin = processor_seconds();
      work();
      to.push_back((processor_seconds() - begin) * per / static_cast<double>(steps) / B);
    };
    timed(whole, [&] { fields.advance(steps, {}); });
    timed(corrected, [&] { fields.advance(steps, {}, Parts::corrections); });
    timed(air, [&] { fields.advance(steps, {}, Parts::air); });
    fields.silence();
    timed(triad, [&] { fields.triad(steps); });
    fields.silence();
  }
  void clear() {
    for (auto* const list : {&triad, &air, &corrected, &whole}) list->clear();
  }
};

// Of both fields after some steps from a pulse, over all air and two lanes.
template <int B>
double apart(Single& single, Joint<B>& joint) {
  constexpr std::int64_t steps = 60;
  State silence;
  silence.precision = Precision::f32;
  single.backend->restore(silence);
  single.advance(steps, true);
  joint.fields.silence();
  joint.fields.advance(steps, {1.0F});
  std::vector<float> plane(static_cast<std::size_t>(single.plan.grid.size[0]) *
                           static_cast<std::size_t>(single.plan.grid.size[1]));
  double largest = 0.0, difference = 0.0;
  for (int z = 0; z < single.plan.grid.size[2]; ++z) {
    single.backend->plane(2, z, plane);
    for (std::size_t i = 0; i < plane.size(); ++i) {
      const double ours = joint.fields.value(static_cast<std::uint64_t>(z) * plane.size() + i, 0);
      largest = std::max(largest, std::abs(static_cast<double>(plane[i])));
      difference = std::max(difference, std::abs(ours - static_cast<double>(plane[i])));
    }
  }
  return difference / largest;
}

double rounded(double value) { return std::stod(fmt::format("{:.3f}", value)); }

// ns a node and source by part of a step.
Json parts_of(const std::vector<double>& air, const std::vector<double>& corrected, const std::vector<double>& whole) {
  std::vector<double> corrections, walls;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    corrections.push_back(corrected[i] - air[i]);
    walls.push_back(whole[i] - corrected[i]);
  }
  return {{"air", rounded(median(air))},
          {"corrections", rounded(median(corrections))},
          {"walls", rounded(median(walls))},
          {"step", rounded(median(whole))}};
}

template <int B>
Json joint_of(const Joint<B>& joint, const std::vector<double>& single, double apart) {
  std::vector<double> gain;
  for (std::size_t i = 0; i < single.size(); ++i) gain.push_back(single[i] / joint.whole[i]);
  Json row = parts_of(joint.air, joint.corrected, joint.whole);
  row["triad"] = rounded(median(joint.triad));
  row["gain"] = rounded(median(gain));
  row["apart"] = apart;
  return row;
}

Json measured(const std::string& scene_file, double frequency, const std::string& stencil, int turns, double seconds) {
  const ParsedScene parsed = load_scene(
      scene_file, {{"simulation.precision=f32", fmt::format("simulation.max_frequency={}", frequency)}, true});
  if (!parsed.problems.empty()) throw Error(Status::scene, parsed.problems.front().message);
  Plan plan = make_plan(parsed.scene, *find_stencil(stencil)).plan;
  const std::size_t sites = plan.boundary.sites.size();
  plan.boundary = without_groups(plan.boundary);
  plan.snapshots.clear();
  plan.receivers.resize(std::min<std::size_t>(1, plan.receivers.size()));
  plan.sources.resize(1);
  Plan with_corrections = plan;
  with_corrections.boundary = rigid(plan.boundary);
  Plan bare = with_corrections;
  bare.near_wall.segments.clear();
  Single whole(plan), corrected(with_corrections), air(bare);
  Joint<8> eight(plan);
  Joint<16> sixteen(plan);
  const double difference = apart(whole, eight), other = apart(whole, sixteen);
  const auto nodes = static_cast<double>(plan.grid.nodes());
  const auto steps = static_cast<std::int64_t>(std::clamp(seconds / (nodes * 1e-9), 16.0, 800.0));
  const double per = 1e9 / nodes;
  for (int turn = -1; turn < turns; ++turn) {
    for (Single* const one : {&whole, &corrected, &air})
      one->ns.push_back(per / static_cast<double>(steps) * one->advance(steps, turn < 0));
    eight.turn(std::max<std::int64_t>(2, steps / 8), per);
    sixteen.turn(std::max<std::int64_t>(2, steps / 16), per);
    if (turn >= 0) continue;
    for (Single* const one : {&whole, &corrected, &air}) one->ns.clear();
    eight.clear(), sixteen.clear();
  }
  return {{"max_frequency", frequency},
          {"stencil", stencil},
          {"nodes", plan.grid.nodes()},
          {"correction_weights", eight.fields.corrected_entries()},
          {"boundary_nodes", plan.boundary.nodes.size()},
          {"branches", plan.boundary.branch_begin.back()},
          {"sites_left_out", sites - plan.boundary.sites.size()},
          {"single_ns", parts_of(air.ns, corrected.ns, whole.ns)},
          {"joint_8_ns", joint_of(eight, whole.ns, difference)},
          {"joint_16_ns", joint_of(sixteen, whole.ns, other)},
          {"order", whole.backend->describe()}};
}

void run(int argc, char** argv) {
  std::string scene = "scenes/examples/hall.toml", stencils = "leggy-1,leggy-4,compact-4", frequencies = "100,300,600";
  int turns = 9;
  double seconds = 0.05;
  const std::string command = bench::command_line("bench_joint_sources", argc, argv);
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string word = argv[i];
    if (word == "--scene")
      scene = argv[i + 1];
    else if (word == "--stencils")
      stencils = argv[i + 1];
    else if (word == "--frequencies")
      frequencies = argv[i + 1];
    else if (word == "--turns")
      turns = std::stoi(argv[i + 1]);
    else if (word == "--steps-seconds")
      seconds = std::stod(argv[i + 1]);
    else
      throw Error(Status::scene, "unknown option " + word);
  }
  const Json document{{"what",
                       "Steps of fields of 8 and 16 sources side by side in memory (a trial) beside those of passes of "
                       "one source each, of the example hall without the coupled sites at edges: processor time of one "
                       "thread in ns a node and source, in turns in one run: medians."},
                      {"date", bench::today()},
                      {"command", command},
                      {"program", version_line()},
                      {"processor", processor_name()},
                      {"device", cpu_instruction_set()}};
  bench::RowsDocument rows(document);
  for (const double frequency : bench::words<double>(frequencies))
    for (const std::string& stencil : bench::words<std::string>(stencils))
      rows.add({measured(scene, frequency, stencil, turns, seconds)});
  rows.print();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_joint_sources: {}\n", error.what());
    return 2;
  }
}

#include "engine/profiling/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "engine/planning/build/build_plan.hpp"
#include "engine/profiling/profile_room.hpp"
#include "engine/responses/metrics.hpp"
#include "engine/responses/render.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/stopwatch.hpp"
#include "engine/system/threads.hpp"
#include "engine/transducers/exchange.hpp"

namespace fdtd {
namespace {

// The material with the highest cost.
const MaterialFit& with_most_branches(const std::vector<MaterialFit>& materials) {
  return *std::ranges::max_element(materials, {}, [](const MaterialFit& fit) { return fit.branches.size(); });
}

// A plan, as it is computed, of a room of about 1/ratio of the nodes, sampled from the planned one in whole voxels.
Plan smaller_plan(const Scene& scene, const PlanResult& planned, double ratio) {
  const double shrink = std::cbrt(ratio);
  GridChoice small = planned.choice;
  for (std::size_t d = 0; d < 3; ++d)
    small.grid.size[d] = std::max(1, static_cast<int>(planned.plan.grid.size[d] / shrink));
  RoomVoxels room;
  const MaterialFit& material = with_most_branches(planned.materials);
  room.voxels = thinned_room(planned.plan.air, small.grid.size, small.grid.spacing, material.name);
  std::vector<WallLaw> laws = laws_of(scene, small, {material});
  Plan plan = build_plan(scene, small, planned.bandwidth(), std::move(laws), std::move(room));
  if (planned.exchanged) exchange_transducers(plan);
  return plan;
}

// The plan of a box's outline with its walls, as it is computed.
Plan with_walls(const Scene& scene, const PlanResult& planned) {
  Plan plan = planned.plan;
  complete(plan, make_room(scene, planned.choice).voxels);
  return plan;
}

// The plan of an outline's whole room as it is computed, with its first receivers where there are many: nodes and weights
// of all take gigabytes.
Plan whole_plan(const Scene& scene, const PlanResult& planned) {
  constexpr std::size_t most = 4096;
  const auto has_nodes = [](const Tap& tap) { return !tap.nodes.empty(); };
  if (!scene.room.mesh && std::ranges::all_of(planned.plan.sources, has_nodes) &&
      std::ranges::all_of(planned.plan.receivers, has_nodes))
    return with_walls(scene, planned);
  RoomVoxels room = make_room(scene, planned.choice);
  std::vector<WallLaw> laws = laws_of(scene, planned.choice, planned.materials);
  Scene few = scene;
  few.receivers.resize(std::min(scene.receivers.size(), most));
  room.receivers.resize(few.receivers.size());
  Plan plan = build_plan(few, planned.choice, planned.bandwidth(), std::move(laws), std::move(room));
  if (planned.exchanged) exchange_transducers(plan);
  return plan;
}

// Nodes beside walls: what the walls' part of a step grows with.
double wall_nodes(const PlanResult& planned) {
  if (planned.outline) return static_cast<double>(sum_of(planned.counts).boundary_nodes);
  return static_cast<double>(planned.plan.boundary.nodes.size());
}

// An outline is the whole plan until the end of this, where its walls are kept.
class WhileWhole {
 public:
  explicit WhileWhole(PlanResult& planned) : planned_(planned) { exchange(); }
  ~WhileWhole() { exchange(); }
  WhileWhole(const WhileWhole&) = delete;
  WhileWhole& operator=(const WhileWhole&) = delete;

 private:
  void exchange() {
    if (!planned_.walls_on_grid) return;
    std::swap(planned_.plan.near_wall, planned_.walls_on_grid->near_wall);
    std::swap(planned_.plan.boundary, planned_.walls_on_grid->boundary);
  }
  PlanResult& planned_;
};

Plan without_receivers(Plan plan) {
  plan.receivers.clear();
  return plan;
}

// Seconds, of the probe.
struct Probed {
  double load = 0.0, step = 0.0, energy = 0.0;
};

Probed probe(const Plan& plan, const Target& target, const BackendOptions& options) {
  Probed found;
  const Stopwatch start;
  const auto backend = make_backend(target, options);
  backend->load(plan, whole(plan));
  found.load = start.seconds();
  // A run of a thousand steps is not timed by three thousand, nor one of a tenth of a second by a fifth of it.
  constexpr double steps_of_a_repeat = 1000.0, short_updates = 2e7;
  const double steps = static_cast<double>(plan.steps) * static_cast<double>(pass_count(plan));
  const bool brief = steps * static_cast<double>(plan.grid.nodes()) < short_updates;
  const int repeats = brief ? 0 : static_cast<int>(std::clamp(steps / steps_of_a_repeat, 1.0, 3.0));
  found.step = backend->profile(repeats).seconds_per_step;
  const Stopwatch begun;
  (void)backend->energy();
  found.energy = begun.seconds();
  return found;
}

// One step a sweep or several, whichever is faster, as a search would find; without one the default.
Probed probe(const Plan& plan, const Target& target, int threads, bool search) {
  BackendOptions options;
  options.threads = threads;
  Probed best = probe(plan, target, options);
  if (!search || target.on_gpu() || target.ranks > 1) return best;
  options.kernel = "time_slice";
  try {
    const Probed several = probe(plan, target, options);
    return several.step < best.step ? several : best;
  } catch (const Error& error) {
    if (error.status != Status::resource) throw;  // walls inside the room that several steps a sweep cannot have
    return best;
  }
}

// A recording of some channels that decay by 60 dB, of at most `longest` steps.
Recording like_responses(const Plan& plan, std::size_t channels, std::int64_t longest) {
  Recording recording;
  recording.sample_rate = 1.0 / plan.grid.time_step;
  recording.samples = std::min(plan.steps + 1, longest);
  recording.sources = {"S"};
  for (std::size_t c = 0; c < channels; ++c) recording.receivers.push_back(fmt::format("R{}", c));
  recording.pressure.resize(channels * static_cast<std::size_t>(recording.samples));
  std::uint32_t random = 1;
  for (std::size_t i = 0; i < recording.pressure.size(); ++i) {
    random = 1664525U * random + 1013904223U;
    const double decay = std::exp(-6.9 * static_cast<double>(i % static_cast<std::size_t>(recording.samples)) /
                                  static_cast<double>(recording.samples));
    recording.pressure[i] = decay * (static_cast<double>(random >> 8U) / 8388608.0 - 1.0);
  }
  return recording;
}

// How responses are rendered, and the seconds that the tables of gain take: by a part of their samples where the plan
// is small, so that they take longer than its steps.
struct SharedRendering {
  RenderOptions options;
  double seconds = 0.0;
};
SharedRendering shared_rendering(const Scene& scene, const PlanResult& planned) {
  constexpr int probed_samples = 33;
  SharedRendering shared;
  const Stopwatch start;
  shared.options = render_options(scene, planned.plan, planned.bandwidth(), probed_samples);
  shared.seconds = start.seconds() * (gain_samples - 1) / (probed_samples - 1);
  shared.options.channels.reset();
  return shared;
}

// Seconds of some responses, as if they were as long as the plan's.
struct ProbedRendering {
  std::size_t channels = 0;
  double rendering = 0.0, measuring = 0.0;
};

// Renders and measures so many responses, of at most `longest` steps.
ProbedRendering probe_rendering(const PlanResult& planned, RenderOptions options, std::size_t channels,
                                std::int64_t longest) {
  const Plan& plan = planned.plan;
  if (!options.gain.of.empty()) options.gain.of.resize(channels);
  const Recording recording = like_responses(plan, channels, longest);
  const double fraction = static_cast<double>(recording.samples) / static_cast<double>(plan.steps + 1);
  options.duration *= fraction;
  // Tables that are made once count as often as they are made where the response is probed as it is.
  constexpr double brief = 0.5;
  if (fraction < brief) (void)render(recording, options);
  const Stopwatch rendered_from;
  const Rendered rendered = render(recording, options);
  const double rendering = rendered_from.seconds();
  MetricsOptions figures;
  figures.valid_bandwidth = planned.bandwidth();
  const auto samples = static_cast<std::size_t>(rendered.samples);
  const Stopwatch measured_from;
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (channels > 2)
  for (std::size_t c = 0; c < channels; ++c)
    failure.guard(
        [&] { (void)measure(std::span(rendered.ir).subspan(c * samples, samples), rendered.sample_rate, figures); });
  failure.rethrow();
  return {channels, rendering / fraction, measured_from.seconds() / fraction};
}

// Rendering and measuring a few responses, or the beginning of one, for all of them: what all channels share (the gains,
// filters and tables) is timed once, a channel's time by as many as take a hundredth of a second, in this number of
// threads. The report draws the first dozen one after the other.
double predict_rendering(const Scene& scene, const PlanResult& planned) {
  constexpr std::size_t drawn = 12, most = 256;
  constexpr double enough_values = 2e5;
  constexpr std::int64_t longest = 100000, brief = 1000, brief_parts = 8;
  const Plan& plan = planned.plan;
  const std::size_t channels = plan.sources.size() * plan.receivers.size();
  if (channels == 0) return 0.0;
  const SharedRendering shared = shared_rendering(scene, planned);
  // Of the responses that do not fit into as many rounds of threads as were probed, each takes a thread's time.
  const auto threads = static_cast<std::size_t>(std::max(1, hardware_threads()));
  const auto rounds = [&](std::size_t count) { return static_cast<double>((count + threads - 1) / threads); };
  constexpr double written = 4e-9;  // s a value: result.h5 and sound files, checksums included
  const double values = static_cast<double>(channels) * (static_cast<double>(plan.steps) +
                                                         1.5 * scene.simulation.duration * shared.options.output_rate);
  const auto seconds_by = [&](const ProbedRendering& probed) {
    const double times = rounds(channels) / rounds(probed.channels);
    const double alone = probed.measuring / rounds(probed.channels);
    return shared.seconds + times * (probed.rendering + probed.measuring) +
           static_cast<double>(std::min(channels, drawn)) * alone + written * values;
  };
  const std::int64_t steps = std::clamp(plan.steps / brief_parts, brief, longest);
  const auto enough = static_cast<std::size_t>(enough_values / static_cast<double>(std::min(steps, plan.steps) + 1));
  return seconds_by(
      probe_rendering(planned, shared.options, std::clamp<std::size_t>(enough, 1, std::min(channels, most)), steps));
}

}  // namespace

bool probed_itself(const Scene& scene, const PlanResult& planned, const Target& target) {
  constexpr std::int64_t largest_mesh = 200'000'000;  // nodes
  const std::int64_t nodes = planned.plan.grid.nodes();
  if (planned.outline && !planned.walls_on_grid) return false;
  return nodes <= probe_nodes(target) || (scene.room.mesh && nodes <= largest_mesh && fields_fit(planned.plan, target));
}

PredictedTime predict_time(const Scene& scene, PlanResult& planned, const Target& target, int threads, bool search,
                           double planned_in) {
  const Stopwatch start;
  const WhileWhole computed(planned);
  const Grid& grid = planned.plan.grid;
  const double ratio = static_cast<double>(grid.nodes()) / static_cast<double>(probe_nodes(target));
  const bool itself = probed_itself(scene, planned, target);
  // A rank's own part where several share the room: it is planned already, and no rank has memory for the others'.
  const Plan* const part = planned.part && !target.on_gpu() ? &planned.part->own.plan : nullptr;
  Plan probed;
  if (!itself && part == nullptr)
    probed = ratio > 1.0 ? smaller_plan(scene, planned, ratio) : whole_plan(scene, planned);
  const Plan& plan = itself ? planned.plan : part != nullptr ? *part : probed;
  const Probed found = probe(plan, target, threads, search);
  const double nodes = static_cast<double>(grid.nodes()) / static_cast<double>(plan.grid.nodes());
  // Of a step the interior's part grows with the nodes, the walls' with the nodes beside them; parts cost alike.
  double step = part != nullptr ? target.ranks * found.step : found.step;
  if (!itself && part == nullptr) {
    const double bare = std::min(found.step, probe(without_walls(plan), target, threads, search).step);
    const double walls =
        wall_nodes(planned) / static_cast<double>(std::max<std::size_t>(1, plan.boundary.nodes.size()));
    step = nodes * bare + walls * (found.step - bare);
  }
  const std::size_t heard = plan.receivers.size(), all_heard = planned.plan.receivers.size();
  if (ratio <= 1.0 && part == nullptr && heard > 0 && heard < all_heard) {  // the others' part, as of these
    const double deaf = std::min(found.step, probe(without_receivers(plan), target, threads, search).step);
    step += (found.step - deaf) * static_cast<double>(all_heard - heard) / static_cast<double>(heard);
  }
  const double passes = static_cast<double>(std::max<std::size_t>(1, pass_count(planned.plan)));
  const double steps = static_cast<double>(planned.plan.steps) * passes;
  PredictedTime time;
  time.steps = steps * (step + nodes * found.energy / static_cast<double>(planned.plan.energy_interval));
  if (search) time.search = step * (target.on_gpu() ? search_steps_gpu : search_steps_cpu);
  time.rendering = predict_rendering(scene, planned);
  time.planning = planned_in + (part != nullptr ? 1.0 : nodes) * found.load + start.seconds();
  return time;
}

}  // namespace fdtd

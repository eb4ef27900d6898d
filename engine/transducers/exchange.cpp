#include "engine/transducers/exchange.hpp"

#include "engine/transducers/channels.hpp"
#include "scenes/moving_receivers.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fdtd {
namespace {

// As source_channels and receiver_channels make them: scenes have 10^5 receivers, and stencils are chosen by passes.
template <class Spec>
std::size_t channel_count(const std::vector<Spec>& list) {
  return std::accumulate(list.begin(), list.end(), std::size_t{0},
                         [](std::size_t sum, const Spec& one) { return sum + channel_count(one.directivity); });
}

std::vector<JointParts> joint_parts(const std::vector<SourceSpec>& sources) {
  std::vector<JointParts> joint;
  std::size_t channel = 0;
  for (const SourceSpec& one : sources) {
    const std::size_t channels = channel_count(one.directivity);
    const bool measured = one.directivity.pattern == measured_pattern;
    if (channels > 1) joint.push_back({channel, measured ? 1.0 : omni_fraction(one.directivity.pattern), channels});
    channel += channels;
  }
  return joint;
}

bool has_harmonics(const std::vector<SourceSpec>& sources) {
  return std::ranges::any_of(sources, [](const SourceSpec& one) {
    return one.directivity.pattern == measured_pattern && channel_count(one.directivity) > 1;
  });
}

}  // namespace

Passes passes_of(const Scene& scene) {
  const bool omnidirectional =
      std::ranges::all_of(scene.receivers, [](const ReceiverSpec& one) { return one.directivity.pattern == "omni"; });
  const std::size_t channels = channel_count(scene.sources);
  Passes as_it_is{channels, false};
  as_it_is.joint = joint_parts(scene.sources);
  for (const JointParts& one : as_it_is.joint) as_it_is.count -= one.count - 1;
  const Reciprocity wish = scene.simulation.reciprocity;
  if (wish == Reciprocity::off || !scene.output.snapshots.empty()) return as_it_is;
  if (scene.sources.empty() || scene.receivers.empty()) return as_it_is;
  // Of many receivers the channels need not be counted.
  if (wish == Reciprocity::automatic && scene.receivers.size() >= channels) return as_it_is;
  if (scene.simulation.precision == Precision::f32 && !omnidirectional) return as_it_is;
  const std::vector<bool> turning = turning_receivers(scene.receivers, scene.moving);
  const auto turns = static_cast<std::size_t>(std::ranges::count(turning, true));
  const Passes exchanged{channel_count(scene.receivers) + turning_parts * turns, true};
  const std::size_t most = has_harmonics(scene.sources) ? as_it_is.count - 1 : as_it_is.count;
  const bool fewer = exchanged.count < channels && exchanged.count <= most;
  return wish == Reciprocity::on || fewer ? exchanged : as_it_is;
}

void exchange_transducers(Plan& plan) { std::swap(plan.sources, plan.receivers); }

}  // namespace fdtd

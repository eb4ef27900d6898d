#include "engine/transducers/exchange.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fdtd {
namespace {

// As source_channels and receiver_channels make them: scenes have 10^5 receivers, and stencils are chosen by passes.
template <class Spec>
std::size_t channel_count(const std::vector<Spec>& list) {
  return std::accumulate(list.begin(), list.end(), std::size_t{0}, [](std::size_t sum, const Spec& one) {
    const Directivity& directivity = one.directivity;
    if (directivity.pattern == "omni") return sum + 1;
    if (directivity.pattern == "ambisonic")
      return sum + static_cast<std::size_t>((directivity.order + 1) * (directivity.order + 1));
    return sum + (omni_fraction(directivity.pattern) > 0.0 ? 2U : 1U);
  });
}

}  // namespace

Passes passes_of(const Scene& scene) {
  const Passes as_it_is{channel_count(scene.sources), false};
  const Reciprocity wish = scene.simulation.reciprocity;
  if (wish == Reciprocity::off || !scene.output.snapshots.empty()) return as_it_is;
  if (scene.sources.empty() || scene.receivers.empty()) return as_it_is;
  // Of many receivers the channels need not be counted.
  if (wish == Reciprocity::automatic && scene.receivers.size() >= as_it_is.count) return as_it_is;
  const bool omnidirectional =
      std::ranges::all_of(scene.receivers, [](const ReceiverSpec& one) { return one.directivity.pattern == "omni"; });
  if (scene.simulation.precision == Precision::f32 && !omnidirectional) return as_it_is;
  const Passes exchanged{channel_count(scene.receivers), true};
  return wish == Reciprocity::on || exchanged.count < as_it_is.count ? exchanged : as_it_is;
}

void exchange_transducers(Plan& plan) { std::swap(plan.sources, plan.receivers); }

}  // namespace fdtd

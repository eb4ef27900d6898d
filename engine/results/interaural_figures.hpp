// The interaural figures of the binaural receivers of a result.
#pragma once

#include <cstddef>

#include "engine/responses/metrics.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

// Of channel s * receivers + r, the first one of its receiver: where that is binaural, IACC of its ears in the first
// rotation takes the place of those in `metrics`, the figures of the pressure at the middle of the head. Time begins at
// the ear that sound reaches first. `options`: those of the channel.
void add_interaural(Metrics& metrics, const Result& result, std::size_t channel, MetricsOptions options);

}  // namespace fdtd

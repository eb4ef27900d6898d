// The recording of a run: the samples of the receivers at the sample rate of the grid, and the energy over time.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/plan/channel_id.hpp"

namespace fdtd {

struct EnergyPoint {
  std::int64_t step = 0;
  Energy energy;
  double balance_error = 0.0;  // (stored + dissipated - injected) / largest injected so far
};

struct Recording {
  double sample_rate = 0.0;  // 1 / time step, Hz
  std::int64_t samples = 0;
  std::vector<ChannelId> sources, receivers;
  // pressure[(s * receivers + r) * samples + n] is u^n (n = 0: before the first step, zero) for the drive f = (1, -1,
  // 0, ...) of source s: the response to the backward difference of a unit sample. Zero mean keeps a closed room's
  // static pressure from growing; rendering sums it up again.
  std::vector<double> pressure;
  std::vector<std::vector<EnergyPoint>> energy;  // energy over time, one list per pass
  // The receivers sent and the sources recorded (transducers/exchange.hpp): a pass belongs to a receiver, not a source.
  bool exchanged = false;
  const std::vector<ChannelId>& senders() const { return exchanged ? receivers : sources; }  // one a pass
};

}  // namespace fdtd

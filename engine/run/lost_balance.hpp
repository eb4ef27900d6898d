// Recordings of which some passes end early: a run whose energy balance is lost, with what it had recorded until then.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "engine/run/recording.hpp"

namespace fdtd {

// Status numerical. The recording holds what was in balance: sources whose passes have ended, and the one under way up to
// its last healthy energy point. Others are silent, without energy points, as is one of several channels of which some
// are missing.
struct LostBalance : Error {
  LostBalance(const Error& error, Recording recorded);
  std::shared_ptr<const Recording> recording;  // null: nothing was in balance
  double seconds = 0.0;                        // spent in time steps, where it is known
};

// Passes that ended early leave zeros; removes samples that no pass reached.
void cut_to_longest(Recording& recording);

// Takes from a recording all that is not healthy, when the pass of `source` lost its balance after the step of its last
// energy point; `sources`: how many send in that pass. The kept record ends with a fade where others are longer.
Recording healthy_part(Recording recording, std::int64_t source, std::int64_t sources = 1);

// The kept sources and how far they are recorded: "S1; S2 for 0.12 of 1.5 s".
std::string kept_text(const Recording& recording, std::int64_t steps);

}  // namespace fdtd

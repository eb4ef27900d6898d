// Notches of first reflections beside the dips of records of a run in a small room.
#pragma once

#include <vector>

#include "engine/notches/wall_notches.hpp"
#include "engine/run/recording.hpp"
#include "engine/small_rooms/wave_scene.hpp"

namespace fdtd {

// Of each source of `scene` at each receiver, up to the first most_notch_pairs. `records`: one channel a pair in that order,
// recorded with the sources and receivers of `plan`; they become responses as those of `fdtd run`.
std::vector<PairNotches> run_notches(const Scene& scene, const Plan& plan, const Recording& records,
                                     const WaveRequest& request);

// Of the first `sources` and the receivers from `receiver` on, so many.
Recording part_of(const Recording& recording, std::size_t sources, std::size_t receiver, std::size_t receivers);

}  // namespace fdtd

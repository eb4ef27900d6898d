// Notches of first reflections in the responses of a result.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/notches/wall_notches.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

// Of the first most_notch_pairs pairs of the result's scene, in notch_band as far as the responses are valid, with their
// dips; pairs without a notch included.
std::vector<PairNotches> result_notches(const Scene& scene, const Result& result);

// Fills the dips of `pair` by a channel of the result.
void find_dips(PairNotches& pair, const Result& result, std::size_t channel);

}  // namespace fdtd

// Figures of a decay that is a sum of exponentials: EDT, T20, T30 and its slopes.
#pragma once

#include <optional>
#include <vector>

#include "engine/estimate/model.hpp"

namespace fdtd {

struct DecaySlope {
  double seconds = 0.0;  // for 60 dB
  double level = 0.0;    // dB, of its part of the steady state
};

struct DecayFigures {
  // s; lines fitted from 0 to -10, from -5 to -25 and from -5 to -35 dB, as ISO 3382-1 has them
  std::optional<double> EDT, T20, T30;
  std::vector<DecaySlope> slopes;  // the slowest first; more than one where the decay is bent
};

// `direct`: energy density that ends at once. Levels count from the steady state with it.
DecayFigures decay_figures(const ModalDecay& decay, double direct);

}  // namespace fdtd

// Figures of a decay that is a sum of exponentials: EDT, T30 and its slopes.
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
  std::optional<double> EDT, T30;  // s; lines fitted from 0 to -10 and from -5 to -35 dB, as ISO 3382-1 has them
  std::vector<DecaySlope> slopes;  // the slowest first; more than one where the decay is bent
};

// `direct`: energy density that ends at once. Levels count from the steady state with it.
DecayFigures decay_figures(const ModalDecay& decay, double direct);

}  // namespace fdtd

// The gain of the scheme and of the weights at sources and receivers, to be divided out of the response: the root mean
// square over all directions of g |W_source| |W_receiver|, g = 2 kappa / K'(kappa) at K(kappa) = 4 sin^2(w/2), W the
// factor by which weights multiply a plane wave, relative to that of their operation. Derivation:
// docs/explanation/impulse-responses.md, section 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/plan/plan.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

inline constexpr int gain_samples = 257;  // of a table

// The root mean square of g at `samples` >= 2 equally spaced w = omega T from 0 to pi. Exact up to the frequency at
// which some direction has no wave or twice the gain of the map that rendering undoes (1 without a radial map); above
// it, where the low-pass of rendering cuts, log g continues smoothly to a constant.
std::vector<double> source_gain(const GridStencil& stencil, int samples = gain_samples, const FrequencyMap& map = {});

// The gain of a table of channel_gain at the numerical frequency w, 0..pi: cubic interpolation.
double gain_at(const std::vector<double>& gain, double w);

// Tables of gain, and which of them each channel has: [s * receivers + r]. Channels with equal places within a cell
// share one.
struct ChannelGain {
  std::vector<std::vector<double>> tables;
  std::vector<std::uint32_t> of;
  const std::vector<double>& operator[](std::size_t channel) const { return tables[of[channel]]; }
  bool operator==(const ChannelGain&) const = default;
};

// The same with the plan's taps. Never below 1/4, so that no frequency is raised by more than 12 dB. Taps beside a wall
// read the mirrored field and count like others.
ChannelGain channel_gain(const Plan& plan, int samples = gain_samples);

// A table of a source of the plan at a receiver that is a node: without weights of a receiver.
std::vector<double> gain_at_node(const Plan& plan, const Tap& source, int samples = gain_samples);

}  // namespace fdtd

// The gain of the scheme at sources and receivers, to be divided out of the response.
//
// Let u^{n+1} - S u^n + u^{n-1} = A f^n at one node, A = 4 pi c^2 T^2 / cell volume. With K = 2 - s the symbol of 2I -
// S and w the numerical frequency, the field is
//   U(x) = A F(w) / (2 pi)^3 * integral of e^{i k.x} / (K(k) - 4 sin^2(w/2)) d^3k,
// integrated over the Brillouin zone (k per cell).
// Write kappa = c T |k per metre| (so K = kappa^2 to lowest order). In a direction of wave vectors the pole lies where
// K(kappa) = 4 sin^2(w/2), and near it K - 4 sin^2(w/2) = K'(kappa) (kappa' - kappa), where the exact operator has
// 2 kappa (kappa' - kappa): the far field is F(w) g(w) e^{-i kappa r/(cT)} / r with
//   g = 2 kappa / K'(kappa),   K(kappa) = 4 sin^2(w/2).
// With 2 cos w = s this is (w / sin w) / (v v_g), v = w/kappa and v_g = dw/dkappa the relative phase and group
// velocities. Rendering that undoes a map of frequencies reads the response at the same w (responses/render.hpp), so the same g holds: a
// scheme that is exact in space, K = kappa^2, then has g = 1, and one that is exact in space and time,
// K = 4 sin^2(kappa/2), has g = w / sin w.
//
// Taps have a gain too: weights w_i at x_i in place of a point x multiply a plane wave by
//   W(k) = sum_i w_i e^{i k.(x_i - x)},
// at the source and at the receiver; between nodes |W| falls to zero towards the grid's shortest waves.
//
// A tap with an operation P of degree n (field_operator.hpp) should have |W| = |P| K^n, K the true wave number, omega /
// c, of the direction's wave; |W_source| and |W_receiver| are then relative to that: so the errors of the derivatives
// and the dispersion to the power n are equalised as well.
//
// A channel is divided by the root mean square of g |W_source| |W_receiver| over the directions of the wave vector
// (evenly over the sphere: directions of the sound field, each with its scheme's density of modes), so that levels of
// bands are right. Single directions differ from it, which no filter at the receiver can correct.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/plan/plan.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// The root mean square of g at `samples` >= 2 equally spaced w = omega T from 0 to pi. Exact up to the frequency at
// which some direction has no wave or twice the gain of the map that rendering undoes (1 without a radial map); above
// it, where the low-pass of rendering cuts, log g continues smoothly to a constant.
std::vector<double> source_gain(const GridStencil& stencil, int samples = 257, const FrequencyMap& map = {});

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
ChannelGain channel_gain(const Plan& plan, int samples = 257);

}  // namespace fdtd

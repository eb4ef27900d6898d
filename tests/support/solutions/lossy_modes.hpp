// The exact modes of a box whose walls have frequency-dependent admittances, and the response as their sum.
//
// Time as exp(i omega t). Along an axis of length L, with the normalised admittances Y of its two walls and
// a = i (omega / c) Y, a mode is cos(k x) + (a_0 / k) sin(k x), and
//   (k^2 - a_0 a_L) sin(k L) = k (a_0 + a_L) cos(k L);
// omega^2 = c^2 (k_x^2 + k_y^2 + k_z^2) couples the axes (H. Kuttruff, "Room Acoustics", chapter 3). Residues count
// that the walls depend on frequency.
#pragma once

#include <array>
#include <complex>
#include <functional>
#include <vector>

#include "engine/planning/choose/grid_choice.hpp"
#include "scenes/scene.hpp"

namespace fdtd::test {

struct LossyBox {
  std::array<double, 3> sides{};             // m
  std::array<std::vector<Branch>, 6> walls;  // in the order of wall_names
  double sound_speed = 343.2;
};

struct LossyMode {
  std::array<std::complex<double>, 3> k, slope;                       // 1/m; a_0 / k
  std::complex<double> omega;                                         // rad/s, imaginary part above 0
  std::complex<double> residue;                                       // of the product of the two shapes
  std::complex<double> shape(const std::array<double, 3>& at) const;  // m, from the corner x_min, y_min, z_min
};

// Those of up to `highest` Hz but for that of constant pressure. Throws std::runtime_error if they do not converge.
std::vector<LossyMode> lossy_modes(const LossyBox& box, double highest);

// A mode on a grid: a shift of its frequency (rad/s) and a factor of its amplitude.
struct ModeChange {
  double shift = 0.0, factor = 1.0;
};
// The frequency that the symbol of the grid gives the mode's wave vector, once rendering has undone the map, and the
// gain of its direction over the mean that rendering divides by. Decays stay as they are.
std::function<ModeChange(const LossyMode&)> on_grid_of(const GridChoice& choice);

// The response to a monopole as this program defines it (samples of an arrival sum to 1/r), by the sum over the modes.
std::vector<double> modal_sum(const std::vector<LossyMode>& modes, double sound_speed,
                              const std::array<double, 3>& source, const std::array<double, 3>& receiver,
                              const std::function<ModeChange(const LossyMode&)>& change, double duration, double rate);

}  // namespace fdtd::test

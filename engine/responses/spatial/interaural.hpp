// The interaural cross-correlation coefficient of ISO 3382-1:2009, annex B: the largest absolute value of
//
//   IACF(tau) = int p_l(t) p_r(t + tau) dt / sqrt(int p_l^2 dt int p_r^2 dt),   -1 ms <= tau <= 1 ms.
#pragma once

#include <optional>
#include <span>

namespace fdtd {

// Of a part of both ears' signals, as long as each other; `rate`: Hz; `highest`: Hz, up to about which they have sound.
// Between samples the function is the band-limited one. nullopt where an ear is silent.
std::optional<double> interaural_coefficient(std::span<const double> left, std::span<const double> right, double rate,
                                             double highest);

}  // namespace fdtd

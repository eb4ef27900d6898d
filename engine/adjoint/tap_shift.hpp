// The change of a source's or receiver's weights as it moves, for the gradient by its position (gradient.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <functional>

#include "engine/adjoint/adjoint_plan.hpp"

namespace fdtd {

// By metre of a shift along `axis` from `position` (m): the central difference of the taps that `make` gives `step` metres
// before and behind, by steps of half a spacing's thousandth exact to 1e-6 where both have the same nodes. Weights bend
// where a tap's nodes change, halfway between nodes and on them; there the change is the mean of both sides'.
TapChange tap_shift(std::size_t tap, const std::array<double, 3>& position, int axis, double step,
                    const std::function<Tap(const std::array<double, 3>&)>& make);

}  // namespace fdtd

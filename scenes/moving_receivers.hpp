// Receivers that move: a receiver at each place of a path, once the whole scene is read.
#pragma once

#include <functional>
#include <string>

#include "scenes/scene.hpp"

namespace fdtd {

// Replaces the one receiver that stands for each of Scene::moving by receivers at the places of its path, NAME_1,
// NAME_2, ...; a path at rest leaves a receiver like any other. Where no places can be chosen, by the path's speed, extent
// or pattern, `fail` gets the reason and the remedy, and the receiver goes.
void place_moving_receivers(
    Scene& scene, const std::function<void(const MovingReceiver&, std::string reason, std::string remedy)>& fail);

}  // namespace fdtd

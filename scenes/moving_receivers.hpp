// Receivers that move: a receiver at each place of a path, once the whole scene is read.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "scenes/scene.hpp"

namespace fdtd {

// Replaces the one receiver that stands for each of Scene::moving by receivers at the places of its path, NAME_1,
// NAME_2, ...; a path at rest leaves a receiver like any other. Where no places can be chosen, by the path's speed, extent
// or pattern, `fail` gets the reason and the remedy, and the receiver goes.
void place_moving_receivers(
    Scene& scene, const std::function<void(const MovingReceiver&, std::string reason, std::string remedy)>& fail);

// Of each of Scene::receivers, whether its pattern turns with the yaw of its path: one of the cardioid family, unless it
// points up or down, or the yaw is 0 throughout.
std::vector<bool> turning_receivers(std::span<const ReceiverSpec> receivers, std::span<const MovingReceiver> moving);

}  // namespace fdtd

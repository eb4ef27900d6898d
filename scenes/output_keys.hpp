// The table [output] and its snapshots.
#pragma once

#include <vector>

#include "scenes/key_tables.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

void read_output(Scene& scene, const At& at);
std::vector<KeyTable> output_tables();

}  // namespace fdtd

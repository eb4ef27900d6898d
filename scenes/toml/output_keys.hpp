// The table [output] and its snapshots.
#pragma once

#include <vector>

#include "scenes/scene.hpp"
#include "scenes/toml/key_tables.hpp"

namespace fdtd {

void read_output(Scene& scene, const At& at);
std::vector<KeyTable> output_tables();

}  // namespace fdtd

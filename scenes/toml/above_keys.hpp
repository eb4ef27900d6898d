// The table [above].
#pragma once

#include <vector>

#include "scenes/scene.hpp"
#include "scenes/toml/key_tables.hpp"

namespace fdtd {

void read_above(Scene& scene, const At& at);
std::vector<KeyTable> above_tables();

}  // namespace fdtd

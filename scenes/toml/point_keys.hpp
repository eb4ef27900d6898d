// The tables [[source]] and [[receiver]].
#pragma once

#include <vector>

#include "scenes/scene.hpp"
#include "scenes/toml/key_tables.hpp"

namespace fdtd {

void read_sources(Scene& scene, const At& at);
void read_receivers(Scene& scene, const At& at);
std::vector<KeyTable> point_tables();

}  // namespace fdtd

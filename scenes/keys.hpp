// Every key of a scene, stated once.
#pragma once

#include <string>
#include <vector>

#include "scenes/reader.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// All keys that a scene, version 1, may hold, dotted, tables of any name as *: "simulation.duration",
// "materials.*.absorption.bands", "source.*.name". Those that are refused as not yet there are among them.
const std::vector<std::string>& known_keys();

// Fills `scene` from the document; what is wrong goes to reading.problems and leaves the default in its place.
void read_scene(Scene& scene, const Value& root, Reading& reading);

}  // namespace fdtd

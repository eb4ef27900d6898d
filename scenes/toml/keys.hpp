// All keys of a scene file: the root table, [simulation] and [air] here, the other tables in files of their own.
#pragma once

#include <string>
#include <vector>

#include "scenes/scene.hpp"
#include "scenes/toml/key_tables.hpp"
#include "scenes/toml/reader.hpp"

namespace fdtd {

// Every table of a scene file, version 1, with every key and its description, in the order of the reference manual.
const std::vector<KeyTable>& scene_tables();

// The keys of scene_tables(), dotted, tables of any name as *: "simulation.duration", "materials.*.absorption.bands",
// "source.*.name".
const std::vector<std::string>& known_keys();

// Fills `scene` from the document. Problems go to reading.problems; a key with a problem keeps its default.
void read_scene(Scene& scene, const Value& root, Reading& reading);

}  // namespace fdtd

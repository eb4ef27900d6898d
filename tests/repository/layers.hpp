// The layers, checked on the sources: includes run one way, folder to folder, along cli -> engine -> scenes ->
// base, stencils.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fdtd::test {

// One line for each include under `root` that a rule forbids, "engine/plan/plan.hpp:7: <mpi.h>: why", and for each
// folder that is too full; sorted, empty if none. Reads cli/, engine/, scenes/, base/, stencils/, tests/ and bench/
// (those there are), .hpp, .cpp, .cuh and .cu.
std::vector<std::string> layer_violations(const std::filesystem::path& root);

// The folders under cli/, each with those that it may include.
std::vector<std::pair<std::string, std::vector<std::string>>> folder_rules();

}  // namespace fdtd::test

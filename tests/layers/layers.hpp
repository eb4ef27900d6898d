// Who may include whom, read off the sources: an arrow of cli -> engine -> scenes -> stencils never runs back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fdtd::test {

// One line for each include under `root` that a rule forbids, "engine/plan.hpp:7: <mpi.h>: why"; sorted, empty if none.
// Reads cli/, engine/, scenes/, stencils/, tests/ and bench/ (those there are), .hpp, .cpp, .cuh and .cu.
std::vector<std::string> layer_violations(const std::filesystem::path& root);

}  // namespace fdtd::test

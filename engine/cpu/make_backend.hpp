// What the CPU backend offers: the backend itself, the slow reference, and the memory that it takes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "engine/backend/backend.hpp"

namespace fdtd {

std::unique_ptr<Backend> make_cpu_backend(const BackendOptions& options = {});
std::unique_ptr<Backend> make_reference_backend();  // slow, plain, for tests: cpu/reference.cpp
std::int64_t cpu_state_bytes(const Plan& plan);     // what load will take on the CPU
// Of a plan's grid, precision and stencil, with so many walls.
std::int64_t cpu_state_bytes(const Plan& shape, const PlaneCounts& walls);

// $XDG_CACHE_HOME (or ~/.cache)/fdtd/march.txt; empty where there is no home.
std::filesystem::path default_march_file();

}  // namespace fdtd

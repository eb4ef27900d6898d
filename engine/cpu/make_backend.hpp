// The interface of the CPU backend: the backend itself, the slow reference, and the memory that they need.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "engine/backend/backend.hpp"

namespace fdtd {

std::unique_ptr<Backend> make_cpu_backend(const BackendOptions& options = {});
std::unique_ptr<Backend> make_reference_backend();  // slow, plain, for tests: cpu/reference.cpp
std::int64_t cpu_state_bytes(const Plan& plan);     // what load() allocates
// The same for a plan's grid, precision and stencil, with these walls.
std::int64_t cpu_state_bytes(const Plan& shape, const PlaneCounts& walls);

// The best instruction set that this build and this processor have: "AVX-512", "AVX2" or "baseline".
const char* cpu_instruction_set();

// $XDG_CACHE_HOME (or ~/.cache)/fdtd/tune_cpu.json; empty without a home directory.
std::filesystem::path default_tile_order_file();

}  // namespace fdtd

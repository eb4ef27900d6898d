// Where a plan is computed: on the CPU or a GPU, by how many ranks, with how much memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/backend/backend.hpp"
#include "engine/plan/plan.hpp"
#include "engine/system/ranks.hpp"

namespace fdtd {

struct Target {
  int gpu = -1;                  // number of the GPU; -1: the CPU
  std::int64_t free_memory = 0;  // of the GPU, bytes
  int ranks = 1,
      local_ranks = 1;  // that share the plan, each with such a device; of these on this machine. 0: not known yet
  int rank = 0;         // whose part is planned; -1: of none, the plan is only reported
  // All ranks, where they plan at the same time, each on a target like this one, and share that work.
  Ranks* planners = nullptr;
  bool on_gpu() const { return gpu >= 0; }
  std::string text() const;  // "cpu", "cuda:0", "4 ranks, cuda"
};

// GPU `index` in its present state. Throws Error (status resource) where it does not exist or cannot be used, with the
// reason.
Target gpu_target(int index);

std::unique_ptr<Backend> make_backend(const Target& target, const BackendOptions& options);

// Bytes of the plan's fields on the target; uses only grid, precision and stencil of the plan.
std::int64_t field_bytes(const Target& target, const Plan& plan);

// Nodes of the probe that predicts a run's time: larger than every cache, yet quick to build and to step.
std::int64_t probe_nodes(const Target& target);

}  // namespace fdtd

// Where a plan is computed: the CPU or one of the GPUs, and whether its memory holds it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/backend/backend.hpp"
#include "engine/plan/plan.hpp"

namespace fdtd {

struct Target {
  int gpu = -1;                  // number of the GPU; -1: the CPU
  std::int64_t free_memory = 0;  // of the GPU, bytes
  int ranks = 1,
      local_ranks = 1;  // that share the plan, each with such a device; those of this machine. 0: not known yet
  int rank = 0;         // whose share is planned; -1: nobody's, for the plan is only told
  bool on_gpu() const { return gpu >= 0; }
  std::string text() const;  // "cpu", "cuda:0", "4 ranks, cuda"
};

// GPU `index` as it is now. Throws Error (status resource) where it is not there, or cannot be used, with the reason.
Target gpu_target(int index);

std::unique_ptr<Backend> make_backend(const Target& target, const BackendOptions& options);

// What `plan`'s fields take there; of the plan only grid, precision and stencil are looked at.
std::int64_t field_bytes(const Target& target, const Plan& plan);

// Nodes of a probe that is stepped to predict a run's time: out of every cache, made and stepped in a moment.
std::int64_t probe_nodes(const Target& target);

}  // namespace fdtd

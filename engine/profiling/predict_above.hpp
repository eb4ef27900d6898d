// Predicts the part of a run above the waves' band: image sources and rays of a few receivers are traced for a moment.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/above/above_plan.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct AboveTime {
  double seconds = 0.0;
  bool at_most = false;  // above.rays = "auto": T20 may converge before
};

// In the threads of the caller. With above.rays = "auto" the rays are as many as it may take.
AboveTime predict_above(const Scene& scene, const AbovePlan& plan);

// Numbers of a scene with which memory above the waves' band grows.
struct AboveSize {
  double outputs = 0.0;    // of all sources
  double channels = 0.0;   // responses
  double receivers = 0.0;  // places
  double patterned = 0.0;  // of them with directions
  double together = 1.0;   // channels of a receiver, the most
  double triangles = 0.0;  // 0: a box
  double rate = 48000.0;   // Hz, of the responses
};
AboveSize above_size(const Scene& scene);

// Bytes that the part takes beside the run, an upper bound.
std::int64_t above_bytes(const AboveSize& size, const AbovePlan& plan, int threads);

// Throws Error (status resource) where `bytes` above `plan.crossover` do not fit into `available` beside those of
// recordings.
void require_above_memory(std::int64_t bytes, std::int64_t recordings, std::int64_t available, const AboveSize& size,
                          const AbovePlan& plan);

}  // namespace fdtd

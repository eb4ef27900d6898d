// How a room's step is shared among GPUs: what each holds, and how long a step takes, from bytes and three speeds.
// After the roofline of S. Williams, A. Waterman, D. Patterson (Comm. ACM 52, 2009) for the inside, and latency and
// bandwidth for halos.
//
// A step of a slab: its bytes (plane_costs) at the memory's speed, and a fixed time for launches. Halos, R planes to
// and from each neighbour, travel meanwhile: only what they take longer than the inside shows. The planes that wait for
// them cost besides, in proportion to a halo's bytes: the rest, at every border.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/plan/slab.hpp"

namespace fdtd {

//
// Of this, memory, launches and edges are fitted to two and four H200 of one machine, and the worst of that fit is told
// (efficiency_error; a test holds it against the measurements). link and latency between machines are what makers
// promise: beyond one machine the model is paper.
struct Interconnect {
  double memory = 3.8e12;   // bytes/s that a kernel moves; an H200, measured: 320 Gpts/s of 12 bytes (README)
  double link = 300e9;      // bytes/s to a neighbour, each way; NVLink 4. InfiniBand NDR, between machines: 45e9
  double latency = 15e-6;   // s, of an exchange
  double launches = 12e-6;  // s a step
  double edges =
      320e9;  // bytes/s of the planes that wait for a neighbour; two and four H200 (bench/results/h200/ranks.json)
};

// Bytes that slab i needs on its GPU: two fields with their halos, and its walls. `counts`: plane_counts of the plan,
// of which grid, precision and stencil are looked at besides.
std::vector<std::int64_t> slab_bytes(const Plan& plan, std::span<const PlaneCounts> counts,
                                     const std::vector<Slab>& slabs);

// GPUs of so much memory that hold the room; 0: none could, for slabs would be too thin.
int gpus_needed(const Plan& plan, std::span<const PlaneCounts> counts, std::int64_t memory_of_one);

// A cube or any box by its numbers, for tables: bytes of a step, and of one halo (R planes).
struct StepBytes {
  double step = 0.0, halo = 0.0;
};
StepBytes step_bytes(const Plan& plan, std::span<const PlaneCounts> counts);

// With the memory's speed that a room's step on one GPU was measured to have, kernel and walls and all.
Interconnect speeds_of(const StepBytes& bytes, double seconds_of_one, Interconnect interconnect = {});

// The share of a machine's or of several machines' GPUs: NVLink within, InfiniBand NDR between.
inline constexpr int gpus_a_machine = 8;
Interconnect between_machines(Interconnect within = {});

// How far strong_efficiency and weak_efficiency, from the time of one GPU, were off in bench/results/h200/ranks.json,
// at most.
inline constexpr double efficiency_error = 0.065;

// Seconds a step on `gpus` that share it evenly.
double step_seconds(const StepBytes& bytes, int gpus, const Interconnect& interconnect);
// t_1/(N t_N) of the same room; t_1/t_N of a room N times as long along z.
double strong_efficiency(const StepBytes& bytes, int gpus, const Interconnect& interconnect);
double weak_efficiency(const StepBytes& bytes, int gpus, const Interconnect& interconnect);

// The model carried on: 1, 2, 4 .. `most` GPUs, and `gpus_a_machine` of them a machine.
struct ScalingPoint {
  int gpus = 1;
  double strong = 0.0;  // of this room; 0: its slabs would be too thin
  double weak = 0.0;    // of one so many times as long
};
std::vector<ScalingPoint> scaling_of(const StepBytes& bytes, int max_slabs, const Interconnect& within,
                                     int most = 1024);

}  // namespace fdtd

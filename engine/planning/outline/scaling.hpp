// Model of a room shared among GPUs: what each holds, and how long a step takes, from bytes and three speeds. Roofline
// after S. Williams, A. Waterman, D. Patterson (Comm. ACM 52, 2009) for the interior, latency and bandwidth for halos.
//
// A step of a slab takes its bytes (plane_costs) at the speed of memory, and a fixed time for launches. Halos, R planes
// to and from each neighbour, are exchanged meanwhile: only the time by which they exceed the interior counts. The
// planes that wait for halos take extra time at every border, in proportion to the bytes of a halo.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/plan/slab.hpp"

namespace fdtd {

// memory, launches and edges are fitted to two and four H200 of one machine; efficiency_error is the largest error of
// the fit (a test compares it with the measurements). link and latency between machines are data-sheet values: beyond
// one machine the model is not validated.
struct Interconnect {
  double memory = 3.8e12;   // bytes/s of a kernel; measured on an H200: 320 Gpts/s of 12 bytes
  double link = 300e9;      // bytes/s to a neighbour, each way; NVLink 4. InfiniBand NDR, between machines: 45e9
  double latency = 15e-6;   // s per exchange
  double launches = 12e-6;  // s per step
  double edges = 320e9;  // bytes/s of the planes that wait for halos; two and four H200 (bench/results/h200/ranks.json)
};

// Bytes of every slab on its GPU: two fields with their halos, and its walls. `counts`: plane_counts of the plan, of
// which else only grid, precision and stencil are used.
std::vector<std::int64_t> slab_bytes(const Plan& plan, std::span<const PlaneCounts> counts,
                                     const std::vector<Slab>& slabs);

// Number of GPUs with so much memory (bytes) that hold the room; 0: no number, because slabs would be too thin.
int gpus_needed(const Plan& plan, std::span<const PlaneCounts> counts, std::int64_t memory_of_one);

// Bytes of a step, and of one halo (R planes).
struct StepBytes {
  double step = 0.0, halo = 0.0;
};
StepBytes step_bytes(const Plan& plan, std::span<const PlaneCounts> counts);

// `interconnect` with the speed of memory that a measured step on one GPU implies, walls included.
Interconnect speeds_of(const StepBytes& bytes, double seconds_of_one, Interconnect interconnect = {});

// NVLink within a machine of so many GPUs, InfiniBand NDR between machines.
inline constexpr int gpus_a_machine = 8;
Interconnect between_machines(Interconnect within = {});

// Largest error of strong_efficiency and weak_efficiency, predicted from the time of one GPU, in
// bench/results/h200/ranks.json.
inline constexpr double efficiency_error = 0.065;

// Seconds per step on `gpus` GPUs with even parts.
double step_seconds(const StepBytes& bytes, int gpus, const Interconnect& interconnect);
// Strong: t_1/(N t_N) of the same room; weak: t_1/t_N of a room N times as long along z.
double strong_efficiency(const StepBytes& bytes, int gpus, const Interconnect& interconnect);
double weak_efficiency(const StepBytes& bytes, int gpus, const Interconnect& interconnect);

// Predictions for 1, 2, 4 .. `max_gpus` GPUs, `gpus_a_machine` of them in a machine.
struct ScalingPoint {
  int gpus = 1;
  double strong = 0.0;  // of this room; 0: its slabs would be too thin
  double weak = 0.0;    // of a room `gpus` times as long
};
std::vector<ScalingPoint> scaling_of(const StepBytes& bytes, int max_slabs, const Interconnect& within,
                                     int max_gpus = 1024);

}  // namespace fdtd

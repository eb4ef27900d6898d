// Steps of a plan's slab on a device, timed: what bench/cuda_ranks.cpp reports of one rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fdtd::study {

// The times of the stages, in microseconds of the device's clock since the first. "halo" packs nothing: planes lie side
// by side. "step": inside and edges in one launch.
struct Span {
  std::string name;  // "halo", "step" or "inside" and "edges", "walls"
  std::int64_t step = 0;
  double begin = 0.0, end = 0.0;
};

class StepStudy {
 public:
  virtual ~StepStudy() = default;
  virtual double seconds_of_steps(std::int64_t count) = 0;  // of all of them, without a drive
  virtual std::string kernel() const = 0;                   // and its tile
  virtual std::string exchange() const = 0;                 // how halos go; empty without neighbours
  // The spans of so many steps; empty without neighbours.
  virtual std::vector<Span> timeline(std::int64_t count) = 0;
};

}  // namespace fdtd::study

// Which parts of a run to compute again so that all can be used in reverse with few checkpoints: binomial checkpointing
// (A. Griewank, A. Walther, "Algorithm 799: revolve", ACM Trans. Math. Softw. 26 (2000)), here in segments of a run, each
// of whose histories fits into memory.
#pragma once

#include <cstdint>
#include <vector>

namespace fdtd {

class Recomputation {
 public:
  // Tables for up to so many segments and checkpoints; the start of the run is known without one.
  Recomputation(int segments, int checkpoints);

  // Segments to compute until `segments` of them, from a known state on, have been used in reverse, each once at least.
  std::int64_t cost(int segments, int checkpoints) const { return cost_[at(segments, checkpoints)]; }
  // Segments before the next checkpoint, which leaves one less for those after it. segments above 1, checkpoints above 0.
  int split(int segments, int checkpoints) const { return split_[at(segments, checkpoints)]; }

 private:
  std::size_t at(int segments, int checkpoints) const {
    return static_cast<std::size_t>(checkpoints) * static_cast<std::size_t>(segments_ + 1) +
           static_cast<std::size_t>(segments);
  }
  int segments_;
  std::vector<std::int64_t> cost_;
  std::vector<int> split_;
};

}  // namespace fdtd

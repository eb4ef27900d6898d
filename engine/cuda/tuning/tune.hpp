// Which kernel and which tile: Tabik et al.'s model prunes, a timed search decides among what it predicts, a file keeps
// the choice. The kernel is the first of the table that takes the job, never a matter of timing unless requested:
// kernels add in different orders, so another kernel is another rounding, while all tiles of one kernel give the same
// values.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/cuda/kernels/kernel.hpp"
#include "engine/cuda/tuning/tile_model.hpp"
#include "engine/cuda/tuning/tune_cache.hpp"

namespace fdtd::cuda {

enum class Origin { author, model, cache, search };
const char* to_string(Origin origin);

struct TuneSettings {
  std::string kernel;   // empty: the table's first; "best": the one that the search finds fastest
  bool retune = false;  // search even where the cache knows
  bool tuned = true;    // false: the first of the kernel's own list, as its author chose it
  // Grids of fewer nodes take the model's first: they run no longer than a search would.
  std::int64_t min_nodes = 2'000'000;
};

struct Choice {
  const Kernel* kernel = nullptr;
  Tile tile;
  Origin origin = Origin::model;
};

// The kernel of that name or, without a name, the first of the table that takes the job. Throws Error (status scene)
// for an unknown name, with the known ones, and for a kernel that does not take this job.
const Kernel& kernel_for(const Job& job, const Device& device, const std::string& name);

// All tiles of the kernel that fit the device, in the model's order, none timed.
std::vector<TimedTile> modelled_tiles(const Kernel& kernel, const Job& job, const Device& device,
                                      std::array<void*, 2> fields);

// Times the tiles in turn with the triad, several rounds: a tile's time is the median of its ratio to the triad of its
// round times the triad's median. The fields' values change, zeros stay zeros.
void time_tiles(const Kernel& kernel, const Job& job, const Device& device, std::array<void*, 2> fields,
                std::vector<TimedTile>& tiles);

// The choice for this job on two arrays of its layout (values change, zeros stay zeros). Throws what kernel_for throws.
Choice choose_tuned(const Job& job, const Device& device, std::array<void*, 2> fields, const TuneSettings& settings,
                    TuneCache& cache);

}  // namespace fdtd::cuda

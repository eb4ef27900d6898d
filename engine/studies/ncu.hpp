// Hardware counters as Nsight Compute's command line reports them: which are requested, and how its CSV is read.
// Launches are summed to steps, and all is reported a point: figures 8 and 9 of Hamilton, Webb, Gray, Bilbao, DAFx-15.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fdtd::study {

// For ncu's --metrics: names joined by commas.
std::string ncu_metrics();

// One step, a point. Rates are of all its launches together.
struct Counters {
  double dram_read_bytes = 0.0, dram_written_bytes = 0.0;
  double l2_bytes = 0.0;  // that multiprocessors requested from L2
  double l1_bytes = 0.0;  // that threads requested from L1
  double l2_hit_rate = 0.0, l1_hit_rate = 0.0;
  double shared_conflicts = 0.0;  // passes of shared memory beyond the least
  double instructions = 0.0;      // of a thread
  // The part of a multiprocessor's busy cycles in which it issues an instruction, and its shared memory makes a
  // pass.
  double issue_use = 0.0, shared_use = 0.0;
  // The traffic of a point to DRAM, all in: 3 values where every cache is ideal.
  double effective_bytes() const { return dram_read_bytes + dram_written_bytes; }
};

// One launch, as ncu counted it.
struct NcuLaunch {
  std::string kernel;
  double dram_read_bytes = 0.0, dram_written_bytes = 0.0;
  double l2_sectors = 0.0, l2_hits = 0.0, l1_sectors = 0.0, l1_hits = 0.0, shared_conflicts = 0.0;
  double instructions = 0.0, cycles = 0.0;  // of warps, and of the four parts of all multiprocessors
  double shared_passes = 0.0;
};

// Reads what `ncu --csv --page raw --metrics ...` writes: messages of its own ("==PROF== ..."), a line of names, a line
// of units, a line a launch. Throws Error (status resource) with ncu's own message where it reports a failure or
// counted nothing, and where a metric is missing.
std::vector<NcuLaunch> read_ncu(std::string_view text);

// Launches [first, first + count) as one step over so many nodes.
Counters counters_of(const std::vector<NcuLaunch>& launches, std::size_t first, std::size_t count, std::int64_t nodes);

}  // namespace fdtd::study

// Hardware counters of kernels: this program started once more under Nsight Compute, which sees launches and not what
// they are for. So the inner run does two steps of each job and nothing else, and the launches are distinguished by
// their number.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/studies/gpu_profile.hpp"

namespace fdtd::cli {

// Where Nsight Compute's command line is: on PATH, or where CUDA's installers put it. Throws Error(resource) that says
// so where it is nowhere.
std::filesystem::path find_ncu();

// Counts the second of two steps of each profile's kernel and tile, on its grid, and puts it into the profile. Throws
// Error(resource) with ncu's own words when it fails.
void count_traffic(const std::filesystem::path& ncu, int device, const std::vector<study::GpuProfile*>& profiles);

// The inner run: the steps that `file` (JSON, by count_traffic) requests.
void run_counted(const std::filesystem::path& file, int device);

}  // namespace fdtd::cli

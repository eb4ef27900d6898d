// The JSON documents of `fdtd profile --device cuda` and `fdtd bench --device cuda`. Every build has them: the
// reference describes them everywhere.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/study/costs.hpp"
#include "cli/study/families.hpp"
#include "engine/studies/gpu_profile.hpp"
#include "engine/studies/literature.hpp"

namespace fdtd::cli {

struct MeasuredGpu {
  std::string machine, driver;
  int device = 0;
};

nlohmann::ordered_json gpu_profile_json(const MeasuredGpu& gpu, const std::vector<study::GpuProfile>& profiles);

// A kernel in the study: the families' best one, one of DAFx-15, or one of the literature.
struct StudiedKernel {
  std::string family, role;
  const study::GpuProfile* profile = nullptr;
  const study::LiteratureProfile* paper = nullptr;  // null: not of the literature
};

struct GpuStudy {
  MeasuredGpu gpu;
  double seconds = 0.0;
  std::vector<StudiedKernel> kernels;
  const std::vector<FamilyProfile>* families = nullptr;
  const CostTable* costs = nullptr;
};

nlohmann::ordered_json gpu_bench_json(const GpuStudy& study);

}  // namespace fdtd::cli

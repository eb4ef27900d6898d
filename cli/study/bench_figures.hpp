// The figures of the DAFx-15 study, from what was measured: CTPN against points (7), CTPN against accuracy (8), memory
// traffic against points (9).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/study/costs.hpp"
#include "cli/study/families.hpp"
#include "engine/reports/page.hpp"
#include "engine/reports/plot.hpp"
#include "engine/studies/gpu_profile.hpp"
#include "engine/studies/literature.hpp"

namespace fdtd::cli {

struct GpuMember {
  std::string family;
  study::GpuProfile best;
  std::optional<study::GpuProfile> kernel_a, kernel_b;  // nothing where the kernel does not take the stencil
};

struct GpuCase {
  Precision precision = Precision::f32;
  std::array<int, 3> grid{};
  std::vector<GpuMember> members;
  std::vector<study::LiteratureProfile> literature;
};

Table literature_table(const GpuCase& one);

// The whole document, HTML. `list` holds the profiles of the first case; empty where the literature alone was measured.
std::string gpu_study(const std::vector<GpuCase>& cases, const std::vector<FamilyProfile>& list, const CostTable& table,
                      const std::string& device);

}  // namespace fdtd::cli

// The figures of the DAFx-15 study, from what was measured: CTPN against points (7), CTPN against accuracy (8), memory
// traffic against points (9).
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/study/costs.hpp"
#include "cli/study/families.hpp"
#include "engine/cuda/tuning/literature.hpp"
#include "engine/cuda/tuning/profile_result.hpp"
#include "engine/reports/page.hpp"
#include "engine/reports/plot.hpp"

namespace fdtd::cli {

struct GpuMember {
  std::string family;
  cuda::GpuProfile best;
  std::optional<cuda::GpuProfile> kernel_a, kernel_b;  // nothing where the kernel does not take the stencil
};

struct GpuCase {
  Precision precision = Precision::f32;
  std::array<int, 3> grid{};
  std::vector<GpuMember> members;
  std::vector<cuda::LiteratureProfile> literature;
};

// A row of the document's results: role, paper, order, redundancy by formula, as declared and as counted, and the
// profile.
nlohmann::ordered_json literature_json(const cuda::LiteratureProfile& one);
Table literature_table(const GpuCase& one);

// Of every variant: the wavenumber fraction kh/pi up to which the phase velocity is within 1 % and 2 % in the worst
// direction, beside its CTPN.
nlohmann::ordered_json accuracy_json(const std::vector<FamilyProfile>& list);

// The whole document, HTML. `list` holds the profiles of the first case; empty where the literature alone was measured.
std::string gpu_study(const std::vector<GpuCase>& cases, const std::vector<FamilyProfile>& list, const CostTable& table,
                      const std::string& device);

}  // namespace fdtd::cli

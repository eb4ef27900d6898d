// A plan on stdout.
#pragma once

#include "engine/reports/plan_report.hpp"

namespace fdtd::cli {

// With the materials, for `plan` and `run --dry-run`.
void print_plan(const PlanReport& report, bool json);

}  // namespace fdtd::cli

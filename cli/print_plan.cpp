#include "cli/print_plan.hpp"

#include "cli/terminal/say.hpp"
#include "engine/reports/materials_report.hpp"

namespace fdtd::cli {

void print_plan(const PlanReport& report, bool json) {
  if (json)
    put_document(json_text(plan_document(report), 2) + "\n");
  else
    print_text("{}{}", plan_text(report),
               materials_text(report.planned->materials, report.planned->choice.max_frequency, report.planned->walls,
                              report.above.has_value()));
}

}  // namespace fdtd::cli

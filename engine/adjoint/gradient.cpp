#include "engine/adjoint/gradient.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.hpp"
#include "engine/adjoint/planned_gradient.hpp"
#include "engine/adjoint/two_runs.hpp"

namespace fdtd {
namespace {

double share_of_walls(const Plan& plan, Backend& backend) {
  if (backend.wall_reads() != WallReads::in_rows || plan.boundary.nodes.empty()) return 1.0;
  const std::vector<std::uint32_t> row = backend.wall_row();
  const auto own = std::ranges::count_if(row, [](std::uint32_t node) { return node != no_wall_node; });
  return static_cast<double>(own) / static_cast<double>(plan.boundary.nodes.size());
}

}  // namespace

Gradient gradient(const Plan& plan, Backend& backend, const RecordLoss& loss, const GradientOptions& options) {
  if (plan.steps < 1) throw Error(Status::scene, "a gradient needs a run of at least one step");
  const AdjointPlan made = adjoint_plan(plan, options.source_changes, options.receiver_changes,
                                        backend.wall_reads() == WallReads::by_recorders);
  backend.load(made.plan, whole(made.plan));
  std::int64_t allowed = options.memory > 0 ? options.memory : gradient_allowance(backend);
  if (const auto of_backend = backend.correlation_memory()) allowed = std::min(allowed, *of_backend);
  const auto of_format = format_of_backend(backend, plan.precision);
  const auto format = of_format ? of_format : options.history;
  // All ranks choose the same: for the least memory, and the largest share of the walls.
  std::array<double, 2> of_ranks = {-static_cast<double>(allowed), share_of_walls(plan, backend)};
  backend.largest_of_ranks(of_ranks);
  const AdjointMemory memory = adjoint_memory(plan, static_cast<std::int64_t>(-of_ranks[0]), format, of_ranks[1]);
  return TwoRuns(made, backend, memory, options).run(loss);
}

std::vector<LawSlopes> by_law(const Plan& plan, const WallSlopes& walls) {
  const Boundary& boundary = plan.boundary;
  std::vector<LawSlopes> laws(boundary.laws.size());
  for (std::size_t i = 0; i < laws.size(); ++i) laws[i].branches.resize(boundary.laws[i].branches.size());
  for (std::size_t s = 0; s < boundary.sites.size(); ++s) {
    LawSlopes& law = laws[boundary.sites[s].law];
    for (std::size_t b = 0; b < law.branches.size(); ++b) {
      const BranchTerms<double>& slope = walls.branches[boundary.branch_begin[s] + b];
      law.branches[b].D += slope.D, law.branches[b].E += slope.E, law.branches[b].F += slope.F;
    }
    law.inertance += walls.inertance[s];
    law.admittance += walls.admittance[s];
  }
  return laws;
}

}  // namespace fdtd

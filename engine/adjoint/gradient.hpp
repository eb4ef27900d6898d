// The gradient of a loss of a run's recording, by every coefficient of every wall, by what sources send and by the weights
// of sources and receivers, at the price of a second run: the discrete adjoint, exact to rounding
// (docs/explanation/adjoint.md).
//
//   const std::unique_ptr<Backend> backend = make_backend(...);
//   const Gradient g = gradient(planned.plan, *backend, [](const Recording& recording, std::span<double> slopes) {
//     double J = 0.0;  // slopes[i] = dJ / d recording.pressure[i], all zero before
//     for (std::size_t i = 0; i < slopes.size(); ++i)
//       J += 0.5 * recording.pressure[i] * recording.pressure[i], slopes[i] = recording.pressure[i];
//     return J;
//   });
//   for (const LawSlopes& law : by_law(planned.plan, g.walls)) law.branches[0].E;  // dJ / d WallLaw::branches[0].E
//
// How it works. The transfer from any node to any node is symmetric: masses and stencil are, and walls are sums of b y(z)
// b^T. So the adjoint of a run is a run with the receivers as sources that send the slopes backwards in time; the
// derivative by a law is the correlation of what its sites read in both runs (site_filters.hpp). Both are runs of one
// plan (adjoint_plan.hpp). A backend hands out what walls read (Backend::wall_reads); recorders read the walls of others.
#pragma once

#include <vector>

#include "engine/adjoint/gradient_terms.hpp"
#include "engine/backend/backend.hpp"

namespace fdtd {

// Drives all passes of the plan for plan.steps steps, whatever its stop rule, and each once more backwards. The backend
// is loaded with a plan of its own, and holds no state of the caller's afterwards. Takes the memory of a second plan, and
// of histories or checkpoints within options.memory: the fewest extra steps that this allows (adjoint_memory.hpp). Throws
// Error: resource where memory does not suffice, numerical where a field is not finite, interrupted.
Gradient gradient(const Plan& plan, Backend& backend, const RecordLoss& loss, const GradientOptions& options = {});

// Sums over the sites of a law: the derivatives by its coefficients, in steps, and by an admittance beside its branches.
struct LawSlopes {
  std::vector<BranchTerms<double>> branches;
  double inertance = 0.0, admittance = 0.0;
};
std::vector<LawSlopes> by_law(const Plan& plan, const WallSlopes& walls);

}  // namespace fdtd

// The plan of which both runs of a gradient (gradient.hpp) are runs: its senders are the sources and the receivers of the
// plan, its recorders the receivers, the sources and, where the backend does not read walls itself, every wall node.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

// A direction in which the weights of a source or receiver move: w + epsilon change.
struct TapChange {
  std::size_t tap = 0;  // index of the source or receiver
  Tap change;           // nodes ascending, all air; weights of any sum
};

struct AdjointPlan {
  Plan plan;                               // `sources`: sources, then receivers; `receivers`: in the order below
  std::size_t sources = 0, receivers = 0;  // of the plan
  std::vector<std::size_t> passes;         // first source of each pass
  std::size_t first_source = 0;            // recorders: receivers, then sources, ...
  std::size_t first_source_change = 0, first_receiver_change = 0;  // ... changes of both, ...
  std::size_t first_read = 0, reads = 0;  // ... what the sites of Boundary::nodes[i] read, b^T u: all or none of them
};

AdjointPlan adjoint_plan(Plan plan, const std::vector<TapChange>& source_changes,
                         const std::vector<TapChange>& receiver_changes, bool record_walls);

// The read of every boundary node's sites: the node, or several with the weights of WallLaw::taps.
std::vector<Tap> wall_reads(const Plan& plan);

}  // namespace fdtd

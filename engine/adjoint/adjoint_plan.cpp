#include "engine/adjoint/adjoint_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace fdtd {

std::vector<Tap> wall_reads(const Plan& plan) {
  const Boundary& boundary = plan.boundary;
  const auto [nx, ny, nz] = plan.grid.size;
  const std::array<std::int64_t, 3> stride = {1, nx, static_cast<std::int64_t>(nx) * ny};
  std::vector<Tap> reads(boundary.nodes.size());
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const WallLaw& law = boundary.laws[boundary.sites[boundary.site_begin[i]].law];
    Tap& read = reads[i];
    read.weights = law.taps;
    for (std::size_t j = 0; j < law.taps.size(); ++j)
      read.nodes.push_back(static_cast<std::uint64_t>(static_cast<std::int64_t>(boundary.nodes[i]) +
                                                      static_cast<std::int64_t>(j) * law.inward *
                                                          stride[static_cast<std::size_t>(law.axis)]));
    if (law.inward < 0) {  // ascending
      std::ranges::reverse(read.nodes);
      std::ranges::reverse(read.weights);
    }
  }
  return reads;
}

AdjointPlan adjoint_plan(Plan plan, const std::vector<TapChange>& source_changes,
                         const std::vector<TapChange>& receiver_changes, bool record_walls) {
  AdjointPlan made;
  made.sources = plan.sources.size(), made.receivers = plan.receivers.size();
  for (std::size_t source = 0; source < made.sources; ++source)
    if (!joins(plan, source)) made.passes.push_back(source);
  const std::vector<Tap> sources = plan.sources;
  plan.sources.insert(plan.sources.end(), plan.receivers.begin(), plan.receivers.end());
  std::vector<Tap>& recorders = plan.receivers;
  made.first_source = recorders.size();
  recorders.insert(recorders.end(), sources.begin(), sources.end());
  made.first_source_change = recorders.size();
  for (const TapChange& change : source_changes) recorders.push_back(change.change);
  made.first_receiver_change = recorders.size();
  for (const TapChange& change : receiver_changes) recorders.push_back(change.change);
  made.first_read = recorders.size();
  std::vector<Tap> reads;
  if (record_walls) reads = wall_reads(plan);
  made.reads = reads.size();
  recorders.insert(recorders.end(), std::make_move_iterator(reads.begin()), std::make_move_iterator(reads.end()));
  plan.stop = {};
  plan.snapshots.clear();
  made.plan = std::move(plan);
  return made;
}

}  // namespace fdtd

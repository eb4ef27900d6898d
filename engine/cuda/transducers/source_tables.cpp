#include <algorithm>
#include <map>

#include "engine/cuda/transducers/sources.hpp"

namespace fdtd::cuda {
namespace {

double mass_of(const NearWall& walls, std::uint64_t node) {
  const auto at = std::lower_bound(walls.masses.begin(), walls.masses.end(), node,
                                   [](const NodeMass& m, std::uint64_t n) { return m.node < n; });
  return at != walls.masses.end() && at->node == node ? at->mass : 1.0;
}

}  // namespace

DriveTables pack_drive(const Plan& plan, const Layout& layout, const OwnLayers& layers) {
  std::map<std::uint64_t, std::vector<DrivenPair>> by_node;
  for (std::size_t s = 0; s < plan.sources.size(); ++s) {
    const Tap& tap = plan.sources[s];
    for (std::size_t i = 0; i < tap.nodes.size(); ++i) {
      const double weight = plan.drive_scale * tap.weights[i];
      by_node[tap.nodes[i]].push_back(
          {static_cast<std::uint32_t>(s), weight / mass_of(plan.near_wall, tap.nodes[i]), weight});
    }
  }
  DriveTables tables;
  tables.begin.push_back(0);
  std::vector<std::uint64_t> nodes;
  for (const auto& [node, pairs] : by_node) {
    nodes.push_back(node);
    tables.offset.push_back(layout.offset(node));
    tables.pairs.insert(tables.pairs.end(), pairs.begin(), pairs.end());
    tables.begin.push_back(static_cast<std::uint32_t>(tables.pairs.size()));
  }
  tables.layers = parts_by_layer(nodes.size(), nodes.size(), [&](std::uint64_t i) { return layers.of_node(nodes[i]); });
  return tables;
}

}  // namespace fdtd::cuda

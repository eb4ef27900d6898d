// Sums by layer of what each boundary node reports (energy lost in a step, energy stored), in the order of the plan's
// nodes. Tables of boundary nodes (boundary_groups.hpp) have an order that suits their work and depends on how many
// nodes are equal; these sums do not depend on it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cuda/field/layers.hpp"
#include "engine/cuda/walls/boundary_sizes.hpp"
#include "engine/plan/boundary.hpp"

namespace fdtd::cuda {

template <class T>
struct BoundaryTables;  // boundary_groups.hpp

inline constexpr std::uint64_t loss_part_nodes = 18 * boundary_threads;  // of a part: a block's work, most rooms' layer

struct LossSums {
  std::vector<std::uint32_t> place;  // by Boundary::nodes: where BoundaryTables has the node
  std::vector<LayerPart> parts;      // of `place`
  std::vector<std::uint32_t> first;  // part of every layer
};

template <class T>
LossSums loss_sums_of(const Boundary& boundary, const BoundaryTables<T>& sites, const OwnLayers& layers) {
  LossSums loss_sums;
  loss_sums.place.resize(boundary.nodes.size());
  for (std::uint32_t place = 0; place < sites.member.size(); ++place)
    if (sites.member[place] != no_member) loss_sums.place[sites.member[place]] = place;
  loss_sums.parts = parts_by_layer(boundary.nodes.size(), loss_part_nodes,
                                   [&](std::uint64_t i) { return layers.of_node(boundary.nodes[i]); });
  loss_sums.first = first_parts(loss_sums.parts, layers.count());
  return loss_sums;
}

// As kernels see it. The block that ends the last part of a layer adds up the layer's parts (`sum`).
struct LossSumsView {
  const std::uint32_t* place;
  const LayerPart* parts;
  std::uint32_t count;  // of parts
  const std::uint32_t* first;
  double* sum;
  std::uint32_t* done;  // parts of a layer that are done; 0 between launches
};

// The losses of the previous step, which a launch adds up.
template <class T>
struct LossesView {
  LossSumsView loss_sums;
  const T* lost;          // by place
  std::int64_t* counter;  // of a layer: of steps, -1 while there is none before (ReceiversView)
  double* dissipated;     // by layer
};

}  // namespace fdtd::cuda

// What every boundary node tells (the energy lost in a step, the energy held), in the order of nodes, for sums by layers. Tables
// of sites (sites.hpp) have nodes in the order that suits their work, which depends on how many are alike: sums do not.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cuda/field/layers.hpp"
#include "engine/cuda/walls/boundary_groups.hpp"

namespace fdtd::cuda {

inline constexpr std::uint64_t tally_places = 18 * site_threads;  // of a part: a block's work, most rooms' layer

struct Tally {
  std::vector<std::uint32_t> place;  // by Boundary::nodes: where SiteTables has the node
  std::vector<LayerPart> parts;      // of `place`
  std::vector<std::uint32_t> first;  // part of every layer
};

template <class T>
Tally tally_of(const Boundary& boundary, const SiteTables<T>& sites, const OwnLayers& layers) {
  Tally tally;
  tally.place.resize(boundary.nodes.size());
  for (std::uint32_t place = 0; place < sites.member.size(); ++place)
    if (sites.member[place] != no_member) tally.place[sites.member[place]] = place;
  tally.parts = parts_by_layer(boundary.nodes.size(), tally_places,
                               [&](std::uint64_t i) { return layers.of_node(boundary.nodes[i]); });
  tally.first = first_parts(tally.parts, layers.count());
  return tally;
}

// As kernels see it. The block that ends a layer's last part adds up the layer's (`sum`, by part).
struct TallyView {
  const std::uint32_t* place;
  const LayerPart* parts;
  std::uint32_t count;  // of parts
  const std::uint32_t* first;
  double* sum;
  std::uint32_t* done;  // parts of a layer that are done; 0 between launches
};

// What a launch adds up of the step before.
template <class T>
struct LossesView {
  TallyView tally;
  const T* lost;          // by place
  std::int64_t* counter;  // of a layer: of steps, -1 while there is none before (ListenView)
  double* dissipated;     // by layer
};

}  // namespace fdtd::cuda

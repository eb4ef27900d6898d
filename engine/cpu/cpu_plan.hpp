// A plan in the form that the CPU uses: the layout, the rows of air, walls, boundary, sources and receivers, all by
// tile.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/cpu/field/air_boxes.hpp"
#include "engine/cpu/field/image_halo.hpp"
#include "engine/cpu/field/layout.hpp"
#include "engine/cpu/field/row_stencil.hpp"
#include "engine/cpu/walls/boundary_batches.hpp"
#include "engine/cpu/walls/coupled_groups.hpp"
#include "engine/cpu/walls/near_wall_ops.hpp"
#include "engine/plan/plan.hpp"

namespace fdtd::cpu {

// A node that a source drives.
struct DrivenNode {
  std::ptrdiff_t offset = 0;
  std::size_t source = 0;
  double gain = 0.0;    // added to u+, divided by the mass
  double weight = 0.0;  // drive_scale times the tap's weight: injected energy is weight f (u+ - u-)/2
};

struct MassNode {
  std::ptrdiff_t offset = 0;
  double excess = 0.0;  // mass - 1
};

// A receiver: weights on entries of CpuPlan::receiver_nodes, layer by layer.
struct ReceiverWeights {
  std::size_t receiver = 0;  // of the plan
  std::uint32_t place = 0;   // of its first node
  bool single = false;       // it has no other, and this weight
  double weight = 0.0;
  std::vector<std::uint32_t> places;
  std::span<const double> weights;       // the plan's
  std::vector<std::uint32_t> layer_end;  // in these lists
};

template <class T>
struct CpuPlan {
  CpuPlan(const Plan& plan, const Slab& slab);
  CpuPlan(const CpuPlan&) = delete;  // members refer to its layout
  CpuPlan& operator=(const CpuPlan&) = delete;

  bool reads_several_tiles() const { return wide.count() + wide_edges.count() > 0; }

  // Prefetches the lists of what is to be done on tiles [begin, end).
  void prefetch_index(std::size_t begin, std::size_t end) const {
    walls.prefetch_index(begin, end);
    boundary.prefetch_index(begin, end);
    prefetch_lines(has_transducers.data() + begin, has_transducers.data() + end);
  }

  ImageWalls mirror;  // the walls in image_halo
  Layout layout;
  RowStencilStore<T> stencil;
  AirBoxes air;
  ImageHalo image_halo;                // the rigid walls of a box, or
  NearWallOps<T> walls;                // those of any other room
  BoundaryBatches<T> boundary, wide;   // walls that read one tile, and those that read several
  CoupledGroups<T> edges, wide_edges;  // the same where walls meet
  std::vector<double> costs;           // the time of a step on each tile, in nodes of air
  std::vector<DrivenNode> driven;      // ordered by tile
  std::vector<std::size_t> driven_begin;
  std::vector<MassNode> mass_nodes;
  std::vector<std::size_t> mass_begin;
  std::vector<std::ptrdiff_t> receiver_nodes;  // each once, ordered by tile
  std::vector<std::size_t> receiver_begin;
  std::vector<ReceiverWeights> receivers;  // in the order of their first places
  // Does a tile have sources or receivers? Few do, and the others need no lookup.
  std::vector<std::uint8_t> has_transducers;

 private:
  void find_costs(double work);
  void place_sources(const Plan& plan);
  void place_masses(const Plan& plan);
  void place_receivers(const Plan& plan);
};

}  // namespace fdtd::cpu

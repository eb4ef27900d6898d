// Near-wall corrections on the GPU: NearWall as tables, and the work of a warp. The corrections of a node, from all its
// segments, are one list, its pattern; equal patterns are stored once. Nodes are grouped in batches of one warp, a lane
// a node; the offsets and patterns of a batch's lanes are a template, stored once for all equal batches, so that 32
// nodes cost 12 bytes besides the field itself. Long runs along x are cut at multiples of 32, where cache lines begin;
// of short ones (the ends of rows at walls across x) several rows fill a batch.
//
// Solid voxels that the open-box kernel may have made nonzero (those within the stencil's reach of air) are lanes too:
// they are set to zero. In f32 the weights are those of rounded_to_float: a row near a wall, too, never sums above 2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/cuda/field/layout.hpp"
#include "engine/cuda/gpu/host_device.hpp"
#include "engine/cuda/walls/near_wall_across_x.hpp"
#include "engine/plan/near_wall.hpp"
#include "engine/plan/plan.hpp"

namespace fdtd::cuda {

inline constexpr int batch_lanes = 32;
inline constexpr std::uint32_t no_pattern = 0;  // no corrections
inline constexpr std::uint32_t idle_lane = 0xFFFFFFFFU, solid_lane = 0xFFFFFFFEU;

// A node with a mass of its own (block construction).
struct MassNode {
  std::int64_t offset = 0;
  double excess = 0.0;  // mass - 1
  std::uint32_t pattern = no_pattern;
};

template <class T>
struct StepEntry {
  std::int32_t offset;
  std::uint32_t step;
  T weight;
};

// As kernels see them.
template <class T>
struct NearView {
  const std::uint32_t* entry_begin;  // of pattern p: [entry_begin[p], entry_begin[p + 1])
  const std::int32_t* entry_offset;  // in the array, from the node
  const std::uint8_t* entry_step;    // of patterns that may go across (near_wall_across_x.hpp)
  const T* entry_weight;
  const std::int64_t* batch_base;  // of a unit's first lane in the array
  const std::uint32_t* batch_template;
  const std::int32_t* lane_offset;  // from the base; batch_lanes a template
  const std::uint32_t* lane_pattern;
  const std::uint32_t* template_across;  // the pattern of all its lanes, where they go across; else no_pattern
  std::int64_t batches, row;             // row: from row to row of the array

  // What the pattern adds to S u at the node at `at`.
  FDTD_HOST_DEVICE T correction(std::uint32_t pattern, const T* u, std::int64_t at) const {
    T sum{};
    for (std::uint32_t e = entry_begin[pattern]; e < entry_begin[pattern + 1]; ++e)
      sum = fused(entry_weight[e], u[at + entry_offset[e]], sum);
    return sum;
  }
  FDTD_HOST_DEVICE double exact_correction(std::uint32_t pattern, const T* u, std::int64_t at) const {
    double sum = 0.0;
    for (std::uint32_t e = entry_begin[pattern]; e < entry_begin[pattern + 1]; ++e)
      sum = fused(static_cast<double>(entry_weight[e]), static_cast<double>(u[at + entry_offset[e]]), sum);
    return sum;
  }

  FDTD_HOST_DEVICE void correct(std::int64_t batch, int lane, const T* u1, T* u0) const {
    const std::int64_t entry = std::int64_t{batch_template[batch]} * batch_lanes + lane;
    const std::uint32_t pattern = lane_pattern[entry];
#ifdef __CUDA_ARCH__
    const std::uint32_t across = template_across[batch_template[batch]];
    const unsigned lanes = __ballot_sync(0xFFFFFFFFU, pattern != idle_lane);
#endif
    if (pattern == idle_lane) return;
    const std::int64_t at = batch_base[batch] + lane_offset[entry];
#ifdef __CUDA_ARCH__
    if (across != no_pattern) {
      const auto entry_of = [&](std::uint32_t e) {
        return StepEntry<T>{entry_offset[e], entry_step[e], entry_weight[e]};
      };
      u0[at] +=
          sum_across(lanes_beside(lanes, at, row), entry_of, entry_begin[across], entry_begin[across + 1], u1, at, row);
      return;
    }
#endif
    if (pattern == solid_lane) {
      u0[at] = T{};
    } else {
      u0[at] += correction(pattern, u1, at);
    }
  }
};

template <class T>
struct NearTables {
  std::vector<std::uint32_t> entry_begin{0, 0};  // pattern 0: no corrections
  std::vector<std::int32_t> entry_offset;
  std::vector<std::uint8_t> entry_step;
  std::vector<T> entry_weight;
  std::vector<bool> goes_across{true};  // by pattern: entry_step may be used
  std::vector<std::int64_t> batch_base;
  std::vector<std::uint32_t> batch_template;
  std::vector<std::int32_t> lane_offset;
  std::vector<std::uint32_t> lane_pattern, template_across;
  std::vector<MassNode> mass_nodes;  // ascending
  std::int64_t row = 0;

  NearView<T> view() const {
    return {entry_begin.data(),
            entry_offset.data(),
            entry_step.data(),
            entry_weight.data(),
            batch_base.data(),
            batch_template.data(),
            lane_offset.data(),
            lane_pattern.data(),
            template_across.data(),
            static_cast<std::int64_t>(batch_base.size()),
            row};
  }
};

// A node whose corrections the thread of a boundary node applies (boundary_groups.hpp), so that it is in no batch.
// pack_near fills in `pattern`.
struct OwnedNode {
  std::uint64_t node = 0;
  std::uint64_t place = 0;  // where its owner expects the pattern
  std::uint32_t pattern = no_pattern;
};

// Does the room continue below and above, in planes that neighbouring slabs hold?
struct NeighbourPlanes {
  bool below = false, above = false;
};

// `owned_nodes` ascend by node, each node once. Throws Error (status resource) where the stencil's reach does not fit
// 31 bits.
template <class T>
NearTables<T> pack_near(const NearWall& walls, const AirMask& air, const GridStencil& stencil, const Layout& layout,
                        std::span<OwnedNode> owned_nodes, NeighbourPlanes neighbours = {});

}  // namespace fdtd::cuda

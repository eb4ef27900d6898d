// Near-wall corrections on the GPU: NearWall as arrays that a thread a node reads, in the order of the field. They come
// before the open-box kernel: u0 <- u0 - sum, then S u1 - u0.
//
// The corrections of a node, from all its segments, are one row: entries in the order of the array, four to a group
// (the last group is filled up with weights of zero at the node itself), so that a thread asks for eight words at once
// and has four values of the field on their way while it adds the four before. Equal rows are stored once; where each
// node has a row of its own, rows lie in the order of their nodes, and what is read is what a sum needs: five bytes a
// node for its place, four and one for its row, and eight an entry in f32.
//
// Solid voxels that an open-box kernel that does not know them may have made nonzero (those within the stencil's reach
// of air) are bits of words; they are set to zero after it. In f32 the weights are those of rounded_to_float: a row near a wall, too, never sums
// above 2.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/cuda/field/layout.hpp"
#include "engine/cuda/gpu/host_device.hpp"
#include "engine/plan/near_wall.hpp"
#include "engine/plan/plan.hpp"

namespace fdtd::cuda {

inline constexpr std::uint32_t row_lanes = 32;   // nodes or bits that share a base
inline constexpr std::uint32_t entry_group = 4;  // entries that are read at once
inline constexpr std::uint8_t idle_lane = 255;   // instead of a number of groups: no node
inline constexpr std::size_t max_groups = 254;   // of a row

// Where a row's groups are.
struct RowPlace {
  std::uint32_t begin = 0;
  std::uint8_t groups = 0;
};

// A node with a mass of its own (block construction, cut voxels).
struct MassNode {
  std::int64_t offset = 0;
  double excess = 0.0;  // mass - 1
  RowPlace row;         // no groups: no corrections
};

// Vectors of one access or two.
template <class Value>
struct alignas(sizeof(Value) * entry_group) FourOf {
  Value of[entry_group];
};

// Which nodes are corrected: all, or a slab's inside or the others.
enum class NearPart { all, inside, borders };

// Those of a list: `count` from `first` on, from number `low` on `gap` farther.
struct NearRange {
  std::int64_t first, count, low, gap;
  FDTD_HOST_DEVICE std::int64_t of(std::int64_t i) const { return first + i + (i < low ? 0 : gap); }
};
inline NearRange range_of(NearPart part, std::int64_t all, std::int64_t inside_begin, std::int64_t inside_end) {
  const std::int64_t inside = inside_end - inside_begin;
  if (part == NearPart::all) return {0, all, all, 0};
  if (part == NearPart::inside) return {inside_begin, inside, inside, 0};
  return {0, all - inside, inside_begin, inside};
}

// As kernels see them.
template <class T>
struct NearView {
  const std::int64_t* base;                  // of row_lanes nodes, in the array
  const std::int32_t* offset;                // of a node, from its base
  const std::uint32_t* begin;                // of its row: the first group
  const std::uint8_t* groups;                // idle_lane: there is no node
  const FourOf<std::int32_t>* entry_offset;  // in the array, from the node
  const FourOf<T>* entry_weight;
  std::int64_t nodes;                     // idle lanes counted
  std::int64_t inside_begin, inside_end;  // of these, nodes that read no neighbour's planes
  const std::int64_t* solid_base;
  const std::uint32_t* solid_bits;
  std::int64_t solid_words;

  // The row's part of S u at the node at `at`.
  FDTD_HOST_DEVICE T correction(std::uint32_t first, std::uint32_t count, const T* u, std::int64_t at) const {
    T sum{};
    for (std::uint32_t g = first; g < first + count; ++g) {
      const FourOf<std::int32_t> offsets = entry_offset[g];
      const FourOf<T> weights = entry_weight[g];
      T value[entry_group];
      FDTD_UNROLL
      for (std::uint32_t e = 0; e < entry_group; ++e) value[e] = u[at + offsets.of[e]];
      FDTD_UNROLL
      for (std::uint32_t e = 0; e < entry_group; ++e) sum = fused(weights.of[e], value[e], sum);
    }
    return sum;
  }
  FDTD_HOST_DEVICE double exact_correction(const RowPlace& row, const T* u, std::int64_t at) const {
    double sum = 0.0;
    for (std::uint32_t g = row.begin; g < row.begin + row.groups; ++g)
      for (std::uint32_t e = 0; e < entry_group; ++e)
        sum =
            fused(static_cast<double>(entry_weight[g].of[e]), static_cast<double>(u[at + entry_offset[g].of[e]]), sum);
    return sum;
  }

  // A node as the tables have it: idle_lane groups where there is none.
  struct Node {
    std::int64_t at;
    std::uint32_t begin, groups;
  };
  FDTD_HOST_DEVICE Node node_of(std::int64_t node) const {
    return {base[node / row_lanes] + offset[node], begin[node], groups[node]};
  }
  FDTD_HOST_DEVICE void correct(const Node& node, const T* u1, T* u0) const {
    if (node.groups == idle_lane) return;
    const T before = u0[node.at];
    u0[node.at] = before - correction(node.begin, node.groups, u1, node.at);
  }
  // Bit `lane` of a word.
  FDTD_HOST_DEVICE void clear_solid(std::int64_t word, std::uint32_t lane, T* u0) const {
    if ((solid_bits[word] >> lane & 1U) != 0) u0[solid_base[word] + lane] = T{};
  }
};

template <class T>
struct NearTables {
  std::vector<std::int64_t> base;
  std::vector<std::int32_t> offset;
  std::vector<std::uint32_t> begin;
  std::vector<std::uint8_t> groups;
  std::int64_t inside_begin = 0, inside_end = 0;
  std::vector<FourOf<std::int32_t>> entry_offset;
  std::vector<FourOf<T>> entry_weight;
  std::vector<std::int64_t> solid_base;
  std::vector<std::uint32_t> solid_bits;
  std::vector<MassNode> mass_nodes;  // ascending

  // The next node, which ascend; where it lies too far from its base, lanes before it stay idle.
  void add(std::int64_t at, const RowPlace& row);
  NearView<T> view() const {
    return {base.data(),
            offset.data(),
            begin.data(),
            groups.data(),
            entry_offset.data(),
            entry_weight.data(),
            static_cast<std::int64_t>(groups.size()),
            inside_begin,
            inside_end,
            solid_base.data(),
            solid_bits.data(),
            static_cast<std::int64_t>(solid_bits.size())};
  }
};

// Does the room continue below and above, in planes that neighbouring slabs hold? Nodes of planes [inside_begin,
// inside_end) read none of those.
struct NeighbourPlanes {
  bool below = false, above = false;
  int inside_begin = 0, inside_end = std::numeric_limits<int>::max();
};

// air: all air where the kernel keeps solid voxels at zero itself. Throws Error (status resource) where the stencil's reach does not fit 31 bits, or the rows 32.
template <class T>
NearTables<T> pack_near(const NearWall& walls, const AirMask& air, const GridStencil& stencil, const Layout& layout,
                        NeighbourPlanes neighbours = {});

}  // namespace fdtd::cuda

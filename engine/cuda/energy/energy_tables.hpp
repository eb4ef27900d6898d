// Near-wall corrections as the energy needs them: NearWall's own segments, whose parts of <u+, S u> add up. Not the
// rows of near_wall.hpp, whose weights of one place are one: these depend on the layer alone (layers.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cuda/field/layers.hpp"
#include "engine/cuda/field/layout.hpp"
#include "engine/cuda/gpu/host_device.hpp"
#include "engine/cuda/walls/near_wall.hpp"

namespace fdtd::cuda {

inline constexpr int segment_lanes = 8;             // threads of a piece of a segment
inline constexpr std::uint32_t segment_piece = 64;  // nodes of one, at most: no lane has more to do than the others
inline constexpr std::uint64_t part_segments = 64;  // pieces of a block's work
inline constexpr std::uint64_t part_mass_nodes = 128;

struct SegmentPlace {
  std::int64_t offset = 0;  // of the first node
  std::uint32_t length = 0, pattern = 0;
};

template <class T>
struct SegmentsView {
  const SegmentPlace* segments;
  const std::uint64_t* entry_begin;  // of pattern p: [entry_begin[p], entry_begin[p + 1])
  const std::int32_t* entry_offset;
  const T* entry_weight;

  // A lane's part of 1/2 <u+, (2 - S) u> that the segment's corrections make.
  FDTD_HOST_DEVICE double energy(std::uint64_t segment, std::uint32_t lane, const T* after, const T* u) const {
    const SegmentPlace place = segments[segment];
    double sum = 0.0;
    for (std::uint32_t x = lane; x < place.length; x += segment_lanes) {
      const std::int64_t at = place.offset + x;
      double correction = 0.0;
      for (std::uint64_t e = entry_begin[place.pattern]; e < entry_begin[place.pattern + 1]; ++e)
        correction =
            fused(static_cast<double>(entry_weight[e]), static_cast<double>(u[at + entry_offset[e]]), correction);
      sum = fused(static_cast<double>(after[at]), correction, sum);
    }
    return -0.5 * sum;
  }
};

template <class T>
struct EnergyTables {
  std::vector<SegmentPlace> segments;
  std::vector<std::uint64_t> entry_begin;
  std::vector<std::int32_t> entry_offset;
  std::vector<T> entry_weight;
  std::vector<LayerPart> segment_parts, mass_parts;  // heavy: of NearWall::masses

  SegmentsView<T> view() const {
    return {segments.data(), entry_begin.data(), entry_offset.data(), entry_weight.data()};
  }
};

template <class T>
EnergyTables<T> pack_energy(const NearWall& walls, const Layout& layout, const OwnLayers& layers);

}  // namespace fdtd::cuda

#include "engine/cuda/energy/energy_tables.hpp"

#include <algorithm>

namespace fdtd::cuda {

template <class T>
EnergyTables<T> pack_energy(const NearWall& walls, const Layout& layout, const OwnLayers& layers) {
  EnergyTables<T> tables;
  NearWall patterns;
  patterns.entries = walls.entries;
  patterns.pattern_begin = walls.pattern_begin;
  if (sizeof(T) == sizeof(float)) patterns = rounded_to_float(patterns);
  tables.entry_begin = patterns.pattern_begin;
  for (const RowEntry& entry : patterns.entries) {
    const auto& [dx, dy, dz] = entry.offset;
    tables.entry_offset.push_back(static_cast<std::int32_t>(dx + dy * layout.row + dz * layout.plane));
    tables.entry_weight.push_back(static_cast<T>(entry.weight));
  }
  std::vector<std::uint32_t> layer_of;
  tables.segments.reserve(walls.segments.size());
  for (const WallSegment& segment : walls.segments) {
    for (std::uint32_t x = 0; x < segment.length; x += segment_piece) {
      const std::uint32_t length = std::min(segment_piece, segment.length - x);
      tables.segments.push_back({layout.offset(segment.node) + x, length, segment.pattern});
      layer_of.push_back(layers.of_node(segment.node));
    }
  }
  tables.segment_parts = parts_by_layer(layer_of.size(), part_segments, [&](std::uint64_t i) { return layer_of[i]; });
  tables.mass_parts = parts_by_layer(walls.masses.size(), part_mass_nodes,
                                     [&](std::uint64_t i) { return layers.of_node(walls.masses[i].node); });
  return tables;
}

template EnergyTables<float> pack_energy(const NearWall&, const Layout&, const OwnLayers&);
template EnergyTables<double> pack_energy(const NearWall&, const Layout&, const OwnLayers&);

}  // namespace fdtd::cuda

#include "engine/cuda/walls/near_wall.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "base/error.hpp"

namespace fdtd::cuda {
namespace {

constexpr std::int64_t farthest = std::numeric_limits<std::int32_t>::max();

// Hash of plain numbers, by their bytes.
template <class Key>
struct BytesHash {
  std::size_t operator()(const Key& key) const {
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(key.data()), key.size() * sizeof(typename Key::value_type)});
  }
};

NearWall patterns_alone(const NearWall& walls) {
  NearWall patterns;
  patterns.entries = walls.entries;
  patterns.pattern_begin = walls.pattern_begin;
  return patterns;
}

// The stencil's rows: planes and rows (dy, dz) with their points along x as distances.
struct StencilRow {
  int dy, dz;
  std::vector<int> dx;  // signed
};

std::vector<StencilRow> rows_of(const GridStencil& stencil) {
  std::vector<StencilRow> rows;
  const auto add = [&](int dx, int dy, int dz) {
    for (StencilRow& row : rows) {
      if (row.dy == dy && row.dz == dz) {
        row.dx.push_back(dx);
        return;
      }
    }
    rows.push_back({dy, dz, {dx}});
  };
  for (const Term& term : stencil.terms) {
    const auto [a, b, c] = term.offset;
    for (const int x : {-a, a})
      for (const int y : {-b, b})
        for (const int z : {-c, c}) add(x, y, z);
  }
  for (StencilRow& row : rows) {
    std::sort(row.dx.begin(), row.dx.end());
    row.dx.erase(std::unique(row.dx.begin(), row.dx.end()), row.dx.end());
  }
  return rows;
}

template <class T>
class Packer {
 public:
  Packer(const NearWall& walls, const AirMask& air, const GridStencil& stencil, const Layout& layout,
         NeighbourPlanes neighbours)
      : walls_(walls), air_(air), layout_(layout), neighbours_(neighbours), stencil_rows_(rows_of(stencil)) {
    if (stencil.radius * (layout.plane + layout.row + 1) > farthest) {
      throw Error(Status::resource, "the grid's planes are too large for the GPU's tables of walls",
                  "turn the room so that its shortest side is not z");
    }
    const NearWall single = patterns_alone(walls);
    const NearWall rounded = sizeof(T) == sizeof(float) ? rounded_to_float(single) : single;
    for (std::size_t p = 0; p + 1 < rounded.pattern_begin.size(); ++p) {
      pattern_begin_.push_back(entries_.size());
      for (std::uint64_t e = rounded.pattern_begin[p]; e < rounded.pattern_begin[p + 1]; ++e) {
        const auto& [dx, dy, dz] = rounded.entries[e].offset;
        entries_.push_back({static_cast<std::int32_t>(dx + dy * layout.row + dz * layout.plane),
                            static_cast<T>(rounded.entries[e].weight)});
      }
    }
    pattern_begin_.push_back(entries_.size());
  }

  NearTables<T> pack() {
    const auto [nx, ny, nz] = layout_.size;
    patterns_of_.resize(static_cast<std::size_t>(nx));
    row_of_.resize(static_cast<std::size_t>(nx));
    used_.assign(static_cast<std::size_t>(nx) / 64 + 1, 0);
    for (const NodeMass& m : walls_.masses) out_.mass_nodes.push_back({layout_.offset(m.node), m.mass - 1.0, {}});
    const int begin = std::min(neighbours_.inside_begin, nz), end = std::clamp(neighbours_.inside_end, begin, nz);
    for (int z = 0; z <= nz; ++z) {
      if (z == begin) out_.inside_begin = node_count();
      if (z == end) out_.inside_end = node_count();
      for (int y = 0; z < nz && y < ny; ++y) take_line(y, z);
    }
    return std::move(out_);
  }

 private:
  struct Entry {
    std::int32_t offset;
    T weight;
  };

  std::int64_t node_count() const { return static_cast<std::int64_t>(out_.groups.size()); }

  // The nodes of a line along x.
  void take_line(int y, int z) {
    take_solids(y, z);
    const auto nx = static_cast<std::uint64_t>(layout_.size[0]);
    const std::uint64_t first = nx * (static_cast<std::uint64_t>(y) +
                                      static_cast<std::uint64_t>(layout_.size[1]) * static_cast<std::uint64_t>(z));
    if (take_segments(first, first + nx)) {
      const std::int64_t line = layout_.offset(0, y, z);
      for (int x = next_used(0); x < layout_.size[0]; x = next_used(x + 1))
        out_.add(line + x, row_of_[static_cast<std::size_t>(x)]);
    }
    for (; mass_nodes_ < walls_.masses.size() && walls_.masses[mass_nodes_].node < first + nx; ++mass_nodes_) {
      const std::uint64_t x = walls_.masses[mass_nodes_].node - first;
      if ((used_[x / 64] >> (x % 64) & 1U) != 0) out_.mass_nodes[mass_nodes_].row = row_of_[x];
    }
    std::fill(used_.begin(), used_.end(), 0);
  }

  // Most of a line is far from walls: its nodes with a row are marked.
  int next_used(int x) const {
    auto w = static_cast<std::size_t>(x) / 64;
    if (w >= used_.size()) return layout_.size[0];
    std::uint64_t word = used_[w] & (~std::uint64_t{0} << (x % 64));
    while (word == 0 && ++w < used_.size()) word = used_[w];
    return word == 0 ? layout_.size[0] : static_cast<int>(64 * w) + std::countr_zero(word);
  }

  // Rows of the line's nodes [first, last); false: none has one.
  bool take_segments(std::uint64_t first, std::uint64_t last) {
    const std::size_t begin = segment_;
    for (; segment_ < walls_.segments.size() && walls_.segments[segment_].node < last; ++segment_) {
      const WallSegment& segment = walls_.segments[segment_];
      for (std::uint64_t x = segment.node - first; x < segment.node - first + segment.length; ++x) {
        patterns_of_[x].push_back(segment.pattern);
        used_[x / 64] |= std::uint64_t{1} << (x % 64);
      }
    }
    if (begin == segment_) return false;
    const std::vector<std::uint32_t>* before = nullptr;  // of the node whose row was found last
    RowPlace row;
    for (int x = next_used(0); x < layout_.size[0]; x = next_used(x + 1)) {
      const std::vector<std::uint32_t>& here = patterns_of_[static_cast<std::size_t>(x)];
      if (before == nullptr || *before != here) row = row_of(here);
      row_of_[static_cast<std::size_t>(x)] = row;
      before = &here;
    }
    for (int x = next_used(0); x < layout_.size[0]; x = next_used(x + 1))
      patterns_of_[static_cast<std::size_t>(x)].clear();
    return true;
  }

  RowPlace row_of(const std::vector<std::uint32_t>& parts) {
    const auto [known, fresh] = rows_.try_emplace(parts);
    if (fresh) known->second = add_row(parts);
    return known->second;
  }

  RowPlace add_row(const std::vector<std::uint32_t>& parts) {
    std::vector<Entry> merged;
    for (const std::uint32_t part : parts)
      for (std::size_t e = pattern_begin_[part]; e < pattern_begin_[part + 1]; ++e) merge(merged, entries_[e]);
    // In the order of the array: values that lie together are read together.
    std::stable_sort(merged.begin(), merged.end(), [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
    const std::size_t begin = out_.entry_offset.size(), groups = (merged.size() + entry_group - 1) / entry_group;
    if (begin + groups > std::numeric_limits<std::uint32_t>::max() || groups > max_groups)
      throw Error(Status::resource, "the room's walls are too many for the GPU's tables of walls",
                  "share the room among more GPUs, or take --device cpu");
    for (std::size_t g = 0; g < groups; ++g) {
      FourOf<std::int32_t> offsets{};
      FourOf<T> weights{};
      for (std::size_t e = 0; e < entry_group && entry_group * g + e < merged.size(); ++e) {
        offsets.of[e] = merged[entry_group * g + e].offset;
        weights.of[e] = merged[entry_group * g + e].weight;
      }
      out_.entry_offset.push_back(offsets);
      out_.entry_weight.push_back(weights);
    }
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint8_t>(groups)};
  }

  // Two weights of one place become one where no rounding is needed: sums of rows stay what they were.
  static void merge(std::vector<Entry>& entries, const Entry& entry) {
    for (Entry& other : entries) {
      if (other.offset != entry.offset) continue;
      const T sum = other.weight + entry.weight;
      if (sum - other.weight != entry.weight || sum - entry.weight != other.weight) continue;
      other.weight = sum;
      return;
    }
    entries.push_back(entry);
  }

  // Solid voxels of the line that some point of the stencil joins to air; of lines near what is not seen, all.
  void take_solids(int y, int z) {
    if (air_.all_air()) return;
    const bool unseen =
        (neighbours_.below && z < layout_.radius) || (neighbours_.above && z >= layout_.size[2] - layout_.radius);
    const int nx = layout_.size[0];
    for (int x = 0; x < nx; x += 64) {
      const std::uint64_t inside = nx - x >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (nx - x)) - 1;
      const std::uint64_t solid = ~air_.bits(x, y, z) & inside;
      std::uint64_t touched = unseen ? solid : 0;
      for (std::size_t r = 0; solid != 0 && r < stencil_rows_.size() && (touched & solid) != solid; ++r)
        for (const int dx : stencil_rows_[r].dx)
          touched |= air_.bits(x + dx, y + stencil_rows_[r].dy, z + stencil_rows_[r].dz);
      for (const int half : {0, 32}) {
        const auto bits = static_cast<std::uint32_t>((touched & solid) >> half);
        if (bits == 0) continue;
        out_.solid_base.push_back(layout_.offset(x + half, y, z));
        out_.solid_bits.push_back(bits);
      }
    }
  }

  const NearWall& walls_;
  const AirMask& air_;
  const Layout& layout_;
  NeighbourPlanes neighbours_;
  std::vector<StencilRow> stencil_rows_;
  std::vector<std::size_t> pattern_begin_;  // entries of the walls' own patterns
  std::vector<Entry> entries_;
  std::size_t segment_ = 0, mass_nodes_ = 0;             // the next ones
  std::vector<std::vector<std::uint32_t>> patterns_of_;  // of the line's nodes: the walls' patterns
  std::vector<RowPlace> row_of_;                         // of the line's nodes
  std::vector<std::uint64_t> used_;                      // bits of the line's nodes that have a row
  std::unordered_map<std::vector<std::uint32_t>, RowPlace, BytesHash<std::vector<std::uint32_t>>> rows_;
  NearTables<T> out_;
};

}  // namespace

template <class T>
void NearTables<T>::add(std::int64_t at, const RowPlace& row) {
  while (groups.size() % row_lanes != 0 && at - base.back() > farthest) {
    offset.push_back(0);
    begin.push_back(0);
    groups.push_back(idle_lane);
  }
  if (groups.size() % row_lanes == 0) base.push_back(at);
  offset.push_back(static_cast<std::int32_t>(at - base.back()));
  begin.push_back(row.begin);
  groups.push_back(row.groups);
}

template struct NearTables<float>;
template struct NearTables<double>;

template <class T>
NearTables<T> pack_near(const NearWall& walls, const AirMask& air, const GridStencil& stencil, const Layout& layout,
                        NeighbourPlanes neighbours) {
  return Packer<T>(walls, air, stencil, layout, neighbours).pack();
}

template NearTables<float> pack_near(const NearWall&, const AirMask&, const GridStencil&, const Layout&,
                                     NeighbourPlanes);
template NearTables<double> pack_near(const NearWall&, const AirMask&, const GridStencil&, const Layout&,
                                      NeighbourPlanes);

}  // namespace fdtd::cuda

#include "engine/cuda/walls/near_wall.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "engine/error.hpp"

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
         std::span<OwnedNode> owned_nodes, NeighbourPlanes neighbours)
      : walls_(walls),
        air_(air),
        layout_(layout),
        owned_nodes_(owned_nodes),
        neighbours_(neighbours),
        rows_(rows_of(stencil)) {
    if (stencil.radius * (layout.plane + layout.row + 1) > farthest) {
      throw Error(Status::resource, "the grid's planes are too large for the GPU's tables of walls",
                  "turn the room so that its shortest side is not z");
    }
    const NearWall single = patterns_alone(walls);
    const NearWall rounded = sizeof(T) == sizeof(float) ? rounded_to_float(single) : single;
    for (std::size_t p = 0; p + 1 < rounded.pattern_begin.size(); ++p) {
      begin_.push_back(entries_.size());
      for (std::uint64_t e = rounded.pattern_begin[p]; e < rounded.pattern_begin[p + 1]; ++e) {
        const auto& [dx, dy, dz] = rounded.entries[e].offset;
        entries_.push_back({static_cast<std::int32_t>(dx + dy * layout.row + dz * layout.plane),
                            static_cast<T>(rounded.entries[e].weight),
                            {dx, dy, dz}});
      }
    }
    begin_.push_back(entries_.size());
    out_.row = layout.row;
  }

  NearTables<T> pack() {
    const auto [nx, ny, nz] = layout_.size;
    segments_of_.resize(static_cast<std::size_t>(nx));
    lane_of_.assign(static_cast<std::size_t>(nx), idle_lane);
    used_.assign(static_cast<std::size_t>(nx) / 64 + 1, 0);
    for (const NodeMass& m : walls_.masses)
      out_.mass_nodes.push_back({layout_.offset(m.node), m.mass - 1.0, no_pattern});
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) take_row(y, z);
      emit_short();
    }
    return std::move(out_);
  }

 private:
  struct Entry {
    std::int32_t offset;
    T weight;
    Reach reach;
  };
  // A short run along x: lanes first..first + length of pieces_.
  struct Piece {
    int x;
    std::int64_t offset;
    std::uint32_t first, length;
  };

  void take_row(int y, int z) {
    const auto nx = static_cast<std::uint64_t>(layout_.size[0]);
    const std::uint64_t first = nx * (static_cast<std::uint64_t>(y) +
                                      static_cast<std::uint64_t>(layout_.size[1]) * static_cast<std::uint64_t>(z));
    bool any = take_segments(first, first + nx);
    any = take_solids(y, z) || any;
    take_owned_nodes(first, first + nx);
    if (!any) return;
    const std::int64_t row = layout_.offset(0, y, z);
    for (int x = next_used(0); x < layout_.size[0];) {
      if (lane_of_[static_cast<std::size_t>(x)] == idle_lane) {
        x = next_used(x + 1);
        continue;
      }
      const int until = std::min(layout_.size[0], (x / batch_lanes + 1) * batch_lanes);
      int end = x;
      while (end < until && lane_of_[static_cast<std::size_t>(end)] != idle_lane) ++end;
      pieces_.push_back({x, row + x, static_cast<std::uint32_t>(lanes_.size()), static_cast<std::uint32_t>(end - x)});
      for (; x < end; ++x) lanes_.push_back(lane_of_[static_cast<std::size_t>(x)]);
      x = next_used(x);
    }
    for (std::size_t w = 0; w < used_.size(); ++w) {
      for (; used_[w] != 0; used_[w] &= used_[w] - 1)
        lane_of_[64 * w + static_cast<std::size_t>(std::countr_zero(used_[w]))] = idle_lane;
    }
  }

  // Most of a row is far from walls: its lanes in use are marked.
  void use(std::size_t x) { used_[x / 64] |= std::uint64_t{1} << (x % 64); }
  int next_used(int x) const {
    auto w = static_cast<std::size_t>(x) / 64;
    if (w >= used_.size()) return layout_.size[0];
    std::uint64_t word = used_[w] & (~std::uint64_t{0} << (x % 64));
    while (word == 0 && ++w < used_.size()) word = used_[w];
    return word == 0 ? layout_.size[0] : static_cast<int>(64 * w) + std::countr_zero(word);
  }

  // Patterns of the row's nodes [first, last); false: none has one.
  bool take_segments(std::uint64_t first, std::uint64_t last) {
    const std::size_t begin = segment_;
    for (; segment_ < walls_.segments.size() && walls_.segments[segment_].node < last; ++segment_) {
      const WallSegment& segment = walls_.segments[segment_];
      for (std::uint64_t x = segment.node - first; x < segment.node - first + segment.length; ++x) {
        segments_of_[x].push_back(segment.pattern);
        use(x);
      }
    }
    if (begin == segment_) return false;
    const std::vector<std::uint32_t>* before = nullptr;  // of the node whose pattern was found last
    std::uint32_t pattern = no_pattern;
    for (int x = next_used(0); x < layout_.size[0]; x = next_used(x + 1)) {
      const std::vector<std::uint32_t>& here = segments_of_[static_cast<std::size_t>(x)];
      if (before == nullptr || *before != here) pattern = pattern_of(here);
      lane_of_[static_cast<std::size_t>(x)] = pattern;
      before = &here;
    }
    for (int x = next_used(0); x < layout_.size[0]; x = next_used(x + 1))
      segments_of_[static_cast<std::size_t>(x)].clear();
    return true;
  }

  std::uint32_t pattern_of(const std::vector<std::uint32_t>& parts) {
    const auto next = static_cast<std::uint32_t>(out_.entry_begin.size() - 1);
    const auto [known, fresh] = patterns_.try_emplace(parts, next);
    if (!fresh) return known->second;
    std::vector<Entry> merged;
    for (const std::uint32_t part : parts)
      for (std::size_t e = begin_[part]; e < begin_[part + 1]; ++e) merge(merged, entries_[e]);
    // In the order of the array: sums that others take of the same entries (boundary_update.hpp) round alike.
    std::stable_sort(merged.begin(), merged.end(), [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
    std::vector<Reach> reaches;
    for (const Entry& entry : merged) {
      out_.entry_offset.push_back(entry.offset);
      out_.entry_weight.push_back(entry.weight);
      reaches.push_back(entry.reach);
    }
    const std::vector<std::uint8_t> steps = steps_across(reaches, registers_of_a_batch);
    out_.goes_across.push_back(!steps.empty());
    out_.entry_step.insert(out_.entry_step.end(), steps.begin(), steps.end());
    out_.entry_step.resize(out_.entry_offset.size());
    out_.entry_begin.push_back(static_cast<std::uint32_t>(out_.entry_offset.size()));
    return next;
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

  // Solid voxels of the row that some point of the stencil joins to air; of rows near what is not seen, all.
  bool take_solids(int y, int z) {
    if (air_.all_air()) return false;
    bool any = false;
    const bool unseen =
        (neighbours_.below && z < layout_.radius) || (neighbours_.above && z >= layout_.size[2] - layout_.radius);
    const int nx = layout_.size[0];
    for (int x = 0; x < nx; x += 64) {
      const std::uint64_t inside = nx - x >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (nx - x)) - 1;
      const std::uint64_t solid = ~air_.bits(x, y, z) & inside;
      std::uint64_t touched = unseen ? solid : 0;
      for (std::size_t r = 0; solid != 0 && r < rows_.size() && (touched & solid) != solid; ++r)
        for (const int dx : rows_[r].dx) touched |= air_.bits(x + dx, y + rows_[r].dy, z + rows_[r].dz);
      for (std::uint64_t left = touched & solid; left != 0; left &= left - 1) {
        lane_of_[static_cast<std::size_t>(x + std::countr_zero(left))] = solid_lane;
        use(static_cast<std::size_t>(x + std::countr_zero(left)));
        any = true;
      }
    }
    return any;
  }

  void take_owned_nodes(std::uint64_t first, std::uint64_t last) {
    for (; mass_nodes_ < walls_.masses.size() && walls_.masses[mass_nodes_].node < last; ++mass_nodes_)
      out_.mass_nodes[mass_nodes_].pattern = listed(lane_of_[walls_.masses[mass_nodes_].node - first]);
    for (; owned_ < owned_nodes_.size() && owned_nodes_[owned_].node < last; ++owned_) {
      std::uint32_t& lane = lane_of_[owned_nodes_[owned_].node - first];
      owned_nodes_[owned_].pattern = listed(lane);
      lane = idle_lane;
    }
  }
  static std::uint32_t listed(std::uint32_t lane) { return lane == idle_lane ? no_pattern : lane; }

  // The pieces of a plane: whole units as they come, then the others by x, as many to a unit as it holds.
  void emit_short() {
    for (const Piece& piece : pieces_)
      if (piece.length == batch_lanes) emit({&piece, 1});
    std::erase_if(pieces_, [](const Piece& piece) { return piece.length == batch_lanes; });
    std::stable_sort(pieces_.begin(), pieces_.end(),
                     [](const Piece& a, const Piece& b) { return a.x != b.x ? a.x < b.x : a.length < b.length; });
    for (std::size_t i = 0; i < pieces_.size();) {
      std::size_t end = i;
      std::uint32_t used = 0;
      while (end < pieces_.size() && used + pieces_[end].length <= batch_lanes &&
             std::abs(pieces_[end].offset - pieces_[i].offset) < farthest - batch_lanes)
        used += pieces_[end++].length;
      emit({pieces_.data() + i, end - i});
      i = end;
    }
    pieces_.clear();
    lanes_.clear();
  }

  void emit(std::span<const Piece> pieces) {
    std::array<std::uint32_t, 2 * batch_lanes> lanes{};  // offsets, patterns
    std::fill(lanes.begin() + batch_lanes, lanes.end(), idle_lane);
    std::size_t lane = 0;
    for (const Piece& piece : pieces) {
      for (std::uint32_t i = 0; i < piece.length; ++i, ++lane) {
        lanes[lane] = static_cast<std::uint32_t>(static_cast<std::int32_t>(piece.offset - pieces[0].offset + i));
        lanes[batch_lanes + lane] = lanes_[piece.first + i];
      }
    }
    const auto [known, fresh] = templates_.try_emplace(lanes, static_cast<std::uint32_t>(templates_.size()));
    if (fresh) {
      for (std::size_t i = 0; i < batch_lanes; ++i) {
        out_.lane_offset.push_back(static_cast<std::int32_t>(lanes[i]));
        out_.lane_pattern.push_back(lanes[batch_lanes + i]);
      }
      out_.template_across.push_back(pattern_across({lanes.data(), lane}, {lanes.data() + batch_lanes, lane}));
    }
    out_.batch_base.push_back(pieces[0].offset);
    out_.batch_template.push_back(known->second);
  }

  // The pattern of all lanes, where they have one and lie in rows side by side, most of them; else none.
  std::uint32_t pattern_across(std::span<const std::uint32_t> offsets, std::span<const std::uint32_t> patterns) const {
    const std::uint32_t pattern = patterns.front();
    const bool all_alike = std::all_of(patterns.begin(), patterns.end(), [&](auto one) { return one == pattern; });
    if (!all_alike || pattern == solid_lane || !out_.goes_across[pattern]) return no_pattern;
    std::size_t beside = 0;
    for (std::size_t i = 1; i < offsets.size(); ++i)
      beside +=
          static_cast<std::int32_t>(offsets[i]) - static_cast<std::int32_t>(offsets[i - 1]) == layout_.row ? 1 : 0;
    return 4 * beside >= 3 * offsets.size() ? pattern : no_pattern;
  }

  const NearWall& walls_;
  const AirMask& air_;
  const Layout& layout_;
  std::span<OwnedNode> owned_nodes_;
  NeighbourPlanes neighbours_;
  std::vector<StencilRow> rows_;
  std::vector<std::size_t> begin_;  // entries of the walls' own patterns
  std::vector<Entry> entries_;
  std::size_t segment_ = 0, owned_ = 0, mass_nodes_ = 0;  // the next ones
  std::vector<std::vector<std::uint32_t>> segments_of_;   // of the row's nodes: the walls' patterns
  std::vector<std::uint32_t> lane_of_;                    // of the row's nodes
  std::vector<std::uint64_t> used_;                       // bits of the row's nodes whose lane was set
  std::vector<Piece> pieces_;                             // of the plane
  std::vector<std::uint32_t> lanes_;                      // of the pieces
  std::unordered_map<std::vector<std::uint32_t>, std::uint32_t, BytesHash<std::vector<std::uint32_t>>> patterns_;
  using Lanes = std::array<std::uint32_t, 2 * batch_lanes>;
  std::unordered_map<Lanes, std::uint32_t, BytesHash<Lanes>> templates_;
  NearTables<T> out_;
};

}  // namespace

template <class T>
NearTables<T> pack_near(const NearWall& walls, const AirMask& air, const GridStencil& stencil, const Layout& layout,
                        std::span<OwnedNode> owned_nodes, NeighbourPlanes neighbours) {
  return Packer<T>(walls, air, stencil, layout, owned_nodes, neighbours).pack();
}

template NearTables<float> pack_near(const NearWall&, const AirMask&, const GridStencil&, const Layout&,
                                     std::span<OwnedNode>, NeighbourPlanes);
template NearTables<double> pack_near(const NearWall&, const AirMask&, const GridStencil&, const Layout&,
                                      std::span<OwnedNode>, NeighbourPlanes);

}  // namespace fdtd::cuda

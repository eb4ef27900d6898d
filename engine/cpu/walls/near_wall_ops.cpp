#include "engine/cpu/walls/near_wall_ops.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace fdtd::cpu {
namespace {

std::ptrdiff_t reach(const RowEntry& entry, const Layout& layout) {
  return entry.offset[0] + entry.offset[1] * layout.row + entry.offset[2] * layout.plane;
}

NearWall patterns_alone(const NearWall& walls) {
  NearWall patterns;
  patterns.entries = walls.entries;
  patterns.pattern_begin = walls.pattern_begin;
  return patterns;
}

// Joins operations of a plane that repeat in the next row.
void join_rows(std::vector<NearWallOp>& ops, std::ptrdiff_t row) {
  using Place = std::tuple<std::ptrdiff_t, std::uint32_t, std::uint32_t>;
  std::map<Place, std::size_t> next;  // where an operation would continue
  std::vector<NearWallOp> joined;
  for (const NearWallOp& op : ops) {
    const auto known = next.find({op.offset, op.table, op.length});
    std::size_t at = joined.size();
    if (known != next.end()) {
      at = known->second;
      ++joined[at].rows;
      next.erase(known);
    } else {
      joined.push_back(op);
    }
    next[{op.offset + row, op.table, op.length}] = at;
  }
  ops.swap(joined);
}

// Appends the operations of a tile's next plane to those of the planes below. If they equal those of the plane below,
// they are joined with them, so that sums keep the order that they have in a plane. `last`: the first operation of the
// plane below.
void join_plane(std::vector<NearWallOp>& ops, std::size_t& last, const std::vector<NearWallOp>& next,
                std::ptrdiff_t plane) {
  const bool same = std::equal(ops.begin() + static_cast<std::ptrdiff_t>(last), ops.end(), next.begin(), next.end(),
                               [&](const NearWallOp& below, const NearWallOp& op) {
                                 return op.offset - below.offset == below.planes * plane && op.table == below.table &&
                                        op.length == below.length && op.rows == below.rows;
                               });
  if (same) {
    for (std::size_t i = last; i < ops.size(); ++i) ++ops[i].planes;
  } else {
    last = ops.size();
    ops.insert(ops.end(), next.begin(), next.end());
  }
}

}  // namespace

template <class T>
NearWallOps<T>::NearWallOps(const NearWall& walls, const Layout& layout) {
  keep_patterns(walls, layout);
  std::vector<std::size_t> tile_of_op;
  const std::vector<NearWallOp> ops = ops_of_rows(walls.segments, layout, tile_of_op);
  keep_lists(ops, tile_of_op, layout);
  tables_ = {run_begin_.data(),    run_offset_.data(),   run_weight_.data(), block_begin_.data(),
             block_offset_.data(), block_weight_.data(), layout.row,         layout.plane};
}

template <class T>
void NearWallOps<T>::keep_patterns(const NearWall& walls, const Layout& layout) {
  const NearWall rounded = sizeof(T) == sizeof(float) ? rounded_to_float(patterns_alone(walls)) : patterns_alone(walls);
  for (std::size_t p = 0; p + 1 < rounded.pattern_begin.size(); ++p) {
    for (std::uint64_t e = rounded.pattern_begin[p]; e < rounded.pattern_begin[p + 1]; ++e) {
      run_offset_.push_back(reach(rounded.entries[e], layout));
      run_weight_.push_back(static_cast<T>(rounded.entries[e].weight));
    }
    run_begin_.push_back(run_offset_.size());
  }
}

template <class T>
std::uint32_t NearWallOps<T>::table_of(const Parts& parts, KnownBlocks& known) {
  const auto [entry, fresh] = known.try_emplace(parts, 0);
  if (!fresh) return entry->second;
  const auto block = static_cast<std::uint32_t>(block_begin_.size() - 1);
  const auto neighbours = columns_of(parts, near_neighbours, std::numeric_limits<std::size_t>::max());
  const auto shared = columns_of(parts, near_shared, neighbours->size());
  for (const Column& column : shared ? *shared : *neighbours) {
    block_offset_.push_back(column.offset);
    block_weight_.insert(block_weight_.end(), column.weight.begin(), column.weight.end());
  }
  block_begin_.push_back(block_offset_.size());
  return entry->second = 3 * block + (shared ? near_shared : near_neighbours);
}

// Cuts the short segments of a row into blocks from the left; none is left.
template <class T>
void NearWallOps<T>::cut_into_blocks(std::vector<WallSegment>& pieces, const Layout& layout, KnownBlocks& known,
                                     std::vector<NearWallOp>& ops) {
  constexpr auto width = static_cast<std::uint32_t>(block_width<T>);
  std::vector<WallSegment> rest;
  while (!pieces.empty()) {
    std::uint64_t start = pieces[0].node;
    for (const WallSegment& piece : pieces) start = std::min(start, piece.node);
    Parts parts;
    std::uint32_t length = 0;
    rest.clear();
    for (const WallSegment& piece : pieces) {
      const std::uint64_t lane = piece.node - start;
      const std::uint32_t inside = lane < width ? std::min(piece.length, static_cast<std::uint32_t>(width - lane)) : 0;
      if (inside > 0) {
        parts.push_back({static_cast<std::uint32_t>(lane), inside, piece.pattern});
        length = std::max(length, static_cast<std::uint32_t>(lane) + inside);
      }
      if (inside < piece.length) rest.push_back({piece.node + inside, piece.length - inside, piece.pattern});
    }
    ops.push_back({layout.offset(start), length, table_of(parts, known), 1, 1});
    pieces.swap(rest);
  }
}

// One operation a long segment and one a block, row after row, with offsets in the array.
template <class T>
std::vector<NearWallOp> NearWallOps<T>::ops_of_rows(const std::vector<WallSegment>& segments, const Layout& layout,
                                                    std::vector<std::size_t>& tile_of_op) {
  KnownBlocks known;
  std::vector<NearWallOp> ops;
  std::vector<WallSegment> pieces;
  const auto nx = static_cast<std::uint64_t>(layout.size[0]);
  std::uint64_t row = std::numeric_limits<std::uint64_t>::max();
  const auto end_row = [&] {
    cut_into_blocks(pieces, layout, known, ops);
    if (ops.size() > tile_of_op.size()) tile_of_op.resize(ops.size(), layout.tile_of(row * nx));
  };
  for (const WallSegment& segment : segments) {
    if (segment.node / nx != row) {
      end_row();
      row = segment.node / nx;
    }
    if (segment.length >= static_cast<std::uint32_t>(block_width<T>)) {
      ops.push_back({layout.offset(segment.node), segment.length, 3 * segment.pattern + near_run, 1, 1});
    } else {
      pieces.push_back(segment);
    }
  }
  end_row();
  return ops;
}

template <class T>
void NearWallOps<T>::keep_lists(const std::vector<NearWallOp>& ops, const std::vector<std::size_t>& tile_of_op,
                                const Layout& layout) {
  const ByTile by_tile(tile_of_op, layout.tiles.size());
  std::vector<NearWallOp> of_tile, of_plane;
  for (std::size_t tile = 0; tile < layout.tiles.size(); ++tile) {
    of_tile.clear();
    std::size_t last = 0;
    for (std::size_t i = by_tile.begin[tile]; i < by_tile.begin[tile + 1];) {
      const auto plane_of = [&](std::size_t item) {
        return (ops[by_tile.items[item]].offset - layout.first) / layout.plane;
      };
      const std::ptrdiff_t plane = plane_of(i);
      of_plane.clear();
      for (; i < by_tile.begin[tile + 1] && plane_of(i) == plane; ++i) {
        of_plane.push_back(ops[by_tile.items[i]]);
        of_plane.back().offset -= layout.first_of(layout.tiles[tile]);
      }
      join_rows(of_plane, layout.row);
      join_plane(of_tile, last, of_plane, layout.plane);
    }
    lists_.push_back({static_cast<std::uint32_t>(ops_.keep(of_tile)), static_cast<std::uint32_t>(of_tile.size())});
  }
  ops_.close();
}

// Weights that multiply the same value, or the neighbour at the same offset, and fill different lanes; weights are not
// added, so not rounded.
template <class T>
auto NearWallOps<T>::columns_of(const Parts& parts, NearWallForm form, std::size_t most) const
    -> std::optional<std::vector<Column>> {
  std::vector<Column> columns;
  for (const Part& part : parts) {
    for (std::uint32_t lane = part.at; lane < part.at + part.length; ++lane) {
      for (std::uint64_t e = run_begin_[part.pattern]; e < run_begin_[part.pattern + 1]; ++e) {
        const std::ptrdiff_t offset = run_offset_[e] + (form == near_shared ? static_cast<std::ptrdiff_t>(lane) : 0);
        auto at =
            std::ranges::find_if(columns, [&](const Column& c) { return c.offset == offset && c.weight[lane] == T{}; });
        if (at == columns.end()) {
          if (columns.size() == most) return std::nullopt;
          at = columns.insert(at, Column{offset, {}});
        }
        at->weight[lane] = run_weight_[e];
      }
    }
  }
  return columns;
}

template <class T>
double NearWallOps<T>::cost(std::size_t tile) const {
  double sum = 0.0;
  for (const NearWallOp* op = begin(tile); op != end(tile); ++op) {
    const bool run = op->table % 3 == near_run;
    const auto entries = static_cast<double>(columns(*op));
    sum += 4.0 + op->rows * op->planes * (run ? 2.0 + 0.1 * entries * op->length : 2.0 + 0.5 * entries);
  }
  return sum;
}

template <class T>
void NearWallOps<T>::add(const Layout& layout, std::size_t tile, const T* u, double* out) const {
  const std::ptrdiff_t first = layout.first_of(layout.tiles[tile]);
  for (const NearWallOp* op = begin(tile); op != end(tile); ++op) {
    for (std::uint32_t p = 0; p < op->planes; ++p) {
      for (std::uint32_t r = 0; r < op->rows; ++r) {
        NearWallOp row = *op;
        row.offset +=
            first + static_cast<std::ptrdiff_t>(p) * tables_.plane + static_cast<std::ptrdiff_t>(r) * tables_.row;
        add_row(row, u, out + layout.within(layout.tiles[tile], row.offset));
      }
    }
  }
}

// Tiles side by side with the same list are one call.
template <class T>
void NearWallOps<T>::correct(const Layout& layout, std::size_t begin, std::size_t end, const RowFunctions<T>& functions,
                             const T* u1, T* u0) const {
  if (ops_.all().empty()) return;
  for (std::size_t tile = begin, next = begin; tile < end; tile = next) {
    while (next < end && lists_[next] == lists_[tile]) ++next;
    if (lists_[tile].count == 0) continue;
    const std::ptrdiff_t first = layout.first_of(layout.tiles[tile]);
    functions.correct(tables_, this->begin(tile), lists_[tile].count, next - tile, u1 + first, u0 + first);
  }
}

template <class T>
void NearWallOps<T>::add_row(const NearWallOp& op, const T* u, double* to) const {
  const std::uint32_t which = op.table / 3;
  if (op.table % 3 == near_run) {
    for (std::uint64_t e = run_begin_[which]; e < run_begin_[which + 1]; ++e) {
      const T* const from = u + op.offset + run_offset_[e];
      const auto weight = static_cast<double>(run_weight_[e]);
      for (std::uint32_t x = 0; x < op.length; ++x) to[x] += weight * static_cast<double>(from[x]);
    }
  } else {
    for (std::uint64_t e = block_begin_[which]; e < block_begin_[which + 1]; ++e) {
      const T* const from = u + op.offset + block_offset_[e];
      const std::uint32_t step = op.table % 3 == near_shared ? 0 : 1;
      const T* const weight = block_weight_.data() + e * static_cast<std::uint64_t>(block_width<T>);
      for (std::uint32_t x = 0; x < op.length; ++x)
        to[x] += static_cast<double>(from[x * step]) * static_cast<double>(weight[x]);
    }
  }
}

template class NearWallOps<float>;
template class NearWallOps<double>;

}  // namespace fdtd::cpu

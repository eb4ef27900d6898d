#include "engine/cpu/wall_ops.hpp"

#include <algorithm>
#include <limits>
#include <map>

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

}  // namespace

// Short segments of one row within a vector's width: what a block is made of.
struct Part {
  std::uint32_t at, length, pattern;
  auto operator<=>(const Part&) const = default;
};
using Parts = std::vector<Part>;

template <class T>
WallOps<T>::WallOps(const NearWall& walls, const Layout& layout) {
  constexpr auto width = static_cast<std::uint32_t>(block_width<T>);
  const NearWall rounded = sizeof(T) == sizeof(float) ? rounded_to_float(patterns_alone(walls)) : patterns_alone(walls);
  for (std::size_t p = 0; p + 1 < rounded.pattern_begin.size(); ++p) {
    for (std::uint64_t e = rounded.pattern_begin[p]; e < rounded.pattern_begin[p + 1]; ++e) {
      run_offset_.push_back(reach(rounded.entries[e], layout));
      run_weight_.push_back(static_cast<T>(rounded.entries[e].weight));
    }
    run_begin_.push_back(run_offset_.size());
  }

  std::map<Parts, std::uint32_t> known;
  const auto table_of = [&](const Parts& parts) {
    const auto [entry, fresh] = known.try_emplace(parts, static_cast<std::uint32_t>(known.size()));
    if (!fresh) return entry->second;
    // Columns of equal offset are merged as long as each fills other lanes; sums stay unrounded.
    std::vector<std::ptrdiff_t> offsets;
    std::vector<std::array<T, block_width<T>>> columns;
    for (const auto& part : parts) {
      for (std::uint32_t lane = part.at; lane < part.at + part.length; ++lane) {
        for (std::uint64_t e = run_begin_[part.pattern]; e < run_begin_[part.pattern + 1]; ++e) {
          const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(lane) + run_offset_[e];
          std::size_t c = 0;
          while (c < offsets.size() && (offsets[c] != column || columns[c][lane] != T{})) ++c;
          if (c == offsets.size()) {
            offsets.push_back(column);
            columns.emplace_back();
          }
          columns[c][lane] = run_weight_[e];
        }
      }
    }
    for (std::size_t c = 0; c < offsets.size(); ++c) {
      block_offset_.push_back(offsets[c]);
      block_weight_.insert(block_weight_.end(), columns[c].begin(), columns[c].end());
    }
    block_begin_.push_back(block_offset_.size());
    return entry->second;
  };

  // The short segments of a row, cut into blocks from the left.
  std::vector<WallSegment> pieces, rest;
  const auto close_row = [&] {
    while (!pieces.empty()) {
      std::uint64_t start = pieces[0].node;
      for (const WallSegment& piece : pieces) start = std::min(start, piece.node);
      Parts parts;
      std::uint32_t length = 0;
      rest.clear();
      for (const WallSegment& piece : pieces) {
        const std::uint64_t lane = piece.node - start;
        const std::uint32_t inside =
            lane < width ? std::min(piece.length, static_cast<std::uint32_t>(width - lane)) : 0;
        if (inside > 0) {
          parts.push_back({static_cast<std::uint32_t>(lane), inside, piece.pattern});
          length = std::max(length, static_cast<std::uint32_t>(lane) + inside);
        }
        if (inside < piece.length) rest.push_back({piece.node + inside, piece.length - inside, piece.pattern});
      }
      ops_.push_back({layout.offset(start), length, 1, 2 * table_of(parts) + 1});
      pieces.swap(rest);
    }
  };
  const auto nx = static_cast<std::uint64_t>(layout.size[0]);
  std::vector<std::size_t> tile_of_op;
  std::uint64_t row = std::numeric_limits<std::uint64_t>::max();
  const auto end_row = [&] {
    close_row();
    if (ops_.size() > tile_of_op.size()) tile_of_op.resize(ops_.size(), layout.tile_of(row * nx));
  };
  for (const WallSegment& segment : walls.segments) {
    if (segment.node / nx != row) {
      end_row();
      row = segment.node / nx;
    }
    if (segment.length >= width) {
      ops_.push_back({layout.offset(segment.node), segment.length, 1, 2 * segment.pattern});
    } else {
      pieces.push_back(segment);
    }
  }
  end_row();
  const ByTile by_tile(tile_of_op, layout.tiles.size());
  tile_begin_ = by_tile.begin;
  std::vector<WallOp> ordered;
  ordered.reserve(ops_.size());
  for (const std::size_t op : by_tile.items) ordered.push_back(ops_[op]);
  ops_ = std::move(ordered);
  join_rows(layout.row);
  tables_ = {run_begin_.data(),    run_offset_.data(),   run_weight_.data(), block_begin_.data(),
             block_offset_.data(), block_weight_.data(), layout.row};
}

// Operations that repeat in the next row of their tile become one.
template <class T>
void WallOps<T>::join_rows(std::ptrdiff_t row) {
  std::vector<WallOp> joined;
  joined.reserve(ops_.size());
  std::size_t first = 0;
  for (std::size_t tile = 0; tile + 1 < tile_begin_.size(); ++tile) {
    std::map<std::pair<std::ptrdiff_t, std::uint32_t>, std::size_t> next;  // where an operation would go on
    const std::size_t begin = joined.size();
    for (std::size_t i = first; i < tile_begin_[tile + 1]; ++i) {
      const WallOp& op = ops_[i];
      const auto known = next.find({op.offset, op.table});
      std::size_t at = joined.size();
      if (known != next.end() && joined[known->second].length == op.length) {
        at = known->second;
        ++joined[at].rows;
        next.erase(known);
      } else {
        joined.push_back(op);
      }
      next[{op.offset + row, op.table}] = at;
    }
    first = tile_begin_[tile + 1];
    tile_begin_[tile] = begin;
  }
  tile_begin_.back() = joined.size();
  ops_ = std::move(joined);
}

template <class T>
double WallOps<T>::cost(std::size_t tile) const {
  double sum = 0.0;
  for (std::size_t i = tile_begin_[tile]; i < tile_begin_[tile + 1]; ++i) {
    const std::uint32_t which = ops_[i].table / 2;
    const bool run = ops_[i].table % 2 == 0;
    const auto& begin = run ? run_begin_ : block_begin_;
    const auto entries = static_cast<double>(begin[which + 1] - begin[which]);
    sum += 4.0 + ops_[i].rows * (run ? 2.0 + 0.1 * entries * ops_[i].length : 2.0 + 0.5 * entries);
  }
  return sum;
}

template <class T>
void WallOps<T>::add(const Layout& layout, std::size_t tile, const T* u, double* out) const {
  for (std::size_t i = tile_begin_[tile]; i < tile_begin_[tile + 1]; ++i) {
    for (std::uint32_t r = 0; r < ops_[i].rows; ++r) {
      WallOp op = ops_[i];
      op.offset += static_cast<std::ptrdiff_t>(r) * tables_.row;
      add_row(op, u, out + layout.within(layout.tiles[tile], op.offset));
    }
  }
}

template <class T>
void WallOps<T>::add_row(const WallOp& op, const T* u, double* to) const {
  const std::uint32_t which = op.table / 2;
  if (op.table % 2 == 0) {
    for (std::uint64_t e = run_begin_[which]; e < run_begin_[which + 1]; ++e) {
      const T* const from = u + op.offset + run_offset_[e];
      const auto weight = static_cast<double>(run_weight_[e]);
      for (std::uint32_t x = 0; x < op.length; ++x) to[x] += weight * static_cast<double>(from[x]);
    }
  } else {
    for (std::uint64_t e = block_begin_[which]; e < block_begin_[which + 1]; ++e) {
      const auto value = static_cast<double>(u[op.offset + block_offset_[e]]);
      const T* const weight = block_weight_.data() + e * static_cast<std::uint64_t>(block_width<T>);
      for (std::uint32_t x = 0; x < op.length; ++x) to[x] += value * static_cast<double>(weight[x]);
    }
  }
}

template <class T>
std::int64_t WallOps<T>::bytes() const {
  return static_cast<std::int64_t>(ops_.size() * sizeof(WallOp) + tile_begin_.size() * sizeof(std::size_t) +
                                   (run_begin_.size() + block_begin_.size()) * sizeof(std::uint64_t) +
                                   (run_offset_.size() + block_offset_.size()) * sizeof(std::ptrdiff_t) +
                                   (run_weight_.size() + block_weight_.size()) * sizeof(T));
}

template class WallOps<float>;
template class WallOps<double>;

}  // namespace fdtd::cpu

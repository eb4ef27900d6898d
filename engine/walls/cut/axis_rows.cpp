#include "engine/walls/cut/axis_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "base/parallel_failure.hpp"
#include "base/touched_pages.hpp"
#include "engine/walls/cut/axis_bounds.hpp"
#include "engine/walls/cut/axis_window.hpp"
#include "engine/walls/cut/hash_numbers.hpp"
#include "engine/walls/cut/node_set.hpp"

namespace fdtd {
namespace {

// Masses, passages, weights and ends along one axis, by node.
class AxisValues {
 public:
  AxisValues(const AirMask& air, const SecuredCut& cut, std::size_t d)
      : air_(air), d_(d), size_(air.size()), marked_(size_, 0, size_[2]) {
    const auto each_list = [&](const auto& work) {
      work(cut.masses, &Value::mass);
      work(cut.passages[d], &Value::area);
      work(cut.weights[d], &Value::weight);
      work(cut.ends[d], &Value::end);
    };
    each_list([&](const std::vector<NodeFraction>& list, auto) {
      each_item(list, [&](const NodeFraction& one) { marked_.add(one.node); });
    });
    marked_.number();
    resize_touched(values_, marked_.count());
    each_list([&](const std::vector<NodeFraction>& list, double Value::*member) {
      each_item(list, [&](const NodeFraction& one) { values_[marked_.place(one.node)].*member = one.fraction; });
    });
  }

  // Of the 64 nodes from x0 on those with anything but whole air within `reach` along the axis.
  std::uint64_t near_cut(int x0, int y, int z, int reach) const {
    const std::uint64_t here = air_.bits(x0, y, z);
    if (here == 0) return 0;
    std::uint64_t whole = ~std::uint64_t{0};
    if (d_ == 0) {
      const std::uint64_t below = clean(x0 - 64, y, z), own = clean(x0, y, z), above = clean(x0 + 64, y, z);
      whole = own;
      for (int i = 1; i <= reach; ++i) whole &= (own << i | below >> (64 - i)) & (own >> i | above << (64 - i));
    } else {
      for (int i = -reach; i <= reach; ++i) whole &= d_ == 1 ? clean(x0, y + i, z) : clean(x0, y, z + i);
    }
    return here & ~whole;
  }

  void read(const std::array<int, 3>& at, AxisWindow& window) const {
    std::array<int, 3> place = at;
    place[d_] = at[d_] - window.reach();
    bool air = is_air(place);
    for (int i = -window.reach(); i <= window.reach(); ++i) {
      const std::array<int, 3> here = place;
      ++place[d_];
      const bool next = is_air(place);
      Value value;
      if (inside(here)) {
        const std::uint64_t row = row_of(here);
        const auto x = static_cast<std::uint64_t>(here[0]);
        if (marked_.has(row, x)) value = values_[marked_.place_in_row(row, x)];
      }
      window.put(i, air, value.area >= 0.0 ? value.area : air && next ? 1.0 : 0.0, value.weight, value.end);
      if (i == 0) window.put_mass(value.mass);
      air = next;
    }
  }

 private:
  struct Value {
    double mass = 1.0, area = -1.0, weight = 1.0, end = 0.0;  // area: below 0 where the list has none
  };
  bool inside(const std::array<int, 3>& at) const {
    return at[d_] >= 0 && at[d_] < size_[d_];  // the other two are those of a node
  }
  bool is_air(const std::array<int, 3>& at) const { return air_(at[0], at[1], at[2]); }
  std::uint64_t row_of(const std::array<int, 3>& at) const {
    return static_cast<std::uint64_t>(at[1]) + static_cast<std::uint64_t>(size_[1]) * static_cast<std::uint64_t>(at[2]);
  }
  // Air without anything cut, of 64 nodes.
  std::uint64_t clean(int x0, int y, int z) const {
    const std::uint64_t air = air_.bits(x0, y, z);
    return air == 0 ? 0 : air & ~marked_.word(row_of({x0, y, z}), static_cast<std::uint64_t>(x0));
  }

  const AirMask& air_;
  std::size_t d_;
  std::array<int, 3> size_;
  NodeSet marked_;
  std::vector<Value> values_;
};

// The different rows of a block of rows along x, and the segments that have them.
struct RowBlock {
  std::vector<std::uint64_t> keys, hashes, first;  // first: the earliest place in the axis's lines, line after line
  std::vector<RowEntry> entries;
  std::vector<std::uint32_t> entry_end;
  std::vector<WallSegment> segments;   // of rows with entries; their patterns are the block's rows
  std::vector<std::uint32_t> pattern;  // of the axis, by row
};

constexpr std::size_t few_rows = 8192;  // along x: worth no threads

class AxisRows {
 public:
  AxisRows(const GridStencil& stencil, const AirMask& air, const SecuredCut& cut, std::size_t d,
           std::size_t rows_a_block)
      : d_(d),
        size_(air.size()),
        rows_(static_cast<std::size_t>(size_[1]) * static_cast<std::size_t>(size_[2])),
        rows_a_block_(rows_a_block),
        blocks_((rows_ + rows_a_block - 1) / rows_a_block) {
    find_rows(stencil, air, cut);
    number_patterns();
  }

  std::size_t patterns() const { return entry_begin_.size() - 1; }
  std::vector<RowBlock>& blocks() { return blocks_; }
  std::span<const RowEntry> entries(std::size_t pattern) const {
    return std::span(entries_).subspan(entry_begin_[pattern], entry_begin_[pattern + 1] - entry_begin_[pattern]);
  }

 private:
  struct Row {
    std::uint32_t block, row;
  };
  void find_rows(const GridStencil& stencil, const AirMask& air, const SecuredCut& cut);
  void find_rows(const AxisValues& values, AxisWindow& window, AxisRowMaker& maker, std::size_t number);
  std::uint64_t place_in_lines(const std::array<int, 3>& at) const {
    const std::size_t u = d_ == 0 ? 1 : 0, v = d_ == 2 ? 1 : 2;
    return static_cast<std::uint64_t>(at[d_]) +
           static_cast<std::uint64_t>(size_[d_]) *
               (static_cast<std::uint64_t>(at[u]) +
                static_cast<std::uint64_t>(size_[u]) * static_cast<std::uint64_t>(at[v]));
  }
  std::span<const std::uint64_t> key(const Row& of) const {
    return std::span(blocks_[of.block].keys).subspan(of.row * key_words_, key_words_);
  }
  struct Different {
    std::vector<Row> rows;
    std::vector<std::uint64_t> first;  // RowBlock::first
  };
  void number_patterns();
  void number_in_order(const std::vector<Different>& different);
  void take_entries(const std::vector<Row>& rows);
  bool many() const { return rows_ > few_rows; }
  template <class Work>
  void each_block(const Work& work) {
    ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (many())
    for (std::size_t b = 0; b < blocks_.size(); ++b) failure.guard([&] { work(b); });
    failure.rethrow();
  }

  std::size_t d_;
  std::array<int, 3> size_;
  std::size_t rows_, rows_a_block_, key_words_ = 0;
  std::vector<RowBlock> blocks_;
  std::vector<RowEntry> entries_;
  std::vector<std::size_t> entry_begin_;  // by pattern
};

void AxisRows::find_rows(const GridStencil& stencil, const AirMask& air, const SecuredCut& cut) {
  const AxisValues values(air, cut, d_);
  const std::vector<double> weights = weights_along(stencil, d_);
  const double bend = axis_bounds(stencil)[d_].bend;
  key_words_ = static_cast<std::size_t>(4 * stencil.radius + 4);
  ParallelFailure failure;
#pragma omp parallel if (many())
  {
    AxisWindow window(stencil.radius);
    AxisRowMaker maker(d_, weights, bend);
#pragma omp for schedule(dynamic)
    for (std::size_t b = 0; b < blocks_.size(); ++b) failure.guard([&] { find_rows(values, window, maker, b); });
  }
  failure.rethrow();
}

void AxisRows::find_rows(const AxisValues& values, AxisWindow& window, AxisRowMaker& maker, std::size_t number) {
  RowBlock& block = blocks_[number];
  HashNumbers known;
  for (std::size_t r = number * rows_a_block_; r < std::min(rows_, (number + 1) * rows_a_block_); ++r) {
    const int y = static_cast<int>(r % static_cast<std::size_t>(size_[1])),
              z = static_cast<int>(r / static_cast<std::size_t>(size_[1]));
    const std::uint64_t first = static_cast<std::uint64_t>(r) * static_cast<std::uint64_t>(size_[0]);
    const std::size_t first_segment = block.segments.size();
    for (int x0 = 0; x0 < size_[0]; x0 += 64) {
      for (std::uint64_t bits = values.near_cut(x0, y, z, window.reach()); bits != 0; bits &= bits - 1) {
        const std::array<int, 3> at = {x0 + std::countr_zero(bits), y, z};
        values.read(at, window);
        if (!window.cut()) continue;
        const std::span<const std::uint64_t> key = window.make_key();
        const std::uint64_t place = place_in_lines(at);
        const auto [row, is_new] = known.number(hash_of_key(key), [&](std::uint32_t n) {
          return std::equal(key.begin(), key.end(), block.keys.begin() + static_cast<std::ptrdiff_t>(n * key_words_));
        });
        if (is_new) {
          block.keys.insert(block.keys.end(), key.begin(), key.end());
          block.first.push_back(place);
          maker.append_row(window, block.entries);
          block.entry_end.push_back(static_cast<std::uint32_t>(block.entries.size()));
        }
        block.first[row] = std::min(block.first[row], place);
        if (block.entry_end[row] == (row == 0 ? 0 : block.entry_end[row - 1])) continue;  // the plain row
        const std::uint64_t node = first + static_cast<std::uint64_t>(at[0]);
        if (block.segments.size() > first_segment) {
          WallSegment& last = block.segments.back();
          if (last.pattern == row && last.node + last.length == node) {
            ++last.length;
            continue;
          }
        }
        block.segments.push_back({node, 1, row});
      }
    }
  }
  block.hashes = known.take_hashes();
}

// By the hashes of rows: those of one shard are compared by one thread, block by block.
constexpr std::size_t shards = 256;
std::size_t shard_of(std::uint64_t hash) { return static_cast<std::size_t>(hash >> 56U); }

// A block's rows by shard.
struct ShardedRows {
  std::array<std::uint32_t, shards + 1> begin{};
  std::vector<std::uint32_t> rows;
};

ShardedRows by_shard(const std::vector<std::uint64_t>& hashes) {
  ShardedRows sharded;
  for (const std::uint64_t hash : hashes) ++sharded.begin[shard_of(hash) + 1];
  std::partial_sum(sharded.begin.begin(), sharded.begin.end(), sharded.begin.begin());
  std::array<std::uint32_t, shards + 1> next = sharded.begin;
  sharded.rows.resize(hashes.size());
  for (std::uint32_t row = 0; row < hashes.size(); ++row) sharded.rows[next[shard_of(hashes[row])]++] = row;
  return sharded;
}

// Rows with the same key get one number.
void AxisRows::number_patterns() {
  std::vector<ShardedRows> sharded(blocks_.size());
  each_block([&](std::size_t b) {
    sharded[b] = by_shard(blocks_[b].hashes);
    blocks_[b].pattern.resize(blocks_[b].hashes.size());
  });
  std::vector<Different> different(shards);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (many())
  for (std::size_t s = 0; s < shards; ++s) {
    failure.guard([&] {
      HashNumbers known;
      Different& here = different[s];
      for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
        RowBlock& block = blocks_[b];
        for (std::uint32_t i = sharded[b].begin[s]; i < sharded[b].begin[s + 1]; ++i) {
          const Row row{b, sharded[b].rows[i]};
          const auto [number, is_new] = known.number(
              block.hashes[row.row], [&](std::uint32_t n) { return std::ranges::equal(key(row), key(here.rows[n])); });
          if (is_new) here.rows.push_back(row), here.first.push_back(block.first[row.row]);
          here.first[number] = std::min(here.first[number], block.first[row.row]);
          block.pattern[row.row] = number;  // of the shard
        }
      }
    });
  }
  failure.rethrow();
  number_in_order(different);
}

// No two patterns are first at one place: their numbers are the places' order.
void AxisRows::number_in_order(const std::vector<Different>& different) {
  const std::size_t u = d_ == 0 ? 1 : 0, v = d_ == 2 ? 1 : 2;
  NodeSet places({size_[d_], size_[u], size_[v]}, 0, size_[v]);
  for (const Different& one : different) each_item(one.first, [&](std::uint64_t place) { places.add(place); });
  places.number();
  std::vector<Row> rows(places.count());  // by pattern
#pragma omp parallel for schedule(dynamic) if (many())
  for (std::size_t s = 0; s < shards; ++s) {
    const Different& one = different[s];
    for (std::size_t n = 0; n < one.rows.size(); ++n) rows[places.place(one.first[n])] = one.rows[n];
  }
  take_entries(rows);
  each_block([&](std::size_t b) {
    RowBlock& block = blocks_[b];
    for (std::size_t row = 0; row < block.pattern.size(); ++row)
      block.pattern[row] =
          static_cast<std::uint32_t>(places.place(different[shard_of(block.hashes[row])].first[block.pattern[row]]));
    block.keys = {}, block.hashes = {}, block.first = {};
    block.entries = {}, block.entry_end = {};
  });
}

// The entries of each pattern's row.
void AxisRows::take_entries(const std::vector<Row>& rows) {
  const auto of = [&](const Row& row) {
    const RowBlock& block = blocks_[row.block];
    const std::uint32_t begin = row.row == 0 ? 0 : block.entry_end[row.row - 1];
    return std::span(block.entries).subspan(begin, block.entry_end[row.row] - begin);
  };
  entry_begin_.assign(rows.size() + 1, 0);
  for (std::size_t p = 0; p < rows.size(); ++p) entry_begin_[p + 1] = entry_begin_[p] + of(rows[p]).size();
  resize_touched(entries_, entry_begin_.back());
  const auto count = static_cast<std::int64_t>(rows.size());
#pragma omp parallel for schedule(static) if (many())
  for (std::int64_t p = 0; p < count; ++p)
    std::ranges::copy(of(rows[static_cast<std::size_t>(p)]),
                      entries_.begin() + static_cast<std::ptrdiff_t>(entry_begin_[static_cast<std::size_t>(p)]));
}

// Segments of some rows along x that have patterns from first_pattern on, by `pattern` where it is not empty.
struct SegmentList {
  std::span<const WallSegment> segments;
  std::span<const std::uint32_t> pattern;
  std::uint32_t first_pattern = 0;
};

// By node, then list; the number of different nodes.
std::int64_t merge_segments(std::array<SegmentList, 4> lists, WallSegment* to) {
  std::int64_t nodes = 0;
  std::uint64_t end = 0;  // of the nodes counted so far
  for (;;) {
    SegmentList* least = nullptr;
    for (SegmentList& one : lists)
      if (!one.segments.empty() && (least == nullptr || one.segments[0].node < least->segments[0].node)) least = &one;
    if (least == nullptr) return nodes;
    WallSegment segment = least->segments[0];
    least->segments = least->segments.subspan(1);
    if (!least->pattern.empty()) segment.pattern = least->pattern[segment.pattern];
    segment.pattern += least->first_pattern;
    *to++ = segment;
    const std::uint64_t last = segment.node + segment.length;
    if (last <= end) continue;
    nodes += static_cast<std::int64_t>(last - std::max(segment.node, end));
    end = last;
  }
}

// The patterns of all axes, and those of `more`.
std::array<std::uint32_t, 4> join_patterns(const std::array<AxisRows, 3>& axes, const NearWall& more, NearWall& walls) {
  std::array<std::uint32_t, 4> first{};
  for (std::size_t d = 0; d < 3; ++d) first[d + 1] = first[d] + static_cast<std::uint32_t>(axes[d].patterns());
  const std::size_t patterns = first[3] + more.pattern_begin.size() - 1;
  // work(pattern, entries) of each.
  const auto each_pattern = [&](const auto& work) {
    for (std::size_t d = 0; d < 3; ++d) {
      const auto count = static_cast<std::int64_t>(axes[d].patterns());
#pragma omp parallel for schedule(static) if (count > 4096)
      for (std::int64_t p = 0; p < count; ++p)
        work(first[d] + static_cast<std::size_t>(p), axes[d].entries(static_cast<std::size_t>(p)));
    }
    for (std::size_t p = 0; p + 1 < more.pattern_begin.size(); ++p)
      work(first[3] + p, std::span(more.entries)
                             .subspan(static_cast<std::size_t>(more.pattern_begin[p]),
                                      static_cast<std::size_t>(more.pattern_begin[p + 1] - more.pattern_begin[p])));
  };
  resize_touched(walls.pattern_begin, patterns + 1);
  each_pattern([&](std::size_t p, std::span<const RowEntry> row) { walls.pattern_begin[p + 1] = row.size(); });
  for (std::size_t p = 0; p < patterns; ++p) walls.pattern_begin[p + 1] += walls.pattern_begin[p];
  resize_touched(walls.entries, static_cast<std::size_t>(walls.pattern_begin.back()));
  each_pattern([&](std::size_t p, std::span<const RowEntry> row) {
    std::ranges::copy(row, walls.entries.begin() + static_cast<std::ptrdiff_t>(walls.pattern_begin[p]));
  });
  return first;
}

}  // namespace

NearWall axis_walls(const GridStencil& stencil, const AirMask& air, const SecuredCut& cut, const NearWall& more) {
  constexpr std::size_t most_blocks = 1024, least_rows = 512;
  const std::size_t rows = static_cast<std::size_t>(air.size()[1]) * static_cast<std::size_t>(air.size()[2]),
                    rows_a_block = std::max(least_rows, rows / most_blocks);
  std::array<AxisRows, 3> axes = {AxisRows(stencil, air, cut, 0, rows_a_block),
                                  AxisRows(stencil, air, cut, 1, rows_a_block),
                                  AxisRows(stencil, air, cut, 2, rows_a_block)};
  NearWall walls;
  const std::array<std::uint32_t, 4> first_pattern = join_patterns(axes, more, walls);
  const std::size_t blocks = axes[0].blocks().size();
  const auto first_of_more = [&](std::size_t b) {
    const std::uint64_t node = static_cast<std::uint64_t>(b * rows_a_block) * static_cast<std::uint64_t>(air.size()[0]);
    return std::ranges::lower_bound(more.segments, node, {}, &WallSegment::node);
  };
  const auto lists_of = [&](std::size_t b) {
    std::array<SegmentList, 4> lists;
    for (std::size_t d = 0; d < 3; ++d)
      lists[d] = {axes[d].blocks()[b].segments, axes[d].blocks()[b].pattern, first_pattern[d]};
    lists[3] = {{first_of_more(b), first_of_more(b + 1)}, {}, first_pattern[3]};
    return lists;
  };
  std::vector<std::size_t> segment_begin(blocks + 1, 0);
  for (std::size_t b = 0; b < blocks; ++b) {
    segment_begin[b + 1] = segment_begin[b];
    for (const SegmentList& one : lists_of(b)) segment_begin[b + 1] += one.segments.size();
  }
  resize_touched(walls.segments, segment_begin.back());
  std::int64_t nodes = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : nodes) if (rows > few_rows)
  for (std::size_t b = 0; b < blocks; ++b) {
    nodes += merge_segments(lists_of(b), walls.segments.data() + segment_begin[b]);
    for (AxisRows& axis : axes) axis.blocks()[b] = {};
  }
  walls.node_count = nodes;
  return walls;
}

}  // namespace fdtd

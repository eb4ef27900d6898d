// Near-wall corrections in the form that the kernels apply: long segments as runs, short ones (the ends of rows along
// x, oblique walls) as blocks that fill a vector. Equal blocks are stored once, rows and planes of a tile with the same
// one are a single operation, and tiles with the same operations share their list: those of a box stay in cache. In f32
// the weights are those of rounded_to_float: rows near walls, too, sum to at most 2.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "engine/cpu/field/layout.hpp"
#include "engine/cpu/walls/intern_pool.hpp"
#include "engine/plan/near_wall.hpp"
#include "engine/vector/vector_code.hpp"

namespace fdtd::cpu {

template <class T>
class NearWallOps {
 public:
  NearWallOps(const NearWall& walls, const Layout& layout);
  // The operations on the nodes of a tile.
  const NearWallOp* begin(std::size_t tile) const { return ops_.all().data() + lists_[tile].begin; }
  const NearWallOp* end(std::size_t tile) const { return begin(tile) + lists_[tile].count; }
  std::size_t count(std::size_t tile) const { return lists_[tile].count; }
  // Weights a node that an operation applies, zeros of other nodes included.
  std::uint64_t columns(const NearWallOp& op) const {
    const auto& begin = op.table % 3 == near_run ? run_begin_ : block_begin_;
    return begin[op.table / 3 + 1] - begin[op.table / 3];
  }
  void prefetch_index(std::size_t begin, std::size_t end) const {
    prefetch_lines(lists_.data() + begin, lists_.data() + end);
  }
  // u0 += corrections of u1 on tiles [begin, end) of a layer.
  void correct(const Layout& layout, std::size_t begin, std::size_t end, const RowFunctions<T>& functions, const T* u1,
               T* u0) const;
  // The time of a tile's corrections, in nodes of air of 7 points.
  double cost(std::size_t tile) const;
  // out += corrections of u on one tile, in double; out is indexed by Layout::within.
  void add(const Layout& layout, std::size_t tile, const T* u, double* out) const;

  NearWallOps(const NearWallOps&) = delete;
  NearWallOps& operator=(const NearWallOps&) = delete;

 private:
  struct List {
    std::uint32_t begin, count;
    bool operator==(const List&) const = default;
  };
  // Short segments of one row within a vector's width, which form a block.
  struct Part {
    std::uint32_t at, length, pattern;
    auto operator<=>(const Part&) const = default;
  };
  using Parts = std::vector<Part>;
  struct Column {
    std::ptrdiff_t offset = 0;
    std::array<T, block_width<T>> weight{};
  };
  using KnownBlocks = std::map<Parts, std::uint32_t>;  // the table of each block that is stored
  void keep_patterns(const NearWall& walls, const Layout& layout);
  std::vector<NearWallOp> ops_of_rows(const std::vector<WallSegment>& segments, const Layout& layout,
                                      std::vector<std::size_t>& tile_of_op);
  void cut_into_blocks(std::vector<WallSegment>& pieces, const Layout& layout, KnownBlocks& known,
                       std::vector<NearWallOp>& ops);
  std::uint32_t table_of(const Parts& parts, KnownBlocks& known);
  void keep_lists(const std::vector<NearWallOp>& ops, const std::vector<std::size_t>& tile_of_op, const Layout& layout);
  // None where there are more than `most`.
  std::optional<std::vector<Column>> columns_of(const Parts& parts, NearWallForm form, std::size_t most) const;
  void add_row(const NearWallOp& op, const T* u, double* to) const;
  std::vector<std::uint64_t> run_begin_{0}, block_begin_{0};
  std::vector<std::ptrdiff_t> run_offset_, block_offset_;
  std::vector<T> run_weight_, block_weight_;
  InternPool<NearWallOp> ops_;
  std::vector<List> lists_;  // of tiles
  NearWallTables<T> tables_{};
};

}  // namespace fdtd::cpu

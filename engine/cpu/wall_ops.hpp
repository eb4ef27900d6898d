// NearWall -> what the kernels apply: long segments as runs, short ones (the ends of rows along x) as small dense blocks
// that fill a vector. Equal blocks are held once, and rows of a tile with the same one are a single operation. In f32 the weights are those of rounded_to_float: a row near a wall,
// too, never sums above 2.
#pragma once

#include <vector>

#include "engine/cpu/kernel.hpp"
#include "engine/cpu/layout.hpp"
#include "engine/walls.hpp"

namespace fdtd::cpu {

template <class T>
class WallOps {
 public:
  WallOps(const NearWall& walls, const Layout& layout);
  const WallTables<T>& tables() const { return tables_; }
  // Operations on the nodes of tile t.
  const WallOp* begin(std::size_t tile) const { return ops_.data() + tile_begin_[tile]; }
  std::size_t count(std::size_t tile) const { return tile_begin_[tile + 1] - tile_begin_[tile]; }
  // What they take, in nodes of air.
  double cost(std::size_t tile) const;
  // out += corrections of u on one tile, in double; out as Layout::within has it.
  void add(const Layout& layout, std::size_t tile, const T* u, double* out) const;
  std::int64_t bytes() const;

  WallOps(const WallOps&) = delete;
  WallOps& operator=(const WallOps&) = delete;

 private:
  void join_rows(std::ptrdiff_t row);
  void add_row(const WallOp& op, const T* u, double* to) const;
  std::vector<std::uint64_t> run_begin_{0}, block_begin_{0};
  std::vector<std::ptrdiff_t> run_offset_, block_offset_;
  std::vector<T> run_weight_, block_weight_;
  std::vector<WallOp> ops_;
  std::vector<std::size_t> tile_begin_;
  WallTables<T> tables_{};
};

}  // namespace fdtd::cpu

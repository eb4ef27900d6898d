// A plan as the CPU holds it: the layout, the rows of air, walls, boundary, sources and receivers, all by tile.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/cpu/field/layout.hpp"
#include "engine/cpu/field/row_stencil.hpp"
#include "engine/cpu/walls/boundary_batches.hpp"
#include "engine/cpu/walls/image_halo.hpp"
#include "engine/cpu/walls/near_wall_ops.hpp"
#include "engine/plan/plan.hpp"

namespace fdtd::cpu {

struct Run {
  int begin, end;  // air along x
  bool operator==(const Run&) const = default;
};

// A node that a source drives.
struct Driven {
  std::ptrdiff_t offset = 0;
  std::size_t source = 0;
  double gain = 0.0;    // to u+, mass divided out
  double weight = 0.0;  // drive_scale times the tap's weight: injected energy is weight f (u+ - u-)/2
};

struct HeavyNode {
  std::ptrdiff_t offset = 0;
  double excess = 0.0;  // mass - 1
};

// A receiver, as weights on places in Room::heard, layer after layer.
struct Listener {
  std::vector<std::size_t> places;
  std::vector<double> weights;
  std::vector<std::size_t> layer_end;  // in these lists
};

template <class T>
struct Room {
  Room(const Plan& plan, const Slab& slab);
  Room(const Room&) = delete;  // parts of it look at its layout
  Room& operator=(const Room&) = delete;

  std::span<const Run> runs_of(int y, int z) const {
    const std::size_t r =
        static_cast<std::size_t>(z) * static_cast<std::size_t>(layout.size[1]) + static_cast<std::size_t>(y);
    return {runs.data() + row_begin[r], runs.data() + row_begin[r + 1]};
  }

  // Asks memory for what tells of tiles [begin, end) what is done on them.
  void fetch_places(std::size_t begin, std::size_t end) const {
    walls.fetch_places(begin, end);
    boundary.fetch_places(begin, end);
    fetch_lines(heeded.data() + begin, heeded.data() + end);
  }

  ImageWalls mirror;  // of the walls that `images` makes
  Layout layout;
  RowStencilStore<T> stencil;
  bool all_air;
  Images images;              // the rigid walls of a box, or
  WallOps<T> walls;           // of any room
  Batches<T> boundary, wide;  // walls that keep to their tile, and those that reach into others
  std::vector<Run> runs;      // of all rows, in order
  std::vector<std::uint64_t> row_begin;
  std::vector<double> costs;   // of a step on each tile, in nodes of air
  std::vector<Driven> driven;  // ordered by tile
  std::vector<std::size_t> driven_begin;
  std::vector<HeavyNode> heavy;
  std::vector<std::size_t> heavy_begin;
  std::vector<std::ptrdiff_t> heard;  // what receivers read, ordered by tile
  std::vector<std::size_t> heard_begin;
  std::vector<Listener> listeners;
  // Of each tile: has it sources or receivers? Few have, and where they are need not be looked up in the others.
  std::vector<std::uint8_t> heeded;

 private:
  void find_runs(const Plan& plan);
  void find_costs(double work);
  void place_sources(const Plan& plan);
  void place_masses(const Plan& plan);
  void place_receivers(const Plan& plan);
};

}  // namespace fdtd::cpu

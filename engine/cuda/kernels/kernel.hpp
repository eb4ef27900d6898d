// The table of GPU kernels. A row says what a kernel is called, which jobs it accepts, its tiles, the memory and
// traffic of a tile, and how it is prepared. A new kernel is one file and one row (table.cpp).
//
// A kernel computes the bare scheme u0 <- S u1 - u0 on an open box: outside the box lies a halo of zeros (or of a
// neighbour's planes in z), which must stay: a kernel writes nodes of the box alone. Walls, solid voxels, sources and
// receivers belong to walls.hpp, except for the rigid walls of rooms that are boxes, which some kernels mirror
// themselves (ImageWalls), lossy walls across x, which some of those update (Job::ends), and solid voxels, which some
// keep at zero (Job::solids). u0 and u1 never overlap.
// Weights are data; the shape of a stencil is compile-time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/cuda/field/layout.hpp"
#include "engine/cuda/gpu/device.hpp"
#include "engine/cuda/gpu/resources.hpp"
#include "engine/cuda/gpu/stream.hpp"
#include "engine/plan/image_walls.hpp"
#include "engine/plan/plan.hpp"
#include "stencils/stencil.hpp"

namespace fdtd::cuda {

struct RowEnds;    // row_ends.hpp
struct SolidBits;  // solid_bits.hpp

struct Job {
  Layout layout;
  Precision precision = Precision::f32;
  GridStencil stencil;  // rounded_to_float in f32
  ImageWalls mirror;    // the walls that the kernel mirrors
  // Of boxes with mirrored walls: the ends of rows that the kernel updates (a MarchRowEnds of the precision's type).
  std::shared_ptr<const RowEnds> ends = nullptr;
  // Of rooms with solid voxels: those, which the kernel keeps at zero, and where it need not compute.
  std::shared_ptr<const SolidBits> solids = nullptr;
  int pieces = 1;  // of a column at least, where marching kernels cut it: those at a neighbour's planes come last
};

// Nodes of one block along x, y and z; z is how far a marching kernel marches (0: not a marching kernel, or all of z).
// `threads` and `depth` are set where a kernel offers several numbers for the same tile (depth: stages in flight),
// `blocks` where a launch has a fixed number that take one piece of work after another (0: a block a piece, or as many
// as can run at once), `max_lead` where blocks march in lockstep: how many planes one may be ahead of the last.
struct Tile {
  int x = 0, y = 0, z = 0;
  int threads = 0, depth = 0, blocks = 0, max_lead = 0;
  bool operator==(const Tile&) const = default;
};

// Planes of u1 that a neighbour sends while the kernel runs: outputs below z = `low` and from `high` on read them. They
// have arrived when *arrived, a count that wraps, has reached `ticket`.
struct Borders {
  int low = 0, high = 0;
  const std::uint32_t* arrived = nullptr;
  std::uint32_t ticket = 0;
};

// A kernel bound to a job, a tile and two arrays (fields[i] is the array's first value, not node 0: Layout::first).
struct Prepared {
  Resources resources;
  // u0 <- S u1 - u0 on planes [z_begin, z_end), u1 = fields[which], u0 = fields[1 - which]. Asynchronous; may be
  // captured in a graph. Throws Error when the launch is refused.
  std::function<void(int which, int z_begin, int z_end, Stream stream)> step;
  // The same for all planes in one launch; planes that read a neighbour's come last. Empty where the kernel cannot.
  std::function<void(int which, const Borders& borders, Stream stream)> step_to_borders;
};

struct Kernel {
  const char* name;
  const char* idea;  // and whose it is, in a line
  bool (*supports)(const Job&, const Device&);
  // Every valid tile, the best guess first. Never empty where supports() holds.
  std::vector<Tile> (*tiles)(const Job&, const Device&);
  // Bytes of dynamic shared memory that a block of this tile takes; at most Device::shared_per_block for each of
  // tiles().
  std::size_t (*shared_bytes)(const Job&, const Tile&);
  // Bytes that the kernel's scheme moves between L2 and the multiprocessors a point (its halo counted: the access
  // redundancy of Micikevicius times the value's size), ideal caches below it. DRAM's ideal is 3 values.
  double (*bytes_a_point)(const Job&, const Tile&);
  Prepared (*prepare)(const Job&, const Device&, const Tile&, std::array<void*, 2> fields);
  bool (*mirrors)(const GridStencil&) = nullptr;  // does it mirror walls (Job::mirror) at a gain? nullptr: never
  bool (*keeps_solids)(const Job&, const Device&) = nullptr;  // does it take Job::solids? nullptr: never
  // Widths of the tiles that update the ends of rows as well (row_ends.hpp) on this GPU; empty: none does.
  std::vector<int> (*end_widths)(const Job&, const Device&) = nullptr;
};

inline std::size_t no_shared_bytes(const Job&, const Tile&) { return 0; }

std::span<const Kernel> kernels();                   // best guess first for any job that several support
const Kernel* find_kernel(const std::string& name);  // nullptr: unknown

}  // namespace fdtd::cuda

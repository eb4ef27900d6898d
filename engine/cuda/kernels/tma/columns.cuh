// The geometry of tiles, columns and pieces of a marching launch (march.cuh), and the ring of planes in shared memory.
#pragma once

#include "engine/cuda/gpu/dependent_launch.cuh"
#include "engine/cuda/gpu/tma.cuh"
#include "engine/cuda/kernels/kernel.hpp"

namespace fdtd::cuda {

// Compile-time geometry of one kernel. across: vectors a row of the tile; rows: rows a thread. A launch may leave out
// the last rows of a tile (MarchColumns::tile_y), so that columns fill all places of a GPU; idle threads cost no
// memory.
template <class T, int R_, int across_, int tile_y_, int rows_>
struct March {
  static constexpr int R = R_, across = across_, tile_y = tile_y_, rows = rows_;
  static constexpr int width = lanes<T>;
  static constexpr int tile_x = across * width;
  static constexpr int hx = (R + width - 1) / width * width;  // halo in x, whole vectors
  static constexpr int pitch = tile_x + 2 * hx;
  static constexpr int height = tile_y + 2 * R;
  static constexpr int busy = across * tile_y / rows;  // threads with nodes; the last warp may have some without
  static constexpr int computing = (busy + 31) / 32 * 32;
  static constexpr int threads = computing + 32;
  // Threads beside them where ends are updated (row_ends.cuh): as many as cost the others no register, for these are
  // shared out by four warps. Two warps update, two make images; fewer do not keep up.
  static constexpr int beside = 128, imaging = 64, updating = beside - imaging;
  // Of a plane, fetched as far as `rows_used`.
  static constexpr std::uint32_t u1_bytes(int rows_used) {
    return sizeof(T) * pitch * static_cast<std::uint32_t>(rows_used + 2 * R);
  }
  static constexpr std::uint32_t u0_bytes(int rows_used) {
    return sizeof(T) * tile_x * static_cast<std::uint32_t>(rows_used);
  }
  static constexpr std::uint32_t u1_space = (u1_bytes(tile_y) + 127) / 128 * 128,
                                 u0_space = (u0_bytes(tile_y) + 127) / 128 * 128;
  static constexpr std::size_t ring_space = 36;  // barriers and the rest of a place
  static constexpr std::size_t plane_space = u1_space + u0_space + ring_space;
  // In rooms with solid voxels: rows of bits, from a multiple of 128 nodes on, for the copy engine refuses others.
  static constexpr int solid_row =
      ((tile_x % 128 == 0 || 128 % tile_x == 0 ? tile_x / 8 : tile_x / 8 + 16) + 15) / 16 * 16;
  static constexpr std::uint32_t solid_space = (solid_row * tile_y + 127) / 128 * 128;
  static constexpr std::size_t plane_space_beside_solids = plane_space + solid_space + sizeof(int);
  static_assert(tile_y % rows == 0 && pitch <= 256 && height <= 256);
};

// The work of a launch: columns of nodes, cut along z. Item i is column i % columns of the piece that comes (i /
// columns)th: from piece `first_piece` on upwards and around, so that those come last that read what a neighbour sends.
struct MarchColumns {
  int nx, ny, z_begin, z_end;
  int chunk, chunks, first_piece;
  int tile_y, across, columns, items;
  int own_begin, own_end;  // planes of u1 that are there; the others come from neighbours
  int depth;
  // Blocks meet every `stride` planes, `meetings` times at most, and pass when all have been at the meeting `ahead`
  // before.
  unsigned stride, ahead, meetings;
  Borders borders;
  bool mirror;                  // walls across x and y are mirrored, and those across z:
  int mirror_low, mirror_high;  // planes below and from here on are images
  std::int64_t row, plane;
};

struct Place {
  int x, y, z_begin, z_end;
};
template <class G>
__device__ __forceinline__ Place place_of(const MarchColumns& c, int item) {
  const int column = item % c.columns, piece = (item / c.columns + c.first_piece) % c.chunks;
  const int z_begin = c.z_begin + piece * c.chunk;
  return {column % c.across * G::tile_x, column / c.across * c.tile_y, z_begin, min(z_begin + c.chunk, c.z_end)};
}

// Shared memory: the planes in `depth` slots, and for each whether it is full or empty and whose item it belongs to
// (-1: the end). In rooms with solid voxels also their bits, and whether the plane of u0 has any in this tile.
struct PlaneRing {
  unsigned char *u1, *u0, *solid;
  std::uint64_t *full, *empty, *imaged;  // imaged: where there are images, they are there
  int2* corner;                          // the item's first node in x and y
  int *item, *has_solids;
};

}  // namespace fdtd::cuda

// The tiles that the marching kernels with tensor copies are compiled for: a table each, from whose rows kernels are
// instantiated. Plain data: tests read it without a GPU.
#pragma once

#include <array>
#include <cstdint>

#include "engine/cuda/field/cube_weights.hpp"
#include "engine/cuda/kernels/table_rows.hpp"

namespace fdtd::cuda {

// The jobs that a tile is compiled for, a kernel each: `plain` without walls, `mirrored` with rigid walls as images,
// `either` both by one kernel (where the code of images costs the others nothing), `ends` with ends of rows, `solids`,
// in a row of its own, with solid voxels. The updaters of ends leave fewer registers: tiles that need all registers are
// for jobs without ends, and some tiles are for jobs with ends alone.
enum class TileUse : unsigned { never = 0, plain = 1, mirrored = 2, either = 4, ends = 8, solids = 16 };
constexpr TileUse operator|(TileUse a, TileUse b) {
  return static_cast<TileUse>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has(TileUse all, TileUse one) { return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0; }

struct TmaTile {
  int group;  // rows of a group are compiled together
  int radius;
  std::uint64_t shells;      // cube_tma: those that the kernel adds
  int across, tile_y, rows;  // March (march.cuh)
  TileUse in_float, in_double;

  template <class T>
  constexpr TileUse use() const {
    return sizeof(T) == sizeof(float) ? in_float : in_double;
  }
  template <class T>
  constexpr bool compiled_in() const {
    return use<T>() != TileUse::never;
  }
};

namespace compiled_tiles {

inline constexpr TileUse never = TileUse::never, plain = TileUse::plain, either = TileUse::either, ends = TileUse::ends,
                         solids = TileUse::solids, any = TileUse::either | TileUse::ends,
                         walls = TileUse::plain | TileUse::mirrored,
                         all = TileUse::plain | TileUse::mirrored | TileUse::ends;

// group, radius, shells, across, tile_y, rows, use in float, use in double. A job takes the tiles of the smallest shape
// that holds its shells. In rooms with solid voxels 64 x 36 values keep step best in halls of some 10^8 nodes.
inline constexpr std::array<TmaTile, 57> cube = {{
    // 27 points.
    {0, 1, box_shells_up_to(1, 1, 1), 32, 30, 2, any, any},
    {0, 1, box_shells_up_to(1, 1, 1), 58, 32, 4, any, any},
    {0, 1, box_shells_up_to(1, 1, 1), 32, 64, 4, either, either},
    {0, 1, box_shells_up_to(1, 1, 1), 32, 45, 3, never, ends},
    {0, 1, box_shells_up_to(1, 1, 1), 32, 30, 2, solids, solids},
    {0, 1, box_shells_up_to(1, 1, 1), 16, 36, 2, solids, solids},
    {0, 1, box_shells_up_to(1, 1, 1), 58, 32, 4, solids, solids},
    // 125 points. Three rows a thread take all 128 registers in single precision.
    {1, 2, box_shells_up_to(2, 2, 2), 32, 30, 2, either, either},
    {1, 2, box_shells_up_to(2, 2, 2), 58, 16, 2, either, either},
    {1, 2, box_shells_up_to(2, 2, 2), 16, 60, 2, either, either},
    {1, 2, box_shells_up_to(2, 2, 2), 32, 22, 2, ends, ends},
    {1, 2, box_shells_up_to(2, 2, 2), 32, 30, 2, solids, solids},
    {1, 2, box_shells_up_to(2, 2, 2), 16, 36, 2, solids, solids},
    {1, 2, box_shells_up_to(2, 2, 2), 32, 45, 3, either, never},
    {1, 2, box_shells_up_to(2, 2, 2), 32, 33, 3, ends, never},
    // Radius 3 that few shells reach, 123 and 131 points: larger tiles; in double not with two rows at 512 threads.
    {2, 3, box_shells_up_to(3, 0, 0), 32, 22, 2, walls, walls},
    {2, 3, box_shells_up_to(3, 0, 0), 24, 20, 1, plain, plain},
    {2, 3, box_shells_up_to(3, 0, 0), 32, 15, 1, plain, plain},
    {2, 3, box_shells_up_to(3, 0, 0), 16, 30, 1, all, walls},
    {2, 3, box_shells_up_to(3, 0, 0), 16, 28, 2, ends, never},
    {2, 3, box_shells_up_to(3, 0, 0), 32, 15, 1, solids, solids},
    {2, 3, box_shells_up_to(3, 0, 0), 16, 30, 1, solids, solids},
    {2, 3, box_shells_up_to(3, 0, 0), 32, 30, 2, plain, never},
    // The registers that the ends leave hold radius 3 in float. Where arithmetic binds, few tiles are worth a kernel each.
    {3, 3, compact_shells_up_to(14), 24, 20, 1, plain, plain},
    {3, 3, compact_shells_up_to(14), 32, 15, 1, plain, plain},
    {3, 3, compact_shells_up_to(14), 16, 30, 1, all, walls},
    {3, 3, compact_shells_up_to(14), 16, 28, 2, all, walls},
    {3, 3, compact_shells_up_to(14), 16, 14, 1, plain, plain},
    {4, 3, box_shells_up_to(3, 3, 3), 24, 20, 1, plain, plain},
    {4, 3, box_shells_up_to(3, 3, 3), 32, 15, 1, plain, plain},
    {4, 3, box_shells_up_to(3, 3, 3), 16, 30, 1, all, walls},
    {4, 3, box_shells_up_to(3, 3, 3), 16, 28, 2, all, walls},
    {4, 3, box_shells_up_to(3, 3, 3), 16, 14, 1, plain, plain},
    // In double, 128 registers do not hold radius 4.
    {5, 4, compact_shells_up_to(16), 24, 20, 1, plain, never},
    {5, 4, compact_shells_up_to(16), 32, 15, 1, plain, never},
    {5, 4, compact_shells_up_to(16), 16, 30, 1, plain, never},
    {5, 4, compact_shells_up_to(16), 16, 28, 2, walls, never},
    {5, 4, compact_shells_up_to(16), 16, 14, 1, walls, walls},
    {5, 4, compact_shells_up_to(16), 32, 7, 1, never, plain},
    {5, 4, box_shells_up_to(4, 0, 0), 24, 20, 1, plain, never},
    {5, 4, box_shells_up_to(4, 0, 0), 32, 15, 1, plain, never},
    {5, 4, box_shells_up_to(4, 0, 0), 16, 30, 1, plain, never},
    {5, 4, box_shells_up_to(4, 0, 0), 16, 28, 2, walls, never},
    {5, 4, box_shells_up_to(4, 0, 0), 16, 14, 1, walls, walls},
    {5, 4, box_shells_up_to(4, 0, 0), 32, 7, 1, never, plain},
    {6, 4, compact_shells_up_to(22), 24, 20, 1, plain, never},
    {6, 4, compact_shells_up_to(22), 32, 15, 1, plain, never},
    {6, 4, compact_shells_up_to(22), 16, 30, 1, plain, never},
    {6, 4, compact_shells_up_to(22), 16, 28, 2, walls, never},
    {6, 4, compact_shells_up_to(22), 16, 14, 1, walls, walls},
    {6, 4, compact_shells_up_to(22), 32, 7, 1, never, plain},
    {7, 4, box_shells_up_to(4, 4, 4), 24, 20, 1, plain, never},
    {7, 4, box_shells_up_to(4, 4, 4), 32, 15, 1, plain, never},
    {7, 4, box_shells_up_to(4, 4, 4), 16, 30, 1, plain, never},
    {7, 4, box_shells_up_to(4, 4, 4), 16, 28, 2, walls, never},
    {7, 4, box_shells_up_to(4, 4, 4), 16, 14, 1, walls, walls},
    {7, 4, box_shells_up_to(4, 4, 4), 32, 7, 1, never, plain},
}};

// Tiles by what the registers hold: a thread's rows times 2 M vectors of outputs under way, 128 registers at 512
// threads, 168 at 384, 255 at 256. Those of many rows are for grids that fill all places with them. Where ends are
// updated, by four warps more, 480 threads that compute have 96 registers and 352 have 128.
inline constexpr std::array<TmaTile, 73> star = {{
    {0, 1, 0, 32, 30, 2, any, any},
    {0, 1, 0, 16, 60, 2, any, any},
    {0, 1, 0, 58, 32, 4, any, any},
    {0, 1, 0, 32, 64, 4, either, either},
    {0, 1, 0, 32, 45, 3, never, ends},
    {0, 1, 0, 32, 30, 2, solids, solids},
    {0, 1, 0, 16, 36, 2, solids, solids},
    {0, 1, 0, 58, 32, 4, solids, solids},
    // In double 58 vectors across take 136 registers at 480 threads.
    {1, 2, 0, 32, 30, 2, any, any},
    {1, 2, 0, 16, 60, 2, any, any},
    {1, 2, 0, 58, 32, 4, either, never},
    {1, 2, 0, 56, 32, 4, never, either},
    {1, 2, 0, 32, 60, 4, either, either},
    {1, 2, 0, 32, 44, 4, ends, never},
    {1, 2, 0, 32, 45, 3, never, ends},
    {1, 2, 0, 32, 30, 2, solids, solids},
    {1, 2, 0, 16, 36, 2, solids, solids},
    {2, 3, 0, 32, 30, 2, either, either},
    {2, 3, 0, 16, 60, 2, either, either},
    {2, 3, 0, 32, 45, 3, either, either},
    {2, 3, 0, 32, 22, 2, ends, ends},
    {2, 3, 0, 32, 33, 3, ends, never},
    {2, 3, 0, 32, 30, 2, solids, solids},
    {2, 3, 0, 16, 36, 2, solids, solids},
    {3, 4, 0, 32, 30, 2, either, either},
    {3, 4, 0, 16, 60, 2, either, either},
    {3, 4, 0, 32, 33, 3, either, either},
    {3, 4, 0, 32, 22, 2, ends, ends},
    {3, 4, 0, 16, 44, 2, ends, never},
    {3, 4, 0, 32, 30, 2, solids, solids},
    {3, 4, 0, 16, 36, 2, solids, solids},
    {4, 5, 0, 16, 30, 1, plain, plain},
    {4, 5, 0, 24, 20, 1, plain, plain},
    {4, 5, 0, 16, 28, 2, plain, plain},
    {4, 5, 0, 32, 14, 2, plain, plain},
    {4, 6, 0, 16, 30, 1, plain, plain},
    {4, 6, 0, 24, 20, 1, plain, plain},
    {4, 6, 0, 16, 28, 2, plain, plain},
    {4, 6, 0, 32, 14, 2, plain, plain},
    {5, 7, 0, 16, 30, 1, plain, plain},
    {5, 7, 0, 24, 20, 1, plain, plain},
    {5, 7, 0, 16, 28, 2, plain, plain},
    {5, 7, 0, 32, 14, 2, plain, plain},
    {5, 8, 0, 16, 30, 1, plain, plain},
    {5, 8, 0, 24, 20, 1, plain, plain},
    {5, 8, 0, 16, 28, 2, plain, plain},
    {5, 8, 0, 32, 14, 2, plain, plain},
    {6, 9, 0, 16, 30, 1, plain, plain},
    {6, 9, 0, 24, 20, 1, plain, plain},
    {6, 9, 0, 16, 28, 2, plain, plain},
    {6, 9, 0, 32, 14, 2, plain, plain},
    {6, 10, 0, 16, 30, 1, plain, plain},
    {6, 10, 0, 24, 20, 1, plain, plain},
    {6, 10, 0, 16, 28, 2, plain, plain},
    {6, 10, 0, 32, 14, 2, plain, plain},
    // The rows that their unfinished outputs leave room for: two rows a thread at 256 threads, in float, or one at 512, one
    // at 384.
    {7, 11, 0, 16, 28, 2, plain, never},
    {7, 11, 0, 16, 30, 1, plain, plain},
    {7, 11, 0, 16, 14, 1, plain, plain},
    {7, 12, 0, 16, 28, 2, plain, never},
    {7, 12, 0, 16, 22, 1, plain, plain},
    {7, 12, 0, 16, 14, 1, plain, plain},
    {7, 13, 0, 16, 22, 1, plain, plain},
    {7, 13, 0, 16, 14, 1, plain, plain},
    {8, 14, 0, 16, 22, 1, plain, plain},
    {8, 14, 0, 16, 14, 1, plain, plain},
    {8, 15, 0, 16, 22, 1, plain, never},
    {8, 15, 0, 16, 14, 1, plain, plain},
    {8, 16, 0, 16, 22, 1, plain, never},
    {8, 16, 0, 16, 14, 1, plain, plain},
    {8, 17, 0, 16, 14, 1, plain, plain},
    {8, 18, 0, 16, 14, 1, plain, plain},
    {8, 19, 0, 16, 14, 1, plain, plain},
    {8, 20, 0, 16, 14, 1, plain, plain},
}};

}  // namespace compiled_tiles

}  // namespace fdtd::cuda

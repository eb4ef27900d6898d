// What the vector code of the CPU is given and what it offers. Plain data and function pointers only: the code behind
// them is compiled once an instruction set (isa/), and must not share inline functions with the rest.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/plan/law_coefficients.hpp"

namespace fdtd::cpu {

// One weight of a row sum: weight (s[x - shift] + s[x + shift]); shift 0 counts once.
template <class T>
struct Shift {
  std::ptrdiff_t shift;
  T weight;
};

// Rows (dy, dz) whose sum s serves several shifts along x: images of one another in y and z.
struct RowClass {
  std::uint32_t row_begin, row_end, shift_begin, shift_end;
  std::ptrdiff_t reach;  // largest shift
};

// Sets of shells of which each stencil with all the cube's symmetries takes the smallest that holds it: what the shared
// sums are compiled for. A shell that the stencil has not got weighs nothing.
enum class Shape { none, up_to_110, up_to_111, up_to_211, up_to_222, up_to_300, up_to_333, up_to_400 };

// Place of the shell of (a, b, c), in any order, among all with coordinates up to 4.
constexpr int shell_index(int a, int b, int c) {
  const int high = a > b ? (a > c ? a : c) : (b > c ? b : c);
  const int low = a < b ? (a < c ? a : c) : (b < c ? b : c);
  const int middle = a + b + c - high - low;
  return high * (high + 1) * (high + 2) / 6 + middle * (middle + 1) / 2 + low;
}
inline constexpr int shell_count = 35;

constexpr int radius_of(Shape shape) {
  return shape <= Shape::up_to_111 ? 1 : shape <= Shape::up_to_222 ? 2 : shape <= Shape::up_to_333 ? 3 : 4;
}

constexpr bool has_shell(Shape shape, int a, int b, int c) {
  const int i = shell_index(a, b, c);
  switch (shape) {
    case Shape::none:
      return false;
    case Shape::up_to_110:
    case Shape::up_to_111:
      return i <= shell_index(1, 1, shape == Shape::up_to_111 ? 1 : 0);
    case Shape::up_to_211:
      return i <= shell_index(2, 1, 1);
    case Shape::up_to_222:
      return i <= shell_index(2, 2, 2);
    case Shape::up_to_300:
      return i <= shell_index(3, 0, 0) && i != shell_index(2, 2, 2);
    case Shape::up_to_333:
      return i <= shell_index(3, 3, 3);
    case Shape::up_to_400:  // compact-22 and box-400
      return i <= shell_index(4, 2, 1);
  }
  return false;
}

inline constexpr int most_legs = 20;
// From so many legs on rows are cut no longer but worked in passes (isa/passes.hpp), in rooms of three axes.
inline constexpr int shortest_passes = 4;

// S without walls on a layout.
template <class T>
struct RowStencil {
  std::ptrdiff_t row, plane;
  T centre;
  int legs;         // M of a leggy stencil, 0: not leggy
  int axes;         // leggy: 3; 2 without weights along z (a room one cell thick), 1 along x alone (a line)
  const T* leg;     // leggy: weights in x, y, z of m = 1, then of m = 2, ...
  Shape shape;      // of shared sums over planes; none: the stencil fits no shape, or is leggy
  const T* shells;  // weights by shell_index, the centre first
  int classes;      // any stencil: shared row sums
  const RowClass* classed;
  const std::ptrdiff_t* rows;  // offsets of the rows of the classes
  const Shift<T>* shifts;
};

// From a tile to the next along y: tile_edge of layout.hpp.
inline constexpr std::uint32_t tile_rows = 4;

// Corrections near walls (walls.hpp), as they are applied: along a run of nodes with one pattern, or as a dense block,
// out[offset + i] += sum over columns of weight[column][i] u[offset + column], of up to block_width<T> nodes. The same in
// some rows, one after another along y, of some planes: weights stay in registers.
template <class T>
inline constexpr int block_width = static_cast<int>(64 / sizeof(T));

struct WallOp {
  std::ptrdiff_t offset;  // of the first node from the tile's first
  std::uint32_t length;   // of nodes
  std::uint32_t table;    // 2 pattern, or 2 block + 1
  std::uint32_t rows, planes;
};

template <class T>
struct WallTables {
  const std::uint64_t* run_begin;  // entries of pattern p
  const std::ptrdiff_t* run_offset;
  const T* run_weight;
  const std::uint64_t* block_begin;  // columns of block b
  const std::ptrdiff_t* block_offset;
  const T* block_weight;      // block_width<T> a column
  std::ptrdiff_t row, plane;  // from a row, a plane to the next
};

// Nodes that the boundary update takes at a time, whatever the vector: sums over them are the same everywhere.
inline constexpr int batch_group = 16;
inline constexpr std::uint32_t most_taps = 3;
// Batches so many tiles on are asked for while one is worked.
inline constexpr std::ptrdiff_t tiles_ahead = 6;
// Groups that do not lie side by side along x: whole ones with several taps along x, apart from each other; all others.
inline constexpr std::int32_t across_x = -2, scattered = -1;

// What of a wall is held side by side for the nodes of a group, in the order in which it is read: of each branch V,
// then G.
inline constexpr std::ptrdiff_t branch_values = 2 * batch_group;

// Boundary nodes of one tile whose sites have the same laws, a batch: what all batches share whose nodes lie alike in
// their tiles. `stride` is `count` in whole groups; what lies beyond `count` is zero. Constants that all nodes share
// are held for one group.
template <class T>
struct BatchKind {
  std::uint32_t count, stride;
  std::uint32_t sites;
  std::uint32_t branches;     // of a node
  const std::uint32_t* laws;  // one a site
  const std::int32_t* node;   // offsets from the tile's first node
  const std::int32_t* run;    // of each group: of its first node where all lie side by side along x, or as above
  std::ptrdiff_t constant_step, constant_stride;  // from a group to the next, from a site to the next
  const T *Q, *scale, *loss;                      // u+ = scale (r + Q u-) - loss sum weight (h + W-)/2
  const T* weight;                                // site after site
  const T* taps;                                  // u above is sum taps[j] u[node + j step]
  std::uint32_t tap_count;
  std::ptrdiff_t step;
  T inverse_square;  // 1/sum taps[j]^2
};

// The batches of a kind in tiles side by side along y, worked together.
template <class T>
struct Batch {
  const BatchKind<T>* kind;
  T* u;         // the first tile's first node
  T* branches;  // group after group, in it site after site and branch after branch, branch_values each
  T* q;         // the taps' sum of u- before an update, of u+ after it
  std::ptrdiff_t tiles = 1;
  std::ptrdiff_t u_step = 0, branches_step = 0, q_step = 0;  // from a tile to the next
};

inline constexpr int energy_lanes = 8;

// u0 <- S u1 - u0, walls not yet counted. What a node gets does not depend on how rows and planes are divided into calls.
template <class T>
using Leap = void (*)(const RowStencil<T>&, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end, int rows,
                      int planes);

// out <- S u, in double, on so many rows of so many planes; in `out` rows are as far apart as in u, planes out_plane.
template <class T>
using Apply = void (*)(const RowStencil<T>&, const T* u, double* out, std::ptrdiff_t out_plane, std::ptrdiff_t nodes,
                       int rows, int planes);

// What a kernel offers. Rows are pointed to at x = 0; x runs over [begin, end), the same for `rows` rows of `planes` planes.
template <class T>
struct RowFunctions {
  Leap<T> leap;
  // The same bytes by another way, for machines whose own prefetching follows long rows: `leap` cuts rows into pieces that suit the
  // first-level cache, or works those of longer legs in passes, and asks for most of what comes from further away; here rows are
  // whole, those of the longest legs in passes too, and little is asked for. Null where there is none.
  Leap<T> leap_uncut;
  Apply<T> apply;
  // On so many tiles side by side along y, tile_rows rows apart; the first node of the first is at u1 and u0.
  void (*correct)(const WallTables<T>&, const WallOp* ops, std::size_t count, std::size_t tiles, const T* u1, T* u0);
  // Boundary update of batches. Adds the energy that each loses in this step to lost[0], lost[1], ..., a tile each.
  void (*lose)(const Batch<T>&, const LawCoefficients<T>* laws, const BranchCoefficients<T>* branches, double* lost);
  // sums[x mod energy_lanes] += d^2 + after (2 u - S_u), d = after - u, in double; what is left of the last lanes to sums[0].
  void (*energy)(const T* after, const T* u, const double* S_u, std::ptrdiff_t nodes, double* sums);
  // u0 <- 2 u1 - u0: the roof.
  void (*triad)(const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end);
  // Layers of tiles that a call of leap, leap_uncut is best given: where planes share sums, or what these read, two.
  int layers = 1, uncut_layers = 1;
};

// A leggy stencil of shortest_passes legs or more, compiled for their number: both ways in passes, for rooms of three axes, the
// second null where whole rows, or nothing, are better; S u of any room.
template <class T>
struct LongLegs {
  Leap<T> leap = nullptr, leap_uncut = nullptr;
  Apply<T> apply = nullptr;
};

// The functions of one instruction set for a stencil; each defined in its own object.
#define FDTD_DECLARE_ISA(name)                                 \
  namespace name {                                             \
  RowFunctions<float> rows_f32(const RowStencil<float>&);      \
  RowFunctions<double> rows_f64(const RowStencil<double>&);    \
  RowFunctions<float> sliding_f32(const RowStencil<float>&);   \
  RowFunctions<double> sliding_f64(const RowStencil<double>&); \
  LongLegs<float> long_legs_f32(int legs);                     \
  LongLegs<double> long_legs_f64(int legs);                    \
  }
FDTD_DECLARE_ISA(baseline)
FDTD_DECLARE_ISA(avx2)
FDTD_DECLARE_ISA(avx512)
#undef FDTD_DECLARE_ISA

}  // namespace fdtd::cpu

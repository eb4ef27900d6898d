// The interface between the CPU backend and its vector code: plain data and function pointers only. The vector code is
// compiled once an instruction set (isa/) and must not share inline functions with the rest of the program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/plan/branch_equation.hpp"
#include "stencils/shells.hpp"

namespace fdtd::cpu {

// One weight of a row sum: weight (s[x - shift] + s[x + shift]); shift 0 counts once.
template <class T>
struct Shift {
  std::ptrdiff_t shift;
  T weight;
};

// Rows (dy, dz) whose sum s serves several shifts along x: mirror images of each other in y and z.
struct RowClass {
  std::uint32_t row_begin, row_end, shift_begin, shift_end;
  std::ptrdiff_t reach;  // largest shift
};

// Sets of shells for which the shared sums are compiled. A stencil with all symmetries of the cube uses the smallest
// set that holds its shells; the other shells of the set have weight zero.
enum class Shape { none, up_to_110, up_to_111, up_to_211, up_to_222, up_to_300, up_to_333, up_to_400 };

constexpr int radius_of(Shape shape) {
  return shape <= Shape::up_to_111 ? 1 : shape <= Shape::up_to_222 ? 2 : shape <= Shape::up_to_333 ? 3 : 4;
}

constexpr bool has_shell(Shape shape, int a, int b, int c) {
  const int i = shell_of(a, b, c);
  switch (shape) {
    case Shape::none:
      return false;
    case Shape::up_to_110:
    case Shape::up_to_111:
      return i <= shell_of(1, 1, shape == Shape::up_to_111 ? 1 : 0);
    case Shape::up_to_211:
      return i <= shell_of(2, 1, 1);
    case Shape::up_to_222:
      return i <= shell_of(2, 2, 2);
    case Shape::up_to_300:
      return i <= shell_of(3, 0, 0) && i != shell_of(2, 2, 2);
    case Shape::up_to_333:
      return i <= shell_of(3, 3, 3);
    case Shape::up_to_400:  // compact-22 and box-400
      return i <= shell_of(4, 2, 1);
  }
  return false;
}

// In rooms of three axes stencils of this many legs and more are computed in two passes (isa/leggy_two_pass.hpp).
inline constexpr int min_two_pass_legs = 4;

// S without walls, on a layout.
template <class T>
struct RowStencil {
  std::ptrdiff_t row, plane;
  T centre;
  int legs;         // M of a leggy stencil, 0: not leggy
  int axes;         // leggy: 3; 2 without weights along z (a room one cell thick), 1 along x alone (a line)
  const T* leg;     // leggy: weights in x, y, z of m = 1, then of m = 2, ...
  Shape shape;      // of shared sums over planes; none: the stencil fits no shape or is leggy
  const T* shells;  // weights by shell_of, the centre first
  int classes;      // any stencil: shared row sums
  const RowClass* classed;
  const std::ptrdiff_t* rows;  // offsets of the rows of the classes
  const Shift<T>* shifts;
};

// Rows from a tile to the next along y: tile_edge of layout.hpp.
inline constexpr std::uint32_t tile_rows = 4;

// Corrections near walls (plan/near_wall.hpp): along a run of nodes with one pattern, or as a block of up to
// block_width<T> nodes with a vector of weights a column: out[offset + i] += sum over columns of weight[column][i] v,
// where v = u[offset + column] where nodes read the same values, as at the ends of rows, or u[offset + i + column] where
// they read their neighbours, each with weights of its own, as beside oblique walls. One operation repeats in
// consecutive rows along y and in consecutive planes, so that its weights stay in registers.
template <class T>
inline constexpr int block_width = static_cast<int>(64 / sizeof(T));

enum NearWallForm : std::uint32_t { near_run, near_shared, near_neighbours };

struct NearWallOp {
  std::ptrdiff_t offset;  // of the first node, from the tile's first
  std::uint32_t length;   // of nodes
  std::uint32_t table;    // 3 pattern, or 3 block, plus its NearWallForm
  std::uint32_t rows, planes;
};

template <class T>
struct NearWallTables {
  const std::uint64_t* run_begin;  // entries of pattern p
  const std::ptrdiff_t* run_offset;
  const T* run_weight;
  const std::uint64_t* block_begin;  // columns of block b
  const std::ptrdiff_t* block_offset;
  const T* block_weight;      // block_width<T> a column
  std::ptrdiff_t row, plane;  // from a row, a plane to the next
};

// Nodes that the boundary update processes at a time for any vector width, so that sums over them are the same
// everywhere.
inline constexpr int batch_group = 16;
inline constexpr std::uint32_t max_taps = 8;
// The boundary update prefetches the batches this many tiles ahead.
inline constexpr std::ptrdiff_t tiles_ahead = 6;
// Kinds of groups whose nodes do not lie side by side along x: those in at most max_pieces pieces that do; whole groups
// with several taps along x that do not overlap; all others.
inline constexpr std::int32_t in_pieces = -3, across_x = -2, scattered = -1;

// Lanes of a group whose nodes lie side by side: lane l at `from` + l.
struct GroupPiece {
  std::int32_t from;
  std::uint32_t lanes;  // one bit each
};
inline constexpr int max_pieces = 4;

// Values of one branch for the nodes of a group, in the order of BranchValues.
inline constexpr std::ptrdiff_t branch_values = branch_state_size * batch_group;

// A batch is the boundary nodes of one tile whose sites have the same laws. Its kind is what it shares with all batches
// whose nodes have the same offsets in their tiles. `stride` is `count` rounded up to whole groups; values beyond
// `count` are zero. Constants that are the same at all nodes are stored for one group.
template <class T>
struct BatchKind {
  std::uint32_t count, stride;
  std::uint32_t sites;
  std::uint32_t branches;     // of a node
  const std::uint32_t* laws;  // one a site
  const std::int32_t* node;   // offsets from the tile's first node
  const std::int32_t* run;    // of each group: its first node where all lie side by side along x, or as above
  const GroupPiece* pieces;   // max_pieces a group where it is in pieces
  std::ptrdiff_t constant_step, constant_stride;  // from a group to the next, from a site to the next
  const T *Q, *scale, *loss;                      // u+ = scale (r + Q u-) - loss sum weight (h + W-)/2
  const T* weight;                                // site after site
  const T* taps;                                  // u above is sum taps[j] u[node + j step]
  std::uint32_t tap_count;
  std::ptrdiff_t step;
  T inverse_square;  // 1/sum taps[j]^2
};

// The batches of one kind in tiles side by side along y, updated together.
template <class T>
struct Batch {
  const BatchKind<T>* kind;
  T* u;         // the first tile's first node
  T* branches;  // group by group, in a group site by site and branch by branch, branch_values each
  T* q;         // the taps' sum of u- before an update, of u+ after it
  std::ptrdiff_t tiles = 1;
  std::ptrdiff_t u_step = 0, branches_step = 0, q_step = 0;  // from a tile to the next
};

inline constexpr int group_lanes = 8;  // sites of a row: coupled_lanes of plan/coupled_walls.hpp
// Groups side by side along an edge along y or z that are updated together, and the lanes of each: walls that read more
// nodes are updated group by group.
inline constexpr int block_groups = 4, block_lanes = 4;
// Groups side by side along an edge along x that are updated together.
template <class T>
inline constexpr int strip_groups = static_cast<int>(64 / sizeof(T));

// A wall of a group that is solved together, as CoupledWallTable of plan/coupled_tables.hpp.
template <class T>
struct CoupledWallKind {
  std::ptrdiff_t step;  // from node to node inwards
  int taps, rows, branches;
  T square, inverse_square;
  const T *tap, *constants, *rules;
  const double* E;
};

template <class T>
struct CoupledKind {
  int walls;
  CoupledWallKind<T> wall[3];
  bool along_x;             // an edge along x: in strips of groups
  bool in_blocks;           // an edge along y or z: in blocks of groups
  const T* inverse;         // of the coupling, column by column
  const std::uint8_t* own;  // of CoupledKindTable; null: the whole of it
};

template <class T>
struct Coupled {
  const CoupledKind<T>* kind;
  T* u;       // the node in the edge or corner
  T* state;   // wall by wall, row by row, branch by branch: V, then G of group_lanes sites
  T* q;       // wall by wall, row by row: the taps' sum of u- before an update, of u+ after it
  int count;  // of groups; along x each site of a row has strip_groups<T> values in q, and in state as many V, then G
  // Of a block, whose rows have block_lanes sites of each of block_groups groups: from a group to the next in the field,
  // and the energy that each dissipates.
  std::ptrdiff_t next = 0;
  double* lost = nullptr;
};

// Solid nodes in a box of air (field/air_boxes.hpp): at most a cache line.
struct SolidPiece {
  std::ptrdiff_t offset;  // in a field
  std::int32_t count;
};

inline constexpr int energy_lanes = 8;

// u0 <- S u1 - u0 without walls. The result at a node does not depend on how rows and planes are divided into calls.
template <class T>
using Leap = void (*)(const RowStencil<T>&, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end, int rows,
                      int planes);

// out <- S u, in double, for `rows` rows of `planes` planes; in `out` rows are as far apart as in u, planes out_plane.
template <class T>
using Apply = void (*)(const RowStencil<T>&, const T* u, double* out, std::ptrdiff_t out_plane, std::ptrdiff_t nodes,
                       int rows, int planes);

// The functions of a kernel. Pointers to rows point to x = 0; x runs over [begin, end) in `rows` rows of `planes`
// planes.
template <class T>
struct RowFunctions {
  Leap<T> leap;
  // The same bytes, for processors whose hardware prefetching follows long rows. `leap` cuts rows into pieces that fit
  // the first-level cache, or uses two passes for longer legs, and prefetches most of what comes from further away.
  // This function processes whole rows, in two passes for the longest legs, and prefetches little. Null where a stencil
  // has no such function.
  Leap<T> leap_whole_rows;
  Apply<T> apply;
  // Sets solid nodes to zero.
  void (*clear)(const SolidPiece* begin, const SolidPiece* end, T* u0);
  // On `tiles` tiles side by side along y, tile_rows rows apart; u1 and u0 point to the first node of the first.
  void (*correct)(const NearWallTables<T>&, const NearWallOp* ops, std::size_t count, std::size_t tiles, const T* u1,
                  T* u0);
  // Boundary update of batches. Adds the energy that each tile dissipates in this step to dissipated[0], dissipated[1],
  // ...
  void (*update_boundary)(const Batch<T>&, const LawCoefficients<T>* laws, const BranchCoefficients<T>* branches,
                          double* dissipated);
  // Updates a group that is solved together; returns the energy that it dissipates in this step. Of a block it stores
  // the energies, and returns zero.
  double (*update_coupled)(const Coupled<T>&);
  // Sets its q to the taps' sums of a field.
  void (*read_coupled)(const Coupled<T>&);
  // sums[x mod energy_lanes] += d^2 + after (2 u - S_u), d = after - u, in double; an incomplete last group adds to
  // sums[0].
  void (*energy)(const T* after, const T* u, const double* S_u, std::ptrdiff_t nodes, double* sums);
  // u0 <- 2 u1 - u0: the roofline that steps are compared with.
  void (*triad)(const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end);
  // Layers of tiles per call of leap and leap_whole_rows: two where planes share sums or the values that they read.
  int layers = 1, whole_rows_layers = 1;
};

// The functions of a leggy stencil of min_two_pass_legs legs or more, compiled for each number: both kinds of steps in
// rooms of three axes, the second null where it gains nothing over single-pass whole rows or over the first; S u in any
// room.
template <class T>
struct TwoPassFunctions {
  Leap<T> leap = nullptr, leap_whole_rows = nullptr;
  Apply<T> apply = nullptr;
};

// The functions of each instruction set, each defined in its own object.
#define FDTD_DECLARE_ISA(name)                                 \
  namespace name {                                             \
  RowFunctions<float> rows_f32(const RowStencil<float>&);      \
  RowFunctions<double> rows_f64(const RowStencil<double>&);    \
  RowFunctions<float> sliding_f32(const RowStencil<float>&);   \
  RowFunctions<double> sliding_f64(const RowStencil<double>&); \
  TwoPassFunctions<float> two_pass_f32(int legs);              \
  TwoPassFunctions<double> two_pass_f64(int legs);             \
  }
FDTD_DECLARE_ISA(baseline)
FDTD_DECLARE_ISA(avx2)
FDTD_DECLARE_ISA(avx512)
#undef FDTD_DECLARE_ISA

}  // namespace fdtd::cpu

// Applies near-wall corrections to a tile while the rows' results are in cache.
#pragma once

#include "engine/vector/isa/simd.hpp"

namespace fdtd::cpu {
namespace {

// Calls function(offset) for every row of an operation.
template <class T, class Function>
FDTD_INLINE void each_row(const NearWallTables<T>& tables, const NearWallOp& op, const Function& function) {
  for (std::uint32_t p = 0; p < op.planes; ++p) {
    std::ptrdiff_t row = p * tables.plane;
    for (std::uint32_t r = 0; r < op.rows; ++r, row += tables.row) function(row);
  }
}

// Adds columns of more weights than fit the registers: several rows at a time share each weight. weight(e) is the
// weight of column e, read(p) the value that it multiplies: for runs a scalar weight and a vector of values, for blocks
// the reverse, or two vectors. The sum at a node has the order of the columns.
template <class L, class T, class Weight, class Read>
FDTD_INLINE void add_columns(const NearWallTables<T>& tables, const NearWallOp& op, const T* from, T* to,
                             std::ptrdiff_t here, const std::ptrdiff_t* offsets, int entries, const Weight& weight,
                             const Read& read) {
  constexpr int together = 4;
  std::ptrdiff_t rows[together];
  const auto add = [&](const std::ptrdiff_t* at, auto count) {
    typename L::V sum[count];
    const T* row[count];
    for (int i = 0; i < count; ++i) sum[i] = L::load(to + at[i]), row[i] = from + at[i];
    for (int e = 0; e < entries; ++e) {
      const auto shared = weight(e);
      const std::ptrdiff_t offset = offsets[e];
      for (int i = 0; i < count; ++i) sum[i] += read(row[i] + offset) * shared;
    }
    for (int i = 0; i < count; ++i) put<L>(to + at[i], sum[i], here);
  };
  int waiting = 0;
  each_row(tables, op, [&](std::ptrdiff_t row) {
    rows[waiting] = row;
    if (++waiting < together) return;
    add(rows, std::integral_constant<int, together>());
    waiting = 0;
  });
  for (int i = 0; i < waiting; ++i) add(rows + i, std::integral_constant<int, 1>());
}

template <class T>
void correct_any_runs(const NearWallTables<T>& tables, const NearWallOp& op, const T* u, T* out) {
  using L = Simd<T, T>;
  const std::uint64_t begin = tables.run_begin[op.table / 3];
  const auto entries = static_cast<int>(tables.run_begin[op.table / 3 + 1] - begin);
  const T* const weights = tables.run_weight + begin;
  const std::ptrdiff_t* const offsets = tables.run_offset + begin;
  const auto length = static_cast<std::ptrdiff_t>(op.length);
  for (std::ptrdiff_t x = 0; x < length; x += L::n)
    add_columns<L>(
        tables, op, u + x, out + x, length - x, offsets, entries, [&](int e) { return weights[e]; },
        [](const T* p) { return L::load(p); });
}

// Runs of `Entries` weights a node.
template <class T, int Entries>
void correct_runs(const NearWallTables<T>& tables, const NearWallOp& op, const T* u, T* out) {
  using L = Simd<T, T>;
  const std::uint64_t begin = tables.run_begin[op.table / 3];
  std::ptrdiff_t offset[Entries];
  T weight[Entries];
  for (std::uint64_t e = 0; e < static_cast<std::uint64_t>(Entries); ++e) {
    offset[e] = tables.run_offset[begin + e];
    weight[e] = tables.run_weight[begin + e];
  }
  const auto length = static_cast<std::ptrdiff_t>(op.length);
  each_row(tables, op, [&](std::ptrdiff_t row) {
    const T* const from = u + row;
    T* const to = out + row;
    for (std::ptrdiff_t x = 0; x < length; x += L::n) {
      typename L::V sum = L::load(to + x);
#pragma GCC unroll 9
      for (int e = 0; e < Entries; ++e) sum += weight[e] * L::load(from + x + offset[e]);
      if (x + L::n <= length) {
        L::store(to + x, sum);
      } else {
        L::store_some(to + x, sum, length - x);
      }
    }
  });
}

// Do the weights stay in registers for all rows? Those of blocks are vectors.
template <int Entries>
inline constexpr bool few = Entries > 0 && Entries <= 4;

// The factor of a column of a block: one value for all nodes, or a neighbour of each.
template <class L, NearWallForm form, class T>
FDTD_INLINE auto read_of(const T* p) {
  if constexpr (form == near_shared) {
    return *p;
  } else {
    return L::load(p);
  }
}

// Blocks of `Entries` weights a node; 0: any number. Vectors are no wider than the block: a wider one would load a line
// beyond the end of a row from memory that nothing else reads.
template <class T, int Entries, NearWallForm form, std::size_t Bytes>
void correct_blocks(const NearWallTables<T>& tables, const NearWallOp& op, const T* u, T* out) {
  using L = Simd<T, T, Bytes>;
  const std::uint64_t begin = tables.block_begin[op.table / 3];
  const T* const weights = tables.block_weight + begin * static_cast<std::uint64_t>(block_width<T>);
  const std::ptrdiff_t* const offsets = tables.block_offset + begin;
  const auto length = static_cast<std::ptrdiff_t>(op.length);
  for (std::ptrdiff_t x = 0; x < length; x += L::n) {
    const T* const from = form == near_shared ? u : u + x;
    if constexpr (few<Entries>) {
      std::ptrdiff_t offset[Entries];
      typename L::V weight[Entries];
      for (int e = 0; e < Entries; ++e) offset[e] = offsets[e], weight[e] = L::load(weights + e * block_width<T> + x);
      each_row(tables, op, [&](std::ptrdiff_t row) {
        const T* const at = from + row;
        T* const to = out + row + x;
        typename L::V sum = L::load(to);
        for (int e = 0; e < Entries; ++e) sum += read_of<L, form>(at + offset[e]) * weight[e];
        put<L>(to, sum, length - x);
      });
    } else {
      const auto entries = Entries > 0 ? Entries : static_cast<int>(tables.block_begin[op.table / 3 + 1] - begin);
      add_columns<L>(
          tables, op, from, out + x, length - x, offsets, entries,
          [&](int e) { return L::load(weights + e * block_width<T> + x); },
          [](const T* p) { return read_of<L, form>(p); });
    }
  }
}

template <class T, int Entries, NearWallForm form>
FDTD_INLINE void correct_block(const NearWallTables<T>& tables, const NearWallOp& op, const T* u, T* out) {
  constexpr std::size_t one = sizeof(T), narrow = 16, wide = vector_bytes < 32 ? vector_bytes : 32;
  const std::size_t bytes = op.length * sizeof(T);
  (bytes <= one      ? correct_blocks<T, Entries, form, one>  // of stencils of radius 1
   : bytes <= narrow ? correct_blocks<T, Entries, form, narrow>
   : bytes <= wide   ? correct_blocks<T, Entries, form, wide>
                     : correct_blocks<T, Entries, form, vector_bytes>)(tables, op, u, out);
}

template <class T, int Entries>
FDTD_INLINE void correct_op(const NearWallTables<T>& tables, const NearWallOp& op, const T* u, T* out) {
  const std::uint32_t form = op.table % 3;
  if (form == near_shared) {
    correct_block<T, Entries, near_shared>(tables, op, u, out);
  } else if (form == near_neighbours) {
    correct_block<T, Entries, near_neighbours>(tables, op, u, out);
  } else if constexpr (Entries > 0) {
    correct_runs<T, Entries>(tables, op, u, out);
  } else {
    correct_any_runs(tables, op, u, out);
  }
}

template <class T>
void correct_one(const NearWallTables<T>& tables, const NearWallOp& op, const T* u, T* out) {
  const std::uint64_t* const begin = (op.table % 3 == near_run ? tables.run_begin : tables.block_begin) + op.table / 3;
  switch (begin[1] - begin[0]) {  // leggy stencils have 1 to M a node, 27 points 9
    case 1:
      correct_op<T, 1>(tables, op, u, out);
      break;
    case 2:
      correct_op<T, 2>(tables, op, u, out);
      break;
    case 3:
      correct_op<T, 3>(tables, op, u, out);
      break;
    case 4:
      correct_op<T, 4>(tables, op, u, out);
      break;
    case 9:
      correct_op<T, 9>(tables, op, u, out);
      break;
    default:
      correct_op<T, 0>(tables, op, u, out);
  }
}

template <class T>
void correct(const NearWallTables<T>& tables, const NearWallOp* ops, std::size_t count, std::size_t tiles, const T* u1,
             T* u0) {
  for (const NearWallOp* op = ops; op != ops + count; ++op) {
    const T* const u = u1 + op->offset;
    T* const out = u0 + op->offset;
    if (op->rows == tile_rows) {  // rows continue in the next tile
      NearWallOp all = *op;
      all.rows *= static_cast<std::uint32_t>(tiles);
      correct_one(tables, all, u, out);
      continue;
    }
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(tile * tile_rows) * tables.row;
      correct_one(tables, *op, u + at, out + at);
    }
  }
}

template <class T>
void clear(const SolidPiece* begin, const SolidPiece* end, T* u0) {
  using L = Simd<T, T>;
  for (const SolidPiece* piece = begin; piece < end; ++piece)
    for (std::ptrdiff_t x = 0; x < piece->count; x += L::n)
      put<L>(u0 + piece->offset + x, typename L::V{}, piece->count - x);
}

}  // namespace
}  // namespace fdtd::cpu

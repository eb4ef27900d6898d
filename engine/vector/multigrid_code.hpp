// The interface between multigrid and its vector code: plain data and function pointers only, compiled once for each
// instruction set (isa/multigrid_isa.cpp).
//
// Arrays hold nodes x + row y + plane z with a halo of zeros on every side; pointers point to the first node of a row.
#pragma once

#include <cstddef>

#include "engine/vector/vector_code.hpp"

namespace fdtd::cpu {

// The trilinear finite-element operator on a mask: A u at a node is diagonal u plus, over its eight elements, the
// element's coefficient times the sum of weight[|dx| + 2 |dy| + 4 |dz|] u over the element's nodes. The element above a
// node along all axes has the node's index; elements outside the mask have coefficient 0.
template <class T>
struct MaskedOperator {
  std::ptrdiff_t row, plane;
  const float* element;
  const T* diagonal;
  T weight[8];
};

// Sums with constant weights (shape up_to_111) are over `rows` rows of `planes` planes.
struct MultigridCode {
  // out = sum + scale b; u, b and out have the same strides.
  void (*sweep)(const RowStencil<float>&, float scale, const float* u, const float* b, float* out, std::ptrdiff_t nodes,
                int rows, int planes);
  // solution += sum + scale b; the same strides.
  void (*sweep_into)(const RowStencil<float>&, float scale, const float* u, const float* b, double* solution,
                     std::ptrdiff_t nodes, int rows, int planes);
  // out = sum + out; `out` has strides of its own.
  void (*accumulate)(const RowStencil<float>&, const float* u, float* out, std::ptrdiff_t out_row,
                     std::ptrdiff_t out_plane, std::ptrdiff_t nodes, int rows, int planes);
  // out = float(sum + b), in double; the same strides.
  void (*residual)(const RowStencil<double>&, const double* u, const float* b, float* out, std::ptrdiff_t nodes,
                   int rows, int planes);
  // One row from node `at` on. Smoothing: out = u + step inverse (b - A u); residual: out = b - A u; product: out = A u.
  void (*smooth)(const MaskedOperator<float>&, const float* u, const float* b, const float* inverse, float step,
                 float* out, std::ptrdiff_t at, std::ptrdiff_t nodes);
  void (*masked_residual)(const MaskedOperator<float>&, const float* u, const float* b, float* out, std::ptrdiff_t at,
                          std::ptrdiff_t nodes);
  void (*product)(const MaskedOperator<double>&, const double* u, double* out, std::ptrdiff_t at, std::ptrdiff_t nodes);
  // to[x] = sum of the nine rows, weighted 1, 1/2 and 1/4 by distance; null rows count as zero.
  void (*gather_rows)(const float* const rows[9], float* to, std::ptrdiff_t nodes);
};

#define FDTD_DECLARE_ISA(name)    \
  namespace name {                \
  MultigridCode multigrid_code(); \
  }
FDTD_DECLARE_ISA(baseline)
FDTD_DECLARE_ISA(avx2)
FDTD_DECLARE_ISA(avx512)
#undef FDTD_DECLARE_ISA

// That of the best instruction set that this build has and this processor runs.
const MultigridCode& multigrid_code();

}  // namespace fdtd::cpu

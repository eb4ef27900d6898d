// The vector code of multigrid, compiled once an instruction set, which FDTD_ISA names.
//
// Constant weights use the sums over planes of cube_stencil.hpp. On a mask an element's eight weights are applied as
// two sums over four rows: P at the node's own x, which the elements on either side share, and Q at a neighbour's.
#include "engine/vector/isa/cube_stencil.hpp"
#include "engine/vector/multigrid_code.hpp"

#ifndef FDTD_ISA
#define FDTD_ISA baseline
#endif

namespace fdtd::cpu {
namespace {

using Sums32 = SharedSums<float, float, Shape::up_to_111>;
using Sums64 = SharedSums<double, double, Shape::up_to_111>;
using L32 = Sums32::L;
using L64 = Sums64::L;

constexpr std::ptrdiff_t at_most(std::ptrdiff_t nodes, std::ptrdiff_t strip) { return nodes < strip ? nodes : strip; }

void sweep(const RowStencil<float>& stencil, float scale, const float* u, const float* b, float* out,
           std::ptrdiff_t nodes, int rows, int planes) {
  Sums32 sums(stencil);
  const std::ptrdiff_t from_out = b - out;
  for (int r = 0; r < rows; ++r, u += stencil.row, out += stencil.row)
    for (std::ptrdiff_t x = 0; x < nodes; x += Sums32::strip)
      sums.sum(u + x, out + x, stencil.plane, at_most(nodes - x, Sums32::strip), planes,
               [=](float* to, L32::V sum, std::ptrdiff_t left) {
                 put<L32>(to, L32::fma(scale, L32::load(to + from_out), sum), left);
               });
}

void sweep_into(const RowStencil<float>& stencil, float scale, const float* u, const float* b, double* solution,
                std::ptrdiff_t nodes, int rows, int planes) {
  Sums32 sums(stencil);
  double* out = solution;
  for (int r = 0; r < rows; ++r, u += stencil.row, out += stencil.row)
    for (std::ptrdiff_t x = 0; x < nodes; x += Sums32::strip)
      sums.sum(u + x, out + x, stencil.plane, at_most(nodes - x, Sums32::strip), planes,
               [=](double* to, L32::V sum, std::ptrdiff_t left) {
                 const L32::V value = L32::fma(scale, L32::load(b + (to - solution)), sum);
                 float values[L32::n];
                 __builtin_memcpy(values, &value, sizeof(value));
                 if (left >= L32::n) {
                   for (std::ptrdiff_t i = 0; i < L32::n; ++i) to[i] += static_cast<double>(values[i]);
                 } else {
                   for (std::ptrdiff_t i = 0; i < left; ++i) to[i] += static_cast<double>(values[i]);
                 }
               });
}

void accumulate(const RowStencil<float>& stencil, const float* u, float* out, std::ptrdiff_t out_row,
                std::ptrdiff_t out_plane, std::ptrdiff_t nodes, int rows, int planes) {
  Sums32 sums(stencil);
  for (int r = 0; r < rows; ++r, u += stencil.row, out += out_row)
    for (std::ptrdiff_t x = 0; x < nodes; x += Sums32::strip)
      sums.sum(u + x, out + x, out_plane, at_most(nodes - x, Sums32::strip), planes,
               [](float* to, L32::V sum, std::ptrdiff_t left) { put<L32>(to, L32::load(to) + sum, left); });
}

void residual(const RowStencil<double>& stencil, const double* u, const float* b, float* out, std::ptrdiff_t nodes,
              int rows, int planes) {
  Sums64 sums(stencil);
  using Wide = Simd<float, double>;
  const std::ptrdiff_t from_out = b - out;
  for (int r = 0; r < rows; ++r, u += stencil.row, out += stencil.row)
    for (std::ptrdiff_t x = 0; x < nodes; x += Sums64::strip)
      sums.sum(u + x, out + x, stencil.plane, at_most(nodes - x, Sums64::strip), planes,
               [=](float* to, L64::V sum, std::ptrdiff_t left) {
                 const auto rounded = __builtin_convertvector(sum + Wide::load(to + from_out), Wide::Raw);
                 if (left >= L64::n) {
                   __builtin_memcpy(to, &rounded, sizeof(rounded));
                 } else {
                   for (std::ptrdiff_t i = 0; i < left; ++i) to[i] = rounded[i];
                 }
               });
}

// Calls take(x, (A u)[x]) along a row.
template <class T, class Take>
FDTD_INLINE void masked(const MaskedOperator<T>& A, const T* u, std::ptrdiff_t at, std::ptrdiff_t nodes,
                        const Take& take) {
  const std::ptrdiff_t row = A.row, plane = A.plane;
  const T *c = u + at, *s = c - row, *n = c + row, *d = c - plane, *t = c + plane;
  const T *ds = d - row, *dn = d + row, *ts = t - row, *tn = t + row;
  const float *nt = A.element + at, *st = nt - row, *nd = nt - plane, *sd = nd - row;
  const T* diagonal = A.diagonal + at;
  const T k0 = A.weight[0], k1 = A.weight[1], k2 = A.weight[2], k3 = A.weight[3];
  const T k4 = A.weight[4], k5 = A.weight[5], k6 = A.weight[6], k7 = A.weight[7];
  const auto pair = [&](const T* y, const T* z, const T* yz, const float* element, std::ptrdiff_t x) {
    const T own = k0 * c[x] + k2 * y[x] + k4 * z[x] + k6 * yz[x];
    const T after = k1 * c[x + 1] + k3 * y[x + 1] + k5 * z[x + 1] + k7 * yz[x + 1];
    const T before = k1 * c[x - 1] + k3 * y[x - 1] + k5 * z[x - 1] + k7 * yz[x - 1];
    return static_cast<T>(element[x]) * (own + after) + static_cast<T>(element[x - 1]) * (own + before);
  };
#pragma GCC ivdep
  for (std::ptrdiff_t x = 0; x < nodes; ++x)
    take(x, diagonal[x] * c[x] +
                ((pair(n, t, tn, nt, x) + pair(s, t, ts, st, x)) + (pair(n, d, dn, nd, x) + pair(s, d, ds, sd, x))));
}

void smooth(const MaskedOperator<float>& A, const float* u, const float* b, const float* inverse, float step,
            float* out, std::ptrdiff_t at, std::ptrdiff_t nodes) {
  const float* const from = u + at;
  const float* const right = b + at;
  const float* const scale = inverse + at;
  float* const to = out + at;
  masked(A, u, at, nodes, [=](std::ptrdiff_t x, float Au) { to[x] = from[x] + step * scale[x] * (right[x] - Au); });
}

void masked_residual(const MaskedOperator<float>& A, const float* u, const float* b, float* out, std::ptrdiff_t at,
                     std::ptrdiff_t nodes) {
  const float* const right = b + at;
  float* const to = out + at;
  masked(A, u, at, nodes, [=](std::ptrdiff_t x, float Au) { to[x] = right[x] - Au; });
}

void product(const MaskedOperator<double>& A, const double* u, double* out, std::ptrdiff_t at, std::ptrdiff_t nodes) {
  double* const to = out + at;
  masked(A, u, at, nodes, [=](std::ptrdiff_t x, double Au) { to[x] = Au; });
}

void gather_rows(const float* const rows[9], float* to, std::ptrdiff_t nodes) {
  constexpr float weights[3] = {0.5F, 1.0F, 0.5F};
  for (std::ptrdiff_t x = 0; x < nodes; ++x) to[x] = 0.0F;
  for (int r = 0; r < 9; ++r) {
    const float* const from = rows[r];
    if (from == nullptr) continue;
    const float weight = weights[r / 3] * weights[r % 3];
#pragma GCC ivdep
    for (std::ptrdiff_t x = 0; x < nodes; ++x) to[x] += weight * from[x];
  }
}

}  // namespace

namespace FDTD_ISA {
MultigridCode multigrid_code() {
  return {sweep, sweep_into, accumulate, residual, smooth, masked_residual, product, gather_rows};
}
}  // namespace FDTD_ISA

}  // namespace fdtd::cpu

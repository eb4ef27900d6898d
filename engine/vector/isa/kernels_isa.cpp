// The vector code of all kernels, compiled once an instruction set, which FDTD_ISA names. Everything but the entry
// functions is local.
#include "engine/vector/isa/any_stencil.hpp"
#include "engine/vector/isa/boundary_update.hpp"
#include "engine/vector/isa/coupled_update.hpp"
#include "engine/vector/isa/cube_stencil.hpp"
#include "engine/vector/isa/leggy.hpp"
#include "engine/vector/isa/near_wall.hpp"
#include "engine/vector/isa/simd.hpp"

#ifndef FDTD_ISA
#define FDTD_ISA baseline
#endif

namespace fdtd::cpu {
namespace {

template <class T>
void triad(const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end) {
  using L = Simd<T, T>;
  std::ptrdiff_t x = begin;
  for (; x + L::n <= end; x += L::n) L::store(u0 + x, static_cast<T>(2) * L::load(u1 + x) - L::load(u0 + x));
  for (; x < end; ++x) u0[x] = 2 * u1[x] - u0[x];
}

template <class T>
void energy(const T* after, const T* u, const double* S_u, std::ptrdiff_t nodes, double* sums) {
  using L = Simd<T, double>;
  using D = Simd<double, double>;
  typename D::V lanes[energy_lanes / D::n];
  for (std::ptrdiff_t i = 0; i < energy_lanes; i += D::n) lanes[i / D::n] = D::load(sums + i);
  std::ptrdiff_t x = 0;
  for (; x + energy_lanes <= nodes; x += energy_lanes) {
#pragma GCC unroll 4
    for (std::ptrdiff_t i = 0; i < energy_lanes; i += D::n) {
      const auto now = L::load(after + x + i), before = L::load(u + x + i);
      const auto d = now - before;
      lanes[i / D::n] += d * d + now * (2.0 * before - D::load(S_u + x + i));
    }
  }
  for (std::ptrdiff_t i = 0; i < energy_lanes; i += D::n) D::store(sums + i, lanes[i / D::n]);
  for (; x < nodes; ++x) {
    const auto now = static_cast<double>(after[x]), before = static_cast<double>(u[x]);
    const double d = now - before;
    sums[0] += d * d + now * (2.0 * before - S_u[x]);
  }
}

template <class T>
RowFunctions<T> rows() {
  return {leap_any<T>,        nullptr,           apply_any<T>,    clear<T>,  correct<T>,
          update_boundary<T>, update_coupled<T>, read_coupled<T>, energy<T>, triad<T>};
}

template <class T, int M>
RowFunctions<T> leggy() {
  RowFunctions<T> functions = rows<T>();
  functions.leap = leap_leggy<T, M, true>;
  functions.apply = nullptr;
  if constexpr (M > 0 && M < min_two_pass_legs) functions.apply = apply_leggy<T, M>;
  // For M = 1 pieces are as fast as whole rows.
  if constexpr (M != 1) functions.leap_whole_rows = leap_leggy<T, M, false>;
  return functions;
}

template <class T, Shape shape>
RowFunctions<T> shared() {
  RowFunctions<T> functions = rows<T>();
  // A shift stays within two vectors.
  if constexpr (radius_of(shape) <= Simd<T, T>::n) {
    functions.leap = leap_shared<T, shape>;
    functions.layers = 2;
  }
  if constexpr (radius_of(shape) <= Simd<T, double>::n) functions.apply = apply_shared<T, shape>;
  return functions;
}

template <class T>
RowFunctions<T> sliding_shape(Shape shape) {
  switch (shape) {
    case Shape::none:
      break;
    case Shape::up_to_110:
      return shared<T, Shape::up_to_110>();
    case Shape::up_to_111:
      return shared<T, Shape::up_to_111>();
    case Shape::up_to_211:
      return shared<T, Shape::up_to_211>();
    case Shape::up_to_222:
      return shared<T, Shape::up_to_222>();
    case Shape::up_to_300:
      return shared<T, Shape::up_to_300>();
    case Shape::up_to_333:
      return shared<T, Shape::up_to_333>();
    case Shape::up_to_400:
      return shared<T, Shape::up_to_400>();
  }
  return rows<T>();
}

template <class T>
RowFunctions<T> sliding_legs(int legs) {
  switch (legs) {
    case 1:
      return leggy<T, 1>();
    case 2:
      return leggy<T, 2>();
    case 3:
      return leggy<T, 3>();
    case 4:
      return leggy<T, 4>();
    case 5:
      return leggy<T, 5>();
    case 6:
      return leggy<T, 6>();
    case 7:
      return leggy<T, 7>();
    case 8:
      return leggy<T, 8>();
    default:
      return leggy<T, 0>();
  }
}

template <class T>
RowFunctions<T> sliding(const RowStencil<T>& stencil) {
  if (stencil.legs == 0) return sliding_shape<T>(stencil.shape);
  RowFunctions<T> functions = sliding_legs<T>(stencil.legs);
  if (stencil.legs < min_two_pass_legs) return functions;
  TwoPassFunctions<T> made;
  if constexpr (sizeof(T) == sizeof(float)) {
    made = FDTD_ISA::two_pass_f32(stencil.legs);
  } else {
    made = FDTD_ISA::two_pass_f64(stencil.legs);
  }
  functions.apply = made.apply;
  if (stencil.axes < 3) return functions;
  functions.leap = made.leap;
  functions.layers = 2;
  if (stencil.legs <= max_whole_row_legs) return functions;
  functions.leap_whole_rows = made.leap_whole_rows;
  functions.whole_rows_layers = 2;
  return functions;
}

}  // namespace

namespace FDTD_ISA {
RowFunctions<float> rows_f32(const RowStencil<float>&) { return rows<float>(); }
RowFunctions<double> rows_f64(const RowStencil<double>&) { return rows<double>(); }
RowFunctions<float> sliding_f32(const RowStencil<float>& stencil) { return sliding(stencil); }
RowFunctions<double> sliding_f64(const RowStencil<double>& stencil) { return sliding(stencil); }
}  // namespace FDTD_ISA

}  // namespace fdtd::cpu

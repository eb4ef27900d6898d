// Directivity by derivatives of the pressure in space.
//
// Of a plane wave that arrives from direction s, p(t + s.x/c), a homogeneous polynomial P of degree n in d/dx, d/dy,
// d/dz gives P(s) d^n p / dt^n / c^n. So n integrations over time, times c^n, give P(s) p: a microphone of directivity
// P. With solid harmonics for P that is ambisonics; by reciprocity the weights of a source radiate P(s) towards s in
// the far field. (B. Rafaely, Fundamentals of Spherical Array Processing, 2015; AmbiX: C. Nachbar et al., Ambisonics
// Symposium 2011.)
#pragma once

#include <array>
#include <string>
#include <vector>

namespace fdtd {

struct DerivativeTerm {
  std::array<int, 3> powers{};  // of d/dx, d/dy, d/dz
  double coefficient = 0.0;
  bool operator==(const DerivativeTerm&) const = default;
};
using FieldOperator = std::vector<DerivativeTerm>;  // terms of one degree; empty: the pressure itself

int degree(const FieldOperator& operation);
double value(const FieldOperator& operation, const std::array<double, 3>& s);  // P(s); 1 for the pressure

// The real solid harmonic with ambisonic channel number `acn` (0..99), SN3D: 1; y, z, x; sqrt 3 xy, ... In the scene's
// axes: x to the front, y to the left, z up. Throws std::invalid_argument for other numbers.
FieldOperator solid_harmonic(int acn);
// `acn` of a solid harmonic of order 4 to 9; throws std::invalid_argument for other operations.
int harmonic_channel(const FieldOperator& operation);

// cos of the angle to `direction` (of any length above 0).
FieldOperator figure_eight(const std::array<double, 3>& direction);

}  // namespace fdtd

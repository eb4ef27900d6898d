// The sound that an edge bends into its shadow: the uniform theory of diffraction of a wedge (R. G. Kouyoumjian,
// P. H. Pathak, "A uniform geometrical theory of diffraction for an edge in a perfectly conducting surface", Proc. IEEE
// 62, 1974), its faces hard, or with their reflection coefficients as factors of the terms of reflected sound (R. J.
// Luebbers, "Finite conductivity uniform GTD versus knife edge diffraction in prediction of propagation path loss",
// IEEE Trans. Antennas Propag. 32, 1984).
#pragma once

#include <array>
#include <complex>
#include <cstdint>

namespace fdtd {

// How a path bends at an edge. Angles are about the edge from the face that the source's side of it ends at, through
// air; face 0 is this one, face 1 lies at `opening`.
struct EdgeBend {
  double opening = 0.0;   // radians, of the air; of a sheet, 2 pi
  double source = 0.0;    // radians
  double receiver = 0.0;  // radians
  double distance = 0.0;  // m: a b sin^2 / (a + b), a and b the legs, sin that of their angle with the edge
  std::array<std::uint32_t, 2> faces{};  // facets
  std::array<double, 2> cosines{};       // of the angles at which the source meets face 0, and the receiver face 1
};

// exp(z^2) erfc(z) at z = sqrt(x) exp(i pi / 4), x >= 0, to 1e-12. The transition function F(x) of Kouyoumjian and
// Pathak is sqrt(pi x) exp(i pi / 4) times this.
std::complex<double> edge_transition(double x);

// The pressure of the path over that of direct sound of its length, without its delay. `wave_number` in rad/m;
// `reflections`: of face 0 and face 1.
std::complex<double> edge_factor(const EdgeBend& bend, double wave_number,
                                 const std::array<std::complex<double>, 2>& reflections);

}  // namespace fdtd

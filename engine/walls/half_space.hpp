// A wall on the discrete half-space: the exact reflection of the scheme, at normal or oblique incidence.
//
// The wall reads sum b_j u_j over the nodes 0, 1, ... in front of it (`taps` b, sum 1) and acts back on them with the
// same weights. At frequency w = omega T and fixed transverse wave numbers the scheme is one-dimensional along the
// wall's normal. The wall, a discrete impedance Z_d on the last node, then reflects R = 1 - 2 a/(Z_d + W): W is the
// impedance that the half-space presents to the wall (its propagating and all its evanescent waves), a the part of the
// incident wave. With one propagating wave W = a - iX and R = (Z_d - a - iX)/(Z_d + a - iX): exact reflection for a
// wall impedance Z means Z_d = a Z + iX. Time dependence exp(i w n).
#pragma once

#include <array>
#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "engine/plan/boundary.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// s(k) = centre + 2 sum of weights[m - 1] cos(m k), k in radians per cell along the normal.
struct NormalSymbol {
  double centre = 0.0;
  std::vector<double> weights;
  double courant = 0.0;  // of the normal's axis
  double operator()(double k) const;
  double slope(double k) const;  // ds/dk
};

// The stencil's symbol along `axis` at transverse wave numbers (radians per cell) of the two other axes, in their
// order.
NormalSymbol normal_symbol(const GridStencil& stencil, int axis, std::array<double, 2> transverse = {0.0, 0.0});

inline constexpr std::array<double, 1> one_tap = {1.0};

struct IncidentWave {
  double k = 0.0;         // along the normal, radians per cell
  double velocity = 0.0;  // group velocity along the normal over c
};

// nullopt when no wave of frequency w propagates along the normal.
std::optional<IncidentWave> incident_wave(const NormalSymbol& symbol, double omega);

struct HalfSpace {
  double omega = 0.0;  // w = omega T, 0 < w < pi
  double k = 0.0;      // of the incident wave along the normal, radians per cell
  double coupling =
      0.0;  // a = b(k)^2 / v_g: b(k) = sum b_j cos(k (j + 1/2)), v_g the group velocity along the normal over c
  std::complex<double> impedance;  // W
};

// nullopt when no wave of that frequency propagates along the normal.
std::optional<HalfSpace> half_space(const NormalSymbol& symbol, double omega, std::span<const double> taps = one_tap);

// The impedance of a law at w by the trapezoidal rule: inertance s + 1/sum 1/(D s + E + F/s), s = 2 i tan(w/2).
std::complex<double> discrete_impedance(const WallLaw& law, double omega);

// Reflection coefficient of a plane wall half a cell behind the last nodes, at the wall's plane. `area`: area factor of
// the faces.
std::complex<double> reflection(const HalfSpace& space, std::complex<double> wall_impedance, double area = 1.0);
// Fraction of the incident wave's power that the wall absorbs: 1 - |R|^2 where only one wave propagates.
double absorption(const HalfSpace& space, std::complex<double> wall_impedance, double area = 1.0);

}  // namespace fdtd

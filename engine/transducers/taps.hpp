// Taps: a source or receiver position as weights on nodes of the grid.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "scenes/voxels.hpp"

namespace fdtd {

// Weights of the Lagrange polynomial through `points` nodes around `at` (in spacings from node 0): nodes first,
// first + 1, ...; the weights sum to 1. A position within 1e-6 of a node is on it.
struct AxisWeights {
  int first = 0;
  std::vector<double> weights;
};
AxisWeights lagrange(double at, int points);
// Weights for the derivative of that order, per spacing^order; order < points. B. Fornberg, "Generation of finite
// difference formulas on arbitrarily spaced grids", Math. Comp. 51 (1988).
AxisWeights lagrange_derivative(double at, int points, int order);
inline constexpr int tap_points = 8;          // default of make_tap
inline constexpr int derivative_points = 12;  // with an operation: derivatives need more points
inline int points_of(const FieldOperator& operation) { return operation.empty() ? tap_points : derivative_points; }

// A tap at `position` (m): tensor product of Lagrange polynomials through `points` nodes along each axis (the planner
// uses 8: -0.2 dB at half the grid's bandwidth, against -3 dB of trilinear weights), for spacings that may differ by
// axis. The weights sum to 1; sources and receivers use the same weights, so that they may be exchanged (reciprocity).
//
// Nodes of the polynomial behind a wall are replaced by their mirror images: the ends of walks from the voxel that
// contains the point, axis by axis, averaged over the orders of the axes, each face between air and wall a mirror. In a
// box that is interpolation of the mirrored field; beside inner walls no weight lies behind a wall, however thin; nor
// behind a surface without thickness, with `cut`, whose closed passages are mirrors, too.
//
// Throws Error (status scene) when the point is in no air voxel, with the nearest air and its distance. A point on a
// face belongs to the air voxel beside it.
Tap make_tap(const std::string& name, const std::array<double, 3>& position, const Grid& grid, const AirMask& air,
             int points = tap_points, const CutVoxels* cut = nullptr);

// A tap that reads derivatives of the field, or radiates them; the weights sum to 0.
Tap make_tap(const std::string& name, const std::array<double, 3>& position, const Grid& grid, const AirMask& air,
             const FieldOperator& operation, int points = derivative_points, const CutVoxels* cut = nullptr);

struct NearestAir {
  std::array<double, 3> position{};  // m; on the surface of a voxel, or the given point
  double distance = 0.0;             // m
};

// The point in air nearest to `position` (m, finite). Throws Error (status scene) when the room has no air.
NearestAir nearest_air(const std::array<double, 3>& position, const Grid& grid, const AirMask& air);

}  // namespace fdtd

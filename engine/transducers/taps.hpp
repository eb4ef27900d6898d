// Sources and receivers on the grid: a point of the room as weights on nodes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "scenes/voxels.hpp"

namespace fdtd {

// Lagrange polynomials through `points` nodes around `at` (in steps from node 0): nodes first, first + 1, ...; the weights sum
// to 1. A place within 1e-6 of a node is on it.
struct AxisWeights {
  int first = 0;
  std::vector<double> weights;
};
AxisWeights lagrange(double at, int points);
// The same for the derivative of that order, per step to its power; B. Fornberg, "Generation of finite difference formulas on
// arbitrarily spaced grids", Math. Comp. 51 (1988). order < points.
AxisWeights lagrange_derivative(double at, int points, int order);
inline constexpr int tap_points = 8;          // what make_tap takes without being told
inline constexpr int derivative_points = 12;  // and with an operation: derivatives need more
inline int points_of(const FieldOperator& operation) { return operation.empty() ? tap_points : derivative_points; }

// A tap at `position` (m): tensor product of Lagrange polynomials through `points` nodes an axis (8 is what the planner
// takes: -0.2 dB at half the grid's bandwidth where trilinear weights lose 3 dB; numerics: 7), for steps that may differ
// by axis. Weights sum to 1; sources and receivers take the same ones, so that source and receiver may be exchanged.
//
// Nodes that the polynomial wants behind a wall are read at their mirror images: walks from the voxel that holds the
// point, axis after axis, averaged over the orders of the axes, each face between air and wall a mirror. In a box that is
// interpolation of the mirrored field; beside inner walls no weight ever lands behind one, however thin.
//
// Throws Error (status scene) when no air voxel holds the point, naming the nearest air and its distance. A point on a
// face belongs to the air voxel beside it.
Tap make_tap(const std::string& name, const std::array<double, 3>& position, const Grid& grid, const AirMask& air,
             int points = tap_points);

// A tap that reads derivatives of the field instead, or radiates them; weights sum to 0.
Tap make_tap(const std::string& name, const std::array<double, 3>& position, const Grid& grid, const AirMask& air,
             const FieldOperator& operation, int points = derivative_points);

struct NearestAir {
  std::array<double, 3> position{};  // m, on the voxel's surface or the given point itself
  double distance = 0.0;             // m
};

// The point of air next to `position` (m, finite). Throws Error (status scene) when there is no air at all.
NearestAir nearest_air(const std::array<double, 3>& position, const Grid& grid, const AirMask& air);

}  // namespace fdtd

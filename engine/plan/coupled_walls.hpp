// Sites of two walls at an edge, or of three in a corner, that read the same nodes (walls/tap_owners.hpp). Their
// equations are solved together, exactly, so that the field loses the energy of the sites' own passive laws, whatever
// nodes they share. With f the force of a site alone (boundary.hpp) and g = Q/((1 + Q) |a|^2), Q of NodeCoefficients,
// the force in front of walls across x, y and z with taps a, b and c is
//   F^x_jk = f^x_jk - g^x_jk (b_j Y_k + c_k Z_j),   Y_k = sum_i a_i F^y_ik,   Z_j = sum_i a_i F^z_ij:
// beside 3 J^2 sites there are only the 6 J sums of kind Y and Z to solve for, 2 at an edge (the plane of nodes
// perpendicular to it). The inverse of that small matrix, the same along a whole edge, is computed once, in double.
// Sites may have different materials and areas, and some may be absent. Derivation: docs/explanation/impedance.md,
// section 3.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/plan/boundary.hpp"

namespace fdtd {

inline constexpr std::uint32_t no_member = std::numeric_limits<std::uint32_t>::max();
inline constexpr int coupled_lanes = 8;  // sites side by side: as many as a wall reads nodes

struct CoupledWall {
  int axis = 0, inward = 0;
  std::vector<double> taps;
  // Index into Boundary::nodes of the site at each place, lane + coupled_lanes * row, or no_member. At an edge: one
  // row, the lanes along the other wall's taps. In a corner the lanes lie along the lower of the two other axes.
  int rows = 1, lanes = 0;
  std::vector<std::uint32_t> site;
};

struct CoupledGroup {
  std::uint64_t origin = 0;        // the node in the edge or corner
  std::vector<CoupledWall> walls;  // two or three, by axis
};

// Group g of a boundary on a grid of this size. Throws std::logic_error if its sites are not those of an edge or a
// corner.
CoupledGroup coupled_group(const Boundary& boundary, std::size_t g, const std::array<int, 3>& size);

// The unknown sums of a group, in this order, coupled_lanes values each (1 at an edge): over the taps of wall x of the
// forces of wall y (by k) and of wall z (by j), over those of y of x (by k) and z (by i), over those of z of x (by j)
// and y (by i); at an edge over the taps of its first wall of the forces of the second, and the reverse.
constexpr int coupled_unknowns(int walls) { return walls == 2 ? 2 : 6 * coupled_lanes; }

// The inverse matrix, coupled_unknowns squared row by row, given g above at each place of each wall, 0 where there is
// no site.
std::vector<double> coupling_inverse(const CoupledGroup& group, const std::array<std::vector<double>, 3>& responses);

// g of boundary node `node`, which has one site.
double coupled_response(const Boundary& boundary, std::size_t node, const std::vector<double>& admittances);

// Whether boundary node i belongs to a group, for all of them.
std::vector<bool> coupled_nodes(const Boundary& boundary);

}  // namespace fdtd

// Impedance at the boundary faces: every wall law is a set of parallel passive branches behind a series inertance,
// discretised by the trapezoidal rule. docs/explanation/impedance.md derives it and proves its stability.
//
// Units: time in steps T. A law at one face, with W the sum of its branch velocities V_b and p the pressure drop across
// the branches (inertance in steps):
//   inertance (W+ - W-) + p = (u+ - u-)/2,
// u+ and u- one step after and before, and V_b+ = beta_b (pull_b + p), pull_b known before the step
// (branch_equation.hpp). The update subtracts from a node the sum over its sites of weight (W+ + W-)/2, with weight =
// lambda_axis times area (summed over its faces with that law), divided by the node's mass.
//
// With beta = sum beta_b, A = sum beta_b pull_b: p = ((u+ - u-)/2 - inertance (A - W-)) / (1 + inertance beta).
// A law with several taps reads the pressure in the wall's plane, q = sum b_j u_j over the site's node and the nodes
// behind it, node + j * inward along the axis, and acts back with the same weights: q replaces u above, and the update
// subtracts b_j times the site's term from node j. So q+ is computed as u+ of a single node whose weight is
// weight * |b|^2, and from the values r_j that S alone gives follows u_j+ = r_j + b_j (q+ - sum b_i r_i)/|b|^2. The
// nodes of such a site have mass 1. Where walls meet at edges and in corners, sites of several walls read the same
// nodes: they form a group, whose equations are solved together (coupled_walls.hpp). No other node belongs to two
// sites: all groups and sites can be updated in parallel once r_j is known. Stored energy of a site: weight (inertance
// W^2/2 + that of its branches); dissipated in a step: weight times that of its branches. Both are >= 0 for passive
// branches, inertance >= 0 and any lambda: walls never lower the Courant limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/plan/branch_equation.hpp"

namespace fdtd {

// The law of one material on faces across one axis.
struct WallLaw {
  double inertance = 0.0;           // in steps, in series with all branches: the half cell between node and wall
  std::vector<LawBranch> branches;  // not empty: a rigid wall has no law
  int material = 0;                 // of Plan::materials
  int axis = 0;
  std::vector<double> taps{1.0};  // b, sum 1
  int inward = 0;                 // with several taps: direction from the wall into the room, +1 or -1
};

struct BoundarySite {
  std::uint32_t law = 0;
  double weight = 0.0;  // sum of lambda_axis * area over the node's faces with this law
};

struct Boundary {
  std::vector<WallLaw> laws;
  // With at least one site, ascending; several times where sites of a group begin at the same node, by law then.
  std::vector<std::uint64_t> nodes;
  std::vector<std::uint32_t> site_begin{0};  // sites of nodes[i]: [site_begin[i], site_begin[i+1]), ordered by law
  std::vector<BoundarySite> sites;
  std::vector<double> inverse_mass;  // by node; empty: all 1
  // State of site s: branches b of its law hold V and G at branch_begin[s] + b.
  std::vector<std::uint64_t> branch_begin{0};  // sites + 1
  // Indices into `nodes` of sites that are solved together: of group g coupled[coupled_begin[g]] and on, ascending.
  std::vector<std::uint32_t> coupled, coupled_begin{0};
  std::int64_t bytes() const;
  std::size_t groups() const { return coupled_begin.size() - 1; }
};

// Coefficients of a law; those of its branches are appended to `branches`. T: float or double.
template <class T>
LawCoefficients<T> coefficients_of(const WallLaw& law, std::vector<BranchCoefficients<T>>& branches);

// beta/(1 + inertance beta): half of it is the change of W+ for a unit change of u+.
double admittance_of(const WallLaw& law);

// |b|^2: the sum of the squares of a law's taps.
double squared_norm_of_taps(const WallLaw& law);

// Of nodes[node]; `admittances`: admittance_of every law of the boundary.
NodeCoefficients<double> coefficients_of_node(const Boundary& boundary, std::size_t node,
                                              const std::vector<double>& admittances);

}  // namespace fdtd

// Groups of coupled sites (coupled_walls.hpp) as tables that both backends hold: what groups along an edge have in
// common is a kind.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/plan/coupled_walls.hpp"

namespace fdtd {

// Constants of the sites of a row, coupled_lanes values each; a place without a site has scale 1 and zeros.
enum class CoupledConstant { Q, scale, loss, weight, response, A_part, W_part, inertance, series, count };
inline constexpr int coupled_constants = static_cast<int>(CoupledConstant::count);
inline constexpr int coupled_rules = branch_coefficients;  // of a branch, coupled_lanes values each

template <class T>
struct CoupledWallTable {
  int axis = 0, inward = 0, taps = 0;
  int rows = 1, branches = 0;  // branches: the most of a site
  std::array<T, coupled_lanes> tap{};
  T square{}, inverse_square{};
  std::vector<T> constants;        // row by row
  std::vector<T> rules;            // row by row, branch by branch
  std::vector<double> E;           // row by row, branch by branch: coupled_lanes values
  std::vector<std::uint32_t> law;  // of every place, or no_member
  std::size_t places() const { return law.size(); }
};

template <class T>
struct CoupledKindTable {
  std::vector<CoupledWallTable<T>> walls;
  std::vector<T> inverse;  // of the coupling, column by column
  // Whether a site of the group reads node (i, j, k) along the first, second and third wall's taps, at i + coupled_lanes
  // (j + coupled_lanes k): nodes that none reads may belong to others, which are updated at the same time.
  std::vector<std::uint8_t> own;
  bool whole = true;  // all of them are
};

template <class T>
struct CoupledTables {
  std::vector<CoupledKindTable<T>> kinds;
  std::vector<std::uint32_t> kind;           // by group
  std::vector<std::uint64_t> origin;         // by group
  std::vector<std::uint64_t> site_begin{0};  // by group, into:
  std::vector<std::uint32_t> sites;          // boundary node at each place, wall after wall, or no_member
};

template <class T>
CoupledTables<T> coupled_tables(const Boundary& boundary, const std::array<int, 3>& size);

}  // namespace fdtd

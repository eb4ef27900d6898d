// Modes of rooms that no grid fits, spheres and discs, from the operator that the program runs, beside the exact ones.
#pragma once

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <array>
#include <vector>

#include "engine/plan/near_wall.hpp"
#include "engine/voxels/voxelise_mesh.hpp"
#include "scenes/mesh/mesh.hpp"
#include "stencils/stencil.hpp"

namespace fdtd::test {

struct Mode {
  double z = 0.0;  // wave number times radius
  int order = 0, turn = 0;
  bool operator<(const Mode& other) const { return z < other.z; }
};

// Zeros z < highest of the derivative of spherical Bessel functions, 2 l + 1 modes each, ascending; without the constant.
std::vector<Mode> sphere_modes(double highest);
// Of Bessel functions, two modes each but for order 0.
std::vector<Mode> disc_modes(double highest);

inline double cents(double found, double exact) { return 1200.0 * std::log2(found / exact); }

// Mean, mean square and largest magnitude of errors.
struct Spread {
  double mean = 0.0, rms = 0.0, most = 0.0;
  int count = 0;
};
Spread spread_of(const std::vector<double>& values);

// Of every mode in turn, in cents. `decay` holds, where a resistive wall damps modes, the decay to first order in its
// admittance over the exact one.
struct ModeErrors {
  std::vector<Mode> modes;
  std::vector<double> cents, decay;
  double volume = 0.0, area = 0.0;  // of the room on the grid, over the exact ones
};

// A rigid sphere of that radius in cells, modes up to `highest` (wave number times radius); `single`: rows of a float
// kernel. `time_error`: frequencies with the error of the time step, which weights that match space and time together
// balance.
ModeErrors sphere_errors(const GridStencil& stencil, const std::array<double, 3>& centre, double radius, double highest,
                         bool time_error, bool single = false);
// A cylinder one cell high.
ModeErrors disc_errors(const GridStencil& stencil, const std::array<double, 2>& centre, double radius, double highest);

// `mesh` on a grid of spacing 1 just around it.
MeshGrid grid_around(const Mesh& mesh);

}  // namespace fdtd::test

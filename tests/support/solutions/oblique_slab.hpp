// Waves between two parallel planes that no grid fits, beside the exact ones: what oblique walls absorb.
//
// A normal of whole numbers n makes the grid between the planes periodic along them, and nodes of the same n . p are
// images of each other: a wave exp(i k_t . p) along the planes is a problem in one dimension, with as many unknowns as
// there are values of n . p. Its rows are those of the program, taken far from the sides of a large slab.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include "engine/plan/near_wall.hpp"
#include "engine/plan/voxels.hpp"
#include "scenes/mesh/mesh.hpp"
#include "stencils/stencil.hpp"

namespace fdtd::test {

class ObliqueSlab {
 public:
  // The planes n . p = offset and offset + thickness |n|, in voxels. The components of n have no common divisor.
  // `across`: half the width of the slab along its planes, in voxels.
  ObliqueSlab(const GridStencil& stencil, const std::array<int, 3>& normal, double thickness, double offset,
              double across = 15.0);

  // A wave with `half_waves` between the planes and k along them, in radians a voxel.
  struct Wave {
    double k_n = 0.0, k_t = 0.0;
    double cents = 0.0;  // of the operator's wave number, space alone
    double decay = 0.0;  // to first order in a real admittance of both walls, over the exact one
  };
  // `along`: a vector of length 1 along the planes (along_planes).
  Wave wave(int half_waves, double k_t, const std::array<double, 3>& along) const;
  // At an angle in the planes, from the direction in which one component is 0.
  std::array<double, 3> along_planes(double angle) const;

  double thickness() const { return thickness_; }
  std::array<double, 3> normal() const;  // of length 1
  double volume() const;                 // over the exact ones
  double area() const;
  // The walls' area of each unknown, which wave() reads.
  std::vector<double>& walls() { return walls_; }
  const std::vector<double>& depths() const { return depths_; }  // of each unknown, in voxels from the first plane

 private:
  struct Entry {
    int to = 0;
    std::array<int, 3> offset{};
    double weight = 0.0;
  };
  std::array<int, 3> normal_;
  double length_, thickness_, offset_, courant_;
  std::vector<double> masses_, walls_, depths_;
  std::vector<std::vector<Entry>> rows_;  // of M (2 - S)
};

}  // namespace fdtd::test

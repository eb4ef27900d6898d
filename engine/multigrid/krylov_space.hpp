// The slow part of the exponential of an operator, by Lanczos on its inverse.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fdtd::multigrid {

struct KrylovOptions {
  int vectors = 8;          // at most
  double tolerance = 1e-6;  // of each solve
  int most = 100;           // iterations of each solve
  double least = 1e-9;      // what a further vector must add, as a fraction of the first one's
};

// Vectors that are orthonormal in the inner product of the mass M; the first is x = A^-1 b over its norm. `projected`
// is V^T M A^-1 M V, V the vectors in columns; its upper triangle is filled, entry (i, j) at i + vectors j.
struct KrylovSpace {
  std::vector<double> start;                // x, of every node
  double norm = 0.0;                        // of x
  int size = 0;                             // of the space, at most `vectors`; 0 where x is 0
  int vectors = 0;                          // as asked for
  std::vector<double> projected;            // vectors x vectors
  std::vector<std::vector<double>> values;  // by vector: at the nodes that were asked for
  int iterations = 0;                       // of all solves
};

}  // namespace fdtd::multigrid

// A multigrid cycle: its shape, its smoother, and the trilinear element that both solvers use.
//
// Smoothing steps are u <- u + step D^-1 (b - A u), D the diagonal: damped Jacobi with one step for all, or Chebyshev's,
// whose polynomial is the smallest on [limit / ratio, limit]; `limit` bounds the eigenvalues of D^-1 A. For trilinear
// elements that are cubes limit is 3/2, and errors that coarser levels cannot hold lie above 1/2: a ratio of 3, at which a
// Jacobi sweep damps by 1/2 and two Chebyshev steps by 1/7 (W. Briggs, V. Henson, S. McCormick, A Multigrid Tutorial,
// 2000; M. Adams, M. Brezina, J. Hu, R. Tuminaro, Parallel multigrid smoothing: polynomial versus Gauss-Seidel, J.
// Comput. Phys. 188, 2003).
#pragma once

#include <array>
#include <vector>

namespace fdtd::multigrid {

enum class Smoother { jacobi, chebyshev };

struct Cycle {
  int visits = 1;  // of the next coarser level: 1, a V-cycle; 2, a W-cycle
  int sweeps = 2;  // before and after each visit
  Smoother smoother = Smoother::chebyshev;
};

inline constexpr double eigenvalue_ratio = 3.0;

// The steps of one smoothing, in the order before a coarser level is visited; the reverse order after it keeps the cycle
// symmetric, as conjugate gradients need it.
std::vector<float> smoothing_steps(const Cycle& cycle, double limit);

// Stiffness between two corners of a trilinear element of sides h that differ by (dx, dy, dz), at |dx| + 2|dy| + 4|dz|:
// integral of grad phi_a . grad phi_b.
std::array<double, 8> element_stiffness(const std::array<double, 3>& h);

// Bound of the eigenvalues of D^-1 A for any mask of such elements: the largest of one element's (its eigenvectors are
// the signs of the corners). More on the diagonal does not raise it.
double eigenvalue_limit(const std::array<double, 8>& stiffness);

}  // namespace fdtd::multigrid

// A stencil of the two-step scheme u^{n+1} = S u^n - u^{n-1}: its points, its weights, its Courant number.
//
// S is symmetric under the 48 symmetries of the cube, so the points come in shells: all permutations and sign changes
// of one (q1, q2, q3). With K = 2I - S the scheme is stable exactly when 0 <= K <= 4, and a Courant number lambda'
// below the stencil's own lambda is reached by K -> (lambda'/lambda)^2 K, for every family. Families: B. Hamilton, C.
// J. Webb, A. Gray, S. Bilbao, "Large stencil operations for GPU-based 3-D acoustics simulations", DAFx-15.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fdtd {

class RadialSymbol;  // frequency_map.hpp

// All points (+-q_i, +-q_j, +-q_k) for every permutation; q1 >= q2 >= q3 >= 0, q1 >= 1.
struct Shell {
  int q1 = 1, q2 = 0, q3 = 0;
  bool operator==(const Shell&) const = default;
};
int point_count(Shell shell);                   // 6, 8, 12, 24 or 48
std::vector<std::array<int, 3>> points(Shell);  // every point once, in lexicographic order

enum class Family { leggy, compact, box, user };
const char* to_string(Family family);

// The construction that keeps a stencil stable at walls, in any voxelised room.
enum class WallProof {
  run_fold,  // leggy: S is a sum over axes, the fold keeps each axis's spectrum; any weights
  all_mask,  // symmetrised fold with the certificate over all triples of contractions
  block      // neither: the block construction, from a Gram matrix of K
};
const char* to_string(WallProof proof);

struct Stencil {
  std::string name;     // "leggy-4/taylor"
  std::string variant;  // "taylor"
  Family family = Family::leggy;
  std::vector<Shell> shells;
  double centre = 2.0;                   // weight of S at the node itself
  std::vector<double> weights;           // of S, one a shell, at Courant number `courant`
  double courant = 0.0;                  // the one that the weights are for; it is never exceeded
  double courant_limit = 0.0;            // largest of K scaled under the same proof, >= courant (off the axes: courant)
  bool time_dispersion_removal = false;  // designed for it: weights match space alone
  std::shared_ptr<const RadialSymbol> radial;  // designed for a symbol that is a function of |k|; null: none
  int order = 2;                               // order of accuracy in space and time together (space alone for `warp`)
  WallProof proof = WallProof::run_fold;
  std::string source;  // where the weights come from

  int radius() const;       // largest coordinate of a point
  int point_count() const;  // K, the centre included
};

// The same stencil at a Courant number 0 < courant <= courant_limit; throws std::invalid_argument above it.
Stencil at_courant(const Stencil& stencil, double courant);

// ---- on a grid ---------------------------------------------------------------------------------------------------
// One weight for a point and its mirror images: the distinct points among (+-a, +-b, +-c), a, b, c >= 0.
struct Term {
  std::array<int, 3> offset{};
  double weight = 0.0;
  bool operator==(const Term&) const = default;
};
int image_count(const Term& term);  // 2, 4 or 8

// S on a grid whose steps may differ by axis: S u = centre u + sum over terms and images of weight u(. + image).
// Shells are written out as terms by permutation. Only leggy stencils may have three different Courant numbers.
struct GridStencil {
  Family family = Family::leggy;
  std::array<double, 3> courant{};  // lambda_d = c T / h_d
  int radius = 0;
  double centre = 2.0;
  std::vector<Term> terms;                // leggy: x, y, z of m = 1, then of m = 2, ...; else shell by shell
  WallProof proof = WallProof::run_fold;  // the stencil's; `block` above the Courant number of its certificate
  int point_count() const;
};

// `stencil` at Courant numbers courant[d] = c T / h_d. Unequal ones scale a leggy stencil axis by axis,
// (courant[d]/stencil.courant)^2, and are refused (std::invalid_argument) for the others. An axis of Courant number 0
// has no waves and no weights: a room one cell across.
GridStencil on_grid(const Stencil& stencil, std::array<double, 3> courant);

// By how much the weights of a float kernel sum to less than 2. At exactly 2 nothing restores the mean pressure of a
// closed room, and the rounding errors of the steps, integrated twice, make it drift as n^1.5; with a sum of 2 - d it
// oscillates at sqrt(d) radians a step.
inline constexpr double float_sum_margin = 0x1p-26;

// Weights as a float kernel holds them: every weight rounded to float, then the centre lowered by ulps until the sum
// of all weights, added in double, is not above 2 - float_sum_margin: the field then neither grows at zero frequency
// (with a sum above 2 it grows as exp(sqrt(excess) n)) nor drifts.
GridStencil rounded_to_float(const GridStencil& stencil);

}  // namespace fdtd

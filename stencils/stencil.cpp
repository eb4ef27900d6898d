#include "stencils/stencil.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "stencils/radial.hpp"

namespace fdtd {
namespace {

// Two ways to compute a Courant number differ in the last digits; such an excess over the limit is accepted.
constexpr double rounding = 1e-12;

void require_courant(double courant, const Stencil& stencil) {
  if (!(courant > 0.0)) throw std::invalid_argument("the Courant number must be positive");
  if (!(courant <= stencil.courant_limit * (1.0 + rounding))) {
    throw std::invalid_argument(stencil.name + " is not stable at Courant number " + std::to_string(courant) +
                                ": its limit is " + std::to_string(stencil.courant_limit));
  }
}

// The distinct permutations of (q1, q2, q3), largest first: x before y before z for an axial shell.
std::vector<std::array<int, 3>> permutations(Shell shell) {
  std::array<int, 3> p{shell.q1, shell.q2, shell.q3};
  std::sort(p.begin(), p.end(), std::greater<>{});
  std::vector<std::array<int, 3>> all;
  do {
    all.push_back(p);
  } while (std::prev_permutation(p.begin(), p.end()));
  return all;
}

double sum_of_terms(const std::vector<Term>& terms) {
  double sum = 0.0;
  for (const Term& term : terms) sum += image_count(term) * term.weight;
  return sum;
}

}  // namespace

int point_count(Shell shell) {
  int count = 0;
  for (const auto& p : permutations(shell)) count += image_count({p, 0.0});
  return count;
}

std::vector<std::array<int, 3>> points(Shell shell) {
  std::vector<std::array<int, 3>> all;
  for (const auto& p : permutations(shell)) {
    for (int x : {-p[0], p[0]}) {
      for (int y : {-p[1], p[1]}) {
        for (int z : {-p[2], p[2]}) all.push_back({x, y, z});
      }
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

const char* to_string(Family family) {
  switch (family) {
    case Family::leggy:
      return "leggy";
    case Family::compact:
      return "compact";
    case Family::box:
      return "box";
    case Family::user:
      return "user";
  }
  return "?";
}

const char* to_string(WallProof proof) {
  switch (proof) {
    case WallProof::run_fold:
      return "run-fold";
    case WallProof::all_mask:
      return "all-mask";
    case WallProof::block:
      return "block";
  }
  return "?";
}

int Stencil::radius() const {
  int radius = 0;
  for (const Shell& shell : shells) radius = std::max(radius, shell.q1);
  return radius;
}

int Stencil::point_count() const {
  int count = 1;
  for (const Shell& shell : shells) count += fdtd::point_count(shell);
  return count;
}

Stencil at_courant(const Stencil& stencil, double courant) {
  require_courant(courant, stencil);
  Stencil scaled = stencil;
  const double ratio = courant / stencil.courant, factor = ratio * ratio;
  scaled.courant = courant;
  scaled.centre = 2.0 - factor * (2.0 - stencil.centre);
  for (double& weight : scaled.weights) weight *= factor;
  return scaled;
}

int image_count(const Term& term) {
  int images = 1;
  for (int a : term.offset) images *= a == 0 ? 1 : 2;
  return images;
}

int GridStencil::point_count() const {
  int count = 1;
  for (const Term& term : terms) count += image_count(term);
  return count;
}

GridStencil on_grid(const Stencil& stencil, std::array<double, 3> courant) {
  const bool cubic = courant[0] == courant[1] && courant[1] == courant[2];
  if (!cubic && stencil.family != Family::leggy) {
    throw std::invalid_argument(stencil.name + " needs equal grid steps: only leggy stencils take one step an axis");
  }
  for (double c : courant) {
    if (!(c >= 0.0)) throw std::invalid_argument("a Courant number cannot be negative");
  }
  // A leggy K is a sum over axes, each scaled by lambda_d^2: the maxima of the axes add, so the limit is on the mean
  // square.
  const double mean_square = (courant[0] * courant[0] + courant[1] * courant[1] + courant[2] * courant[2]) / 3.0;
  require_courant(cubic ? courant[0] : std::sqrt(mean_square), stencil);

  GridStencil grid;
  grid.family = stencil.family;
  grid.courant = courant;
  grid.radius = stencil.radius();
  grid.proof = stencil.proof;
  if (stencil.proof != WallProof::run_fold) {
    const double certified = stencil.proof == WallProof::all_mask ? stencil.courant : certified_courant(stencil);
    grid.proof = courant[0] > certified * (1.0 + rounding) ? WallProof::block : WallProof::all_mask;
  }
  std::array<double, 3> factor{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double ratio = courant[d] / stencil.courant;
    factor[d] = ratio * ratio;
  }
  for (std::size_t s = 0; s < stencil.shells.size(); ++s) {
    for (const auto& offset : permutations(stencil.shells[s])) {
      const std::size_t axis = offset[0] != 0   ? 0
                               : offset[1] != 0 ? 1
                                                : 2;  // valid for a leggy point, which is on one axis
      grid.terms.push_back({offset, factor[axis] * stencil.weights[s]});
    }
  }
  grid.centre = 2.0 - (factor[0] + factor[1] + factor[2]) / 3.0 * (2.0 - stencil.centre);
  return grid;
}

GridStencil rounded_to_float(const GridStencil& stencil) {
  GridStencil rounded = stencil;
  for (Term& term : rounded.terms) term.weight = static_cast<double>(static_cast<float>(term.weight));
  const double others = sum_of_terms(rounded.terms);
  // The largest float with which the sum is below 2 by at least the margin: by less than the margin plus one ulp of the
  // centre.
  auto centre = static_cast<float>(2.0 - float_sum_margin - others);
  while (static_cast<double>(centre) + others > 2.0 - float_sum_margin) {
    centre = std::nextafter(centre, -std::numeric_limits<float>::infinity());
  }
  rounded.centre = static_cast<double>(centre);
  return rounded;
}

}  // namespace fdtd

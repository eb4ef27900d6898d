#include "engine/plan/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace fdtd {
namespace {

double inverse_of_beta(const LawBranch& b) { return b.D + b.E / 2.0 + b.F / 4.0; }

// Coefficients beta, d and F in T are those of one law exactly: D = (1/beta + d)/2, E = 1/beta - d - F/2. Rounded as they
// are they may make D negative where it is small against the others, as in a spring alone, and the branch then grows at
// half the sample rate, by sqrt(2^-24) a step in f32. So D is first raised to this fraction of D + E/2 + F/4, several
// times what rounding takes away; in f32 so is E of a spring, which would keep the noise of rounding for ever.
template <class T>
constexpr double min_fraction = 8.0 * std::numeric_limits<T>::epsilon();

template <class T>
BranchCoefficients<T> coefficients_of(LawBranch b) {
  const bool passive = b.D >= 0.0 && b.E >= 0.0 && b.F >= 0.0;  // else it supplies energy, and is reported as such
  if (passive) {
    const double least = min_fraction<T> * inverse_of_beta(b);
    b.D = std::max(b.D, least);
    if (std::is_same_v<T, float> && b.F > 0.0) b.E = std::max(b.E, least);  // or its rounding noise does not decay
  }
  BranchCoefficients<T> rounded{static_cast<T>(1.0 / inverse_of_beta(b)), static_cast<T>(b.D - b.E / 2.0 - b.F / 4.0),
                                static_cast<T>(b.F), b};
  if (std::is_same_v<T, float> && rounded.beta >= std::numeric_limits<T>::min()) {
    const double sum = 1.0 / static_cast<double>(rounded.beta), F = static_cast<double>(rounded.F);
    const double most = sum - F / 2.0;  // d with which E is 0
    if (passive && static_cast<double>(rounded.d) > most) {
      rounded.d = static_cast<T>(most);
      if (static_cast<double>(rounded.d) > most) rounded.d = std::nextafter(rounded.d, -std::numeric_limits<T>::max());
    }
    rounded.exact.D = (sum + static_cast<double>(rounded.d)) / 2.0;
    rounded.exact.E = most - static_cast<double>(rounded.d);
    rounded.exact.F = F;
  }
  return rounded;
}

template <class T>
double beta_of(const WallLaw& law) {
  double sum = 0.0;
  for (const LawBranch& b : law.branches) sum += static_cast<double>(coefficients_of<T>(b).beta);
  return sum;
}

}  // namespace

std::int64_t Boundary::bytes() const {
  std::size_t sum = nodes.size() * sizeof(nodes[0]) + site_begin.size() * sizeof(site_begin[0]) +
                    sites.size() * sizeof(sites[0]) + inverse_mass.size() * sizeof(double) +
                    branch_begin.size() * sizeof(branch_begin[0]) +
                    (coupled.size() + coupled_begin.size()) * sizeof(coupled[0]);
  for (const WallLaw& law : laws) sum += sizeof(law) + law.branches.size() * sizeof(LawBranch);
  return static_cast<std::int64_t>(sum);
}

template <class T>
LawCoefficients<T> coefficients_of(const WallLaw& law, std::vector<BranchCoefficients<T>>& branches) {
  LawCoefficients<T> of_law{};
  of_law.branch_begin = static_cast<std::uint32_t>(branches.size());
  for (const LawBranch& b : law.branches) branches.push_back(coefficients_of<T>(b));
  of_law.branch_end = static_cast<std::uint32_t>(branches.size());
  const double beta = beta_of<T>(law), series = 1.0 / (1.0 + law.inertance * beta);
  of_law.A_part = static_cast<T>(series);
  of_law.W_part = static_cast<T>(law.inertance * beta * series);
  of_law.inertance = static_cast<T>(law.inertance);
  of_law.series = static_cast<T>(series);
  of_law.exact_inertance = law.inertance;
  return of_law;
}

template LawCoefficients<float> coefficients_of(const WallLaw&, std::vector<BranchCoefficients<float>>&);
template LawCoefficients<double> coefficients_of(const WallLaw&, std::vector<BranchCoefficients<double>>&);

double admittance_of(const WallLaw& law) {
  const double beta = beta_of<double>(law);
  return beta / (1.0 + law.inertance * beta);
}

double squared_norm_of_taps(const WallLaw& law) {
  double square = 0.0;
  for (const double tap : law.taps) square += tap * tap;
  return square;
}

NodeCoefficients<double> coefficients_of_node(const Boundary& boundary, std::size_t node,
                                              const std::vector<double>& admittances) {
  const std::uint32_t first = boundary.site_begin[node], end = boundary.site_begin[node + 1];
  const double square = squared_norm_of_taps(boundary.laws[boundary.sites[first].law]);
  const double norm_over_mass = boundary.inverse_mass.empty() ? square : square * boundary.inverse_mass[node];
  double Q = 0.0;
  for (std::uint32_t s = first; s < end; ++s)
    Q += norm_over_mass * boundary.sites[s].weight * admittances[boundary.sites[s].law] / 4.0;
  return {Q, 1.0 / (1.0 + Q), norm_over_mass / (1.0 + Q) / 2.0};
}

}  // namespace fdtd

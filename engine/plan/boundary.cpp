#include "engine/plan/boundary.hpp"

namespace fdtd {
namespace {

double beta_of(const LawBranch& b) { return 1.0 / (b.D + b.E / 2.0 + b.F / 4.0); }

double beta_of(const WallLaw& law) {
  double sum = 0.0;
  for (const LawBranch& b : law.branches) sum += beta_of(b);
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
  for (const LawBranch& b : law.branches) {
    branches.push_back(
        {static_cast<T>(beta_of(b)), static_cast<T>(b.D - b.E / 2.0 - b.F / 4.0), static_cast<T>(b.F), b.D, b.E, b.F});
  }
  of_law.branch_end = static_cast<std::uint32_t>(branches.size());
  const double beta = beta_of(law), series = 1.0 / (1.0 + law.inertance * beta);
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
  const double beta = beta_of(law);
  return beta / (1.0 + law.inertance * beta);
}

double squared_norm_of_taps(const WallLaw& law) {
  double square = 0.0;
  for (const double tap : law.taps) square += tap * tap;
  return square;
}

NodeCoefficients coefficients_of_node(const Boundary& boundary, std::size_t node,
                                      const std::vector<double>& admittances) {
  const std::uint32_t first = boundary.site_begin[node], end = boundary.site_begin[node + 1];
  const double square = squared_norm_of_taps(boundary.laws[boundary.sites[first].law]);
  const double share = boundary.inverse_mass.empty() ? square : square * boundary.inverse_mass[node];
  double Q = 0.0;
  for (std::uint32_t s = first; s < end; ++s)
    Q += share * boundary.sites[s].weight * admittances[boundary.sites[s].law] / 4.0;
  return {Q, 1.0 / (1.0 + Q), share / (1.0 + Q) / 2.0};
}

}  // namespace fdtd

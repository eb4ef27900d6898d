#include "engine/plan/law_in_precision.hpp"

#include <vector>

namespace fdtd {

template <class T>
WallLaw law_in(WallLaw law) {
  std::vector<BranchCoefficients<T>> branches;
  coefficients_of<T>(law, branches);
  for (std::size_t b = 0; b < branches.size(); ++b) law.branches[b] = branches[b].exact;
  return law;
}

template <class T>
double admittance_in(const WallLaw& law) {
  std::vector<BranchCoefficients<T>> branches;
  coefficients_of<T>(law, branches);
  double beta = 0.0;
  for (const BranchCoefficients<T>& branch : branches) beta += static_cast<double>(branch.beta);
  return beta / (1.0 + law.inertance * beta);
}

template WallLaw law_in<float>(WallLaw);
template WallLaw law_in<double>(WallLaw);
template double admittance_in<float>(const WallLaw&);
template double admittance_in<double>(const WallLaw&);

}  // namespace fdtd

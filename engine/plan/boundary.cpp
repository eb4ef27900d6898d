#include "engine/plan/boundary.hpp"

namespace fdtd {

std::int64_t Boundary::bytes() const {
  std::size_t sum = nodes.size() * sizeof(nodes[0]) + site_begin.size() * sizeof(site_begin[0]) +
                    sites.size() * sizeof(sites[0]) + inverse_mass.size() * sizeof(double) +
                    branch_begin.size() * sizeof(branch_begin[0]);
  for (const WallLaw& law : laws) sum += sizeof(law) + law.branches.size() * sizeof(LawBranch);
  return static_cast<std::int64_t>(sum);
}

}  // namespace fdtd

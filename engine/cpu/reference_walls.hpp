// The walls of the reference: the discrete laws of plan/boundary.hpp, as they run in the plan's precision, site by site.
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

// As the state is kept from one step to the next.
inline double rounded_to(Precision precision, double value) {
  return precision == Precision::f32 ? static_cast<double>(static_cast<float>(value)) : value;
}

// The layer (slab.hpp) of a node.
std::size_t layer_of_node(const Grid& grid, std::size_t node);

class ReferenceWalls {
 public:
  using Values = std::vector<double>;
  // At rest. The plan must outlive the walls; `layers`: of its grid.
  ReferenceWalls(const Plan& plan, std::size_t layers);

  // From S u - u- and the sources, `next`, to u+; `earlier`: u-.
  void update(const Values& earlier, Values& next);
  // The energy stored in the branches of boundary node `node`.
  double stored(std::size_t node) const;

  BranchValues<Values> state;  // by branch
  Values dissipated;           // energy, by layer

 private:
  // Sites that are solved together: sum_t (b_s^T b_t) over all pairs, Q, and (I + B^T B Q)^-1.
  struct Group {
    std::vector<std::size_t> nodes;
    Eigen::MatrixXd overlap;
    Eigen::VectorXd Q;
    Eigen::PartialPivLU<Eigen::MatrixXd> solver;
  };
  const LawCoefficients<double>& law_of(std::size_t site) const {
    return coefficients_[plan_.boundary.sites[site].law];
  }
  BranchValues<double> branch_state(std::size_t site, std::uint32_t branch) const;
  BranchSums<double> sums_at(std::size_t site) const;
  double admittance_at(std::size_t site) const;
  double known_flow(std::size_t site) const;
  std::vector<std::size_t> nodes_of(std::size_t node) const;
  const Values& taps_of(std::size_t node) const;
  double read(const Values& u, std::size_t node) const;
  std::pair<double, double> flow(std::size_t node) const;
  void make_groups();
  void update_node(std::size_t node, const Values& earlier, Values& next);
  void update_group(const Group& group, const Values& earlier, Values& next);
  double with_walls(std::size_t node, double r, double before, double square) const;
  void update_branches(std::size_t node, double moved);
  template <class Equation>
  void update_site(std::size_t node, std::size_t site, double moved);

  const Plan& plan_;
  std::vector<WallLaw> laws_;  // as they run in the plan's precision, with their coefficients
  std::vector<LawCoefficients<double>> coefficients_;
  std::vector<BranchCoefficients<double>> branches_;
  std::vector<double> admittances_;
  std::vector<Group> groups_;
  std::vector<bool> coupled_;  // by boundary node
};

}  // namespace fdtd

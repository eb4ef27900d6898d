#include "engine/walls/gram_block.hpp"

#include <Eigen/Dense>
#include <map>

#include "base/error.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

GridStencil cubic(const Stencil& stencil, double fraction = 1.0) {
  const double courant = fraction * stencil.courant;
  return on_grid(stencil, {courant, courant, courant});
}

void check(const GridStencil& stencil, const GramBlock& block) {
  const int n = block.side, nodes = n * n * n;
  const Eigen::Map<const Eigen::MatrixXd> B(block.matrix.data(), nodes, nodes);
  REQUIRE((B - B.transpose()).cwiseAbs().maxCoeff() == 0.0);
  REQUIRE((B * Eigen::VectorXd::Ones(nodes)).cwiseAbs().maxCoeff() < 1e-13);

  std::map<std::array<int, 3>, double> sums;
  for (int p = 0; p < nodes; ++p) {
    for (int q = 0; q < nodes; ++q) {
      sums[{std::abs(q % n - p % n), std::abs(q / n % n - p / n % n), std::abs(q / n / n - p / n / n)}] += B(p, q);
    }
  }
  double centre = 0.0;
  for (const Term& term : stencil.terms) {
    centre += image_count(term) * term.weight;
    sums[term.offset] += image_count(term) * term.weight;  // K's weights are minus S's
  }
  sums[{0, 0, 0}] -= centre;
  for (const auto& [distance, left] : sums) REQUIRE(std::abs(left) < 1e-12);

  const Eigen::VectorXd e =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(B, Eigen::EigenvaluesOnly).eigenvalues() * nodes;
  REQUIRE(e.minCoeff() > -1e-11);
  REQUIRE(e.maxCoeff() < 4.0 + 1e-11);
  REQUIRE(block.highest == Approx(e.maxCoeff()).epsilon(1e-10));
}

}  // namespace

TEST_CASE("Every stencil without another proof has a Gram block within both bounds, at its own Courant number") {
  int blocks = 0;
  for (const Stencil& stencil : catalogue()) {
    if (stencil.proof != WallProof::block) continue;
    INFO(stencil.name);
    check(cubic(stencil), *gram_block(cubic(stencil)));
    ++blocks;
  }
  REQUIRE(blocks > 5);
}

TEST_CASE("Stencils below their Courant number, rounded to float or of run folding have Gram blocks too") {
  for (const char* name : {"compact-3", "compact-8", "box-222", "leggy-2"}) {
    INFO(name);
    const Stencil& stencil = *find_stencil(name);
    check(cubic(stencil, 0.9), *gram_block(cubic(stencil, 0.9)));
    check(rounded_to_float(cubic(stencil, 0.97)), *gram_block(rounded_to_float(cubic(stencil, 0.97))));
  }
}

TEST_CASE("Weights that are unstable even without walls have no Gram block, and axes must be alike") {
  GridStencil stencil = cubic(*find_stencil("compact-3"));
  for (Term& term : stencil.terms) term.weight *= 2.5;
  stencil.centre = 2.0 - 2.5 * (2.0 - stencil.centre);
  REQUIRE_THROWS_AS(gram_block(stencil), Error);
  stencil = cubic(*find_stencil("compact-3"), 0.9);
  stencil.terms[0].weight *= 1.01;
  REQUIRE_THROWS_AS(gram_block(stencil), Error);
}

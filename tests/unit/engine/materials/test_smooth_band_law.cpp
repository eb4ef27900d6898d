#include "tests/support/catch.hpp"

#include <cmath>
#include <vector>

#include "engine/materials/absorption.hpp"
#include "engine/materials/band_law.hpp"

using namespace fdtd;

namespace {

double log_term(const SmoothBandLaw& law, std::size_t i) {
  const Branch& b = law.branches[i / 3];
  return std::log(i % 3 == 0 ? b.D : i % 3 == 1 ? b.E : b.F);
}

}  // namespace

TEST_CASE("smooth band law: it absorbs what is stated, and moves with it as its slopes say") {
  const std::vector<std::vector<double>> walls = {{0.1, 0.1, 0.1, 0.1},
                                                  {0.05, 0.1, 0.2, 0.4},
                                                  {0.5, 0.3, 0.12, 0.06},
                                                  {0.3, 0.15, 0.25, 0.5},
                                                  {0.02, 0.02, 0.03, 0.02},
                                                  {0.9, 0.8, 0.7, 0.9},
                                                  {0.1, 0.3, 0.6, 0.8, 0.9, 0.85},
                                                  {0.25, 0.15, 0.08, 0.05, 0.04, 0.04}};
  for (const std::vector<double>& alpha : walls) {
    std::vector<double> centres = {63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0};
    centres.resize(alpha.size());
    const SmoothBandLaw law = smooth_band_law(centres, alpha);
    for (std::size_t k = 0; k < centres.size(); ++k)
      CHECK(octave_band_absorption(law.branches, centres[k]) == Approx(alpha[k]).epsilon(alpha[k] < 0.6 ? 5e-3 : 5e-2));
    for (std::size_t k = 0; k < centres.size(); ++k) {
      const double step = 0.002 * alpha[k];
      std::vector<double> up = alpha, down = alpha;
      up[k] += step, down[k] -= step;
      const SmoothBandLaw more = smooth_band_law(centres, up), less = smooth_band_law(centres, down);
      double worst = 0.0, largest = 0.0;
      for (std::size_t i = 0; i < 3 * law.branches.size(); ++i) {
        const double slope = law.slopes[i * centres.size() + k];
        worst = std::max(worst, std::abs((log_term(more, i) - log_term(less, i)) / (2.0 * step) - slope));
        largest = std::max(largest, std::abs(slope));
      }
      INFO("octave " << centres[k] << " of " << alpha[0]);
      CHECK(worst < 1e-2 * largest);
    }
  }
}

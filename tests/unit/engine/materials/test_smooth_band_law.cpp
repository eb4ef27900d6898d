#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
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
                                                  {0.25, 0.15, 0.08, 0.05, 0.04, 0.04},
                                                  {0.9},
                                                  {0.3, 0.6},
                                                  {0.6, 0.35},
                                                  {0.4, 0.8, 0.5},
                                                  {0.86, 0.84, 0.9},
                                                  {0.1, 0.2, 0.35, 0.6, 0.8, 0.9, 0.8, 0.7}};
  for (const std::vector<double>& alpha : walls) {
    std::vector<double> centres = {63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0};
    centres.resize(alpha.size());
    const SmoothBandLaw law = smooth_band_law(centres, alpha);
    for (std::size_t k = 0; k < centres.size(); ++k)
      CHECK(octave_band_absorption(law.branches, centres[k]) == Approx(alpha[k]).epsilon(2e-3));
    CHECK(octave_band_absorption(law.branches, 31.5) == Approx(alpha.front()).epsilon(5e-3));
    CHECK(octave_band_absorption(law.branches, 2.0 * centres.back()) == Approx(alpha.back()).epsilon(5e-3));
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

TEST_CASE("smooth band law: of steep coefficients it moves as its slopes say, too") {
  const std::vector<std::vector<double>> walls = {
      {0.5975, 0.0363}, {0.7732, 0.0795}, {0.0259, 0.2492, 0.0469}, {0.247, 0.304, 0.9}, {0.9, 0.3, 0.1, 0.03}};
  for (const std::vector<double>& alpha : walls) {
    std::vector<double> centres;
    for (std::size_t k = 0; k < alpha.size(); ++k) centres.push_back(63.0 * std::exp2(k));
    const SmoothBandLaw law = smooth_band_law(centres, alpha);
    for (std::size_t k = 0; k < alpha.size(); ++k) {
      const double step = 2e-4 * alpha[k];
      std::vector<double> up = alpha, down = alpha;
      up[k] += step, down[k] -= step;
      const SmoothBandLaw more = smooth_band_law(centres, up), less = smooth_band_law(centres, down);
      double worst = 0.0, largest = 0.0;
      for (std::size_t i = 0; i < 3 * law.branches.size(); ++i) {
        const double slope = law.slopes[i * alpha.size() + k];
        worst = std::max(worst, std::abs((log_term(more, i) - log_term(less, i)) / (2.0 * step) - slope));
        largest = std::max(largest, std::abs(slope));
      }
      INFO("octave " << k << " of " << alpha[0] << ", " << alpha[1]);
      CHECK(worst < 1e-2 * largest);
    }
  }
}

TEST_CASE(
    "smooth band law: of any coefficients whose neighbours differ by a factor of 2 at most it is 0.02 off at most") {
  std::uint64_t state = 1;  // a linear congruential generator, by Knuth's constants
  const auto random = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  for (std::size_t bands = 1; bands <= 8; ++bands)
    for (int wall = 0; wall < 4; ++wall) {
      std::vector<double> centres, alpha;
      for (std::size_t k = 0; k < bands; ++k) {
        centres.push_back(63.0 * std::exp2(k));
        const double before = k > 0 ? alpha.back() : 0.02 * std::pow(45.0, random());
        alpha.push_back(std::clamp(before * std::exp2(2.0 * random() - 1.0), 0.02, 0.9));
      }
      const SmoothBandLaw law = smooth_band_law(centres, alpha);
      CHECK(law.branches.size() == std::max<std::size_t>(bands, 4));
      for (std::size_t k = 0; k < bands; ++k) {
        INFO(bands << " bands, wall " << wall << ", " << centres[k] << " Hz");
        CHECK(std::abs(octave_band_absorption(law.branches, centres[k]) - alpha[k]) < 0.02);
      }
    }
}

TEST_CASE("smooth band law: of steep coefficients it is at most 0.05 further off than the law of a run") {
  const std::vector<std::vector<double>> walls = {{0.02, 0.9},           {0.9, 0.1, 0.6},       {0.05, 0.5, 0.05, 0.5},
                                                  {0.9, 0.3, 0.1, 0.03}, {0.3, 0.9, 0.2, 0.05}, {0.02, 0.08, 0.3, 0.9}};
  for (const std::vector<double>& alpha : walls) {
    std::vector<double> centres;
    for (std::size_t k = 0; k < alpha.size(); ++k) centres.push_back(63.0 * std::exp2(k));
    const auto largest_miss = [&](const std::vector<Branch>& law) {
      double largest = 0.0;
      for (std::size_t k = 0; k < alpha.size(); ++k)
        largest = std::max(largest, std::abs(octave_band_absorption(law, centres[k]) - alpha[k]));
      return largest;
    };
    CHECK(largest_miss(smooth_band_law(centres, alpha).branches) <
          largest_miss(search_band_law(centres, alpha)) + 0.05);
  }
}

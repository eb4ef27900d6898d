#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "engine/materials/band_law.hpp"
#include "engine/walls/absorption_ratios.hpp"
#include "engine/walls/smooth_grid_fit.hpp"
#include "engine/walls/wall_taps.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"

using namespace fdtd;

namespace {

// Waves up to 500 Hz before the walls of a stencil whose dispersion error is 2 % there.
struct Walls {
  double time_step = 0.0;
  std::vector<WallWave> plain, wide;  // of laws of one node and of several

  explicit Walls(const std::string& name) {
    const Stencil& known = *find_stencil(name);
    const double courant = 0.999 * known.courant;
    const GridStencil stencil = on_grid(at_courant(known, courant), {courant, courant, courant});
    const FrequencyMap map = frequency_map(at_courant(known, courant));
    const double highest = usable_omega(stencil, 0.02, map);
    time_step = highest / (2.0 * std::numbers::pi * 500.0);
    plain = wide = wall_waves(stencil, 0, map, highest);
    load_waves_at_wall(plain, courant);
    load_waves(wide, stencil, 0, make_wall_taps(stencil, 0, highest, TapNeed{}).taps);
  }
};

std::vector<Branch> octaves(const std::vector<double>& alpha) {
  std::vector<double> centres;
  for (std::size_t k = 0; k < alpha.size(); ++k) centres.push_back(63.0 * std::exp2(k));
  return smooth_band_law(centres, alpha).branches;
}

std::vector<Branch> moved(std::vector<Branch> branches, const std::vector<double>& way, double by) {
  for (std::size_t i = 0; i < branches.size(); ++i) {
    branches[i].D *= std::exp(by * way[3 * i]);
    branches[i].E *= std::exp(by * way[3 * i + 1]);
    branches[i].F *= std::exp(by * way[3 * i + 2]);
  }
  return branches;
}

double largest_miss(const GridFit& fit, const std::vector<Branch>& branches, const Walls& walls,
                    const std::vector<WallWave>& waves) {
  WallLaw law;
  law.inertance = fit.inertance;
  law.branches = fit.branches;
  double largest = 0.0;
  for (const double ratio : absorption_ratios(law, branches, walls.time_step, waves))
    largest = std::max(largest, std::abs(ratio - 1.0));
  return largest;
}

const std::vector<std::vector<Branch>>& materials() {
  static const std::vector<std::vector<Branch>> all = {
      {{0.0, 1.0 / 0.002, 0.0}},      {{0.0, 1.0 / 0.05, 0.0}},
      {{0.0, 1.0 / 0.4, 0.0}},        octaves({0.1, 0.08}),
      octaves({0.15, 0.3}),           octaves({0.1, 0.1, 0.1, 0.1}),
      octaves({0.05, 0.1, 0.2, 0.4}), octaves({0.4, 0.3, 0.12, 0.06}),
      octaves({0.9, 0.8, 0.7, 0.9}),  octaves({0.02, 0.02, 0.03, 0.02})};
  return all;
}

}  // namespace

TEST_CASE("smooth grid fit: it moves with a material's branches as its slopes say") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-0.5, 0.5);
  for (const char* name : {"leggy-4", "compact-3", "box-222", "compact-3/radial1", "leggy-8/warp1"}) {
    const Walls walls(name);
    for (std::size_t m = 0; m < materials().size(); ++m)
      for (const std::vector<WallWave>* waves : {&walls.plain, &walls.wide}) {
        const std::vector<Branch>& branches = materials()[m];
        const FitStages stages = smooth_fit_stages(branches, walls.time_step, *waves);
        std::vector<double> by(stages.back().size());
        for (double& one : by) one = any(random);
        std::vector<double> way;
        for (std::size_t i = 0; i < 3 * branches.size(); ++i) way.push_back(any(random));
        const std::vector<double> slopes = slopes_of_smooth_fit(stages, branches, walls.time_step, *waves, by);
        double slope = 0.0, scale = 0.0;
        for (std::size_t i = 0; i < slopes.size(); ++i) {
          slope += slopes[i] * way[i];
          scale += std::abs(slopes[i] * way[i]);
        }
        const auto at = [&](double step) {
          const FitStages there = smooth_fit_stages(moved(branches, way, step), walls.time_step, *waves);
          return std::inner_product(by.begin(), by.end(), there.back().begin(), 0.0);
        };
        INFO(name << (waves == &walls.plain ? ", one node" : ", several nodes") << ", material " << m);
        CHECK(std::abs((at(1e-3) - at(-1e-3)) / 2e-3 - slope) < 2e-3 * scale);
      }
  }
}

TEST_CASE("smooth grid fit: walls absorb as those of the fit that a plan searches") {
  for (const char* name : {"leggy-4", "compact-3", "compact-5", "box-222"}) {
    const Walls walls(name);
    for (std::size_t m = 0; m < materials().size(); ++m)
      for (const std::vector<WallWave>* waves : {&walls.plain, &walls.wide}) {
        const std::vector<Branch>& branches = materials()[m];
        const GridFit smooth = smooth_fit_on_grid(branches, walls.time_step, *waves);
        INFO(name << (waves == &walls.plain ? ", one node" : ", several nodes") << ", material " << m);
        CHECK(smooth.branches.size() == branches.size());
        CHECK(largest_miss(smooth, branches, walls, *waves) <
              largest_miss(fit_on_grid(branches, walls.time_step, *waves), branches, walls, *waves) + 0.025);
      }
  }
}

TEST_CASE("smooth grid fit: coefficients of any admittance are positive numbers of single precision") {
  const Walls walls("compact-3"), radial("compact-3/radial1");
  for (const double admittance : {1e-30, 1e-12, 1e-6, 1.0, 1e3, 1e6})
    for (const Walls* of : {&walls, &radial}) {
      const std::vector<Branch> branches = {{0.0, 1.0 / admittance, 0.0}};
      const GridFit fit = smooth_fit_on_grid(branches, of->time_step, of->wide);
      INFO(admittance);
      CHECK(fit.branches.size() == (of == &walls ? 1 : 5));  // more where time is stretched
      for (const LawBranch& one : fit.branches)
        for (const double value : {one.D, one.E, one.F}) CHECK((value > 1e-15 && value < 1e15));
    }
}

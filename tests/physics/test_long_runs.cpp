// Single precision over long runs: walls of fitted branches neither lose the energy balance nor feed what alternates from
// step to step, and rows rounded to float keep both ends of the spectrum.
#include <algorithm>
#include <array>
#include <complex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bench/stability_study.hpp"
#include "engine/cpu/make_backend.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solutions/dense_operator.hpp"

using namespace fdtd;
using namespace fdtd::test;

// Each of these lost its balance (1e-2) within 30,000 steps while a spring among its walls' branches was rounded to a law
// of negative mass. bench/stability.cpp runs all stencils for a million steps.
TEST_CASE("rooms in f32 keep the energy balance over many steps, and what alternates does not grow") {
  struct Case {
    const char* stencil;
    std::array<int, 3> size;
    int blocks;
    std::vector<double> admittances;
  };
  const std::vector<Case> cases = {{"compact-2/radial1", {10, 9, 8}, 0, {0.005}},
                                   {"compact-3/radial2", {8, 7, 6}, 3, {0.005, 0.001}},
                                   {"compact-6/radial1", {8, 7, 6}, 3, {0.3}}};
  for (const Case& one : cases) {
    CAPTURE(one.stencil);
    bench::LongRoom room;
    room.stencil = one.stencil;
    room.size = one.size;
    room.blocks = one.blocks;
    room.admittances = one.admittances;
    const bench::LongRun run = bench::run_long(bench::plan_of(room), *make_cpu_backend({1, ""}), 100000);
    CHECK(run.steps >= 100000);
    CHECK(run.balance < 1e-5);
    CHECK(run.alternating_end < 1.1 * run.alternating_middle);
  }
}

// Rows of different masses are not symmetric once they are rounded: eigenvalues could be complex.
TEST_CASE("rows rounded to float keep the spectrum real and inside -2 and 2 in furnished rooms") {
  std::set<std::vector<double>> known;
  for (const Stencil& stencil : catalogue()) {
    if (stencil.proof != WallProof::block || !stencil.radial || !known.insert(stencil.weights).second) continue;
    CAPTURE(stencil.name);
    const double courant = 0.999 * stencil.courant_limit;
    const GridStencil rounded = rounded_to_float(on_grid(at_courant(stencil, courant), {courant, courant, courant}));
    for (const bool furniture : {true, false}) {
      std::mt19937 random(furniture ? 5U : 6U);
      const AirMask air = furniture ? bench::furnished({6, 5, 4}, 3, random) : random_mask({5, 4, 4}, 0.7, random);
      const DenseOperator op = dense_operator(rounded, air, rounded_to_float(make_near_wall(rounded, air)));
      double low = 2.0, high = -2.0, imaginary = 0.0;
      for (const std::complex<double> one : op.S.eigenvalues()) {
        low = std::min(low, one.real());
        high = std::max(high, one.real());
        imaginary = std::max(imaginary, std::abs(one.imag()));
      }
      CHECK(low > -2.0 + 1e-4);
      CHECK(high < 2.0 + 1e-12);
      CHECK(imaginary < 1e-10);
    }
  }
  CHECK(known.size() >= 15);
}

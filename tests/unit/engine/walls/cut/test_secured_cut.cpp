// Masses, passages and weights that keep an operator on cut voxels within its interior's bounds: asserted in the numbers
// that rows are made of.
#include "engine/walls/cut/secured_cut.hpp"

#include <omp.h>

#include <numeric>
#include <random>

#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/cut_rooms.hpp"
#include "tests/support/solutions/dense_operator.hpp"

using namespace fdtd;

namespace {

double total_mass(const AirMask& air, const SecuredCut& cut) {
  double sum = static_cast<double>(air.count());
  for (const NodeFraction& one : cut.masses) sum += one.fraction - 1.0;
  return sum;
}

double total_volume(const Voxels& room) {
  double sum = static_cast<double>(room.air.count());
  for (const CutFraction& one : room.cut.volumes) sum += static_cast<double>(one.fraction) - 1.0;
  return sum;
}

}  // namespace

TEST_CASE("walls cut: whole voxels satisfy the bound of every leggy stencil of the catalogue", "[walls]") {
  int count = 0;
  for (const Stencil& stencil : catalogue()) {
    if (stencil.family != Family::leggy) continue;
    CAPTURE(stencil.name);
    const double c = stencil.courant_limit;
    CHECK(within_bounds(on_grid(stencil, {c, c, c})));
    ++count;
  }
  CHECK(count > 20);
  GridStencil wild = on_grid(*find_stencil("leggy-4"), {0.45, 0.45, 0.45});
  for (Term& term : wild.terms) term.weight *= term.offset[0] + term.offset[1] + term.offset[2] == 2 ? -3.0 : 1.0;
  CHECK_FALSE(within_bounds(wild));
}

TEST_CASE("walls cut: masses and passages of any shares are secured, and the mass of the room is kept", "[walls]") {
  std::mt19937 random(21);
  for (const char* name : {"leggy-1", "leggy-4", "leggy-8", "leggy-4/opt1"}) {
    CAPTURE(name);
    const Stencil& stencil = *find_stencil(name);
    const auto bounds = axis_bounds(on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant}));
    for (const double fraction : {1.0, 0.8, 0.55}) {
      const Voxels room = test::cut_room(test::random_mask({9, 6, 5}, fraction, random), random);
      const SecuredCut secured = secure(room.air, room.cut, bounds);
      const Violation worst = violation(room.air, secured, bounds);
      CHECK(worst.passages <= 1e-13);
      CHECK(worst.masses <= 1e-12);
      CHECK(total_mass(room.air, secured) == Approx(total_volume(room)).epsilon(1e-13));
      for (std::size_t d = 0; d < 3; ++d)
        for (const NodeFraction& one : secured.passages[d]) CHECK(one.fraction >= 0.0);
      for (std::size_t d = 0; d < 3; ++d)
        for (const NodeFraction& one : secured.ends[d]) CHECK(one.fraction > 0.0);
    }
  }
}

TEST_CASE("walls cut: masses and weights that break a bound are found, and refuse the run", "[walls]") {
  std::mt19937 random(23);
  const Voxels room = test::cut_room(test::random_mask({9, 6, 5}, 0.8, random), random);
  const auto bounds = axis_bounds(on_grid(*find_stencil("leggy-4"), {0.45, 0.45, 0.45}));
  const SecuredCut secured = secure(room.air, room.cut, bounds);
  SecuredCut light = secured;
  for (NodeFraction& one : light.masses) one.fraction *= 0.9;
  CHECK(violation(room.air, light, bounds).masses > 0.05);
  SecuredCut stiff = secured;
  for (NodeFraction& one : stiff.weights[1]) one.fraction += 0.1;
  CHECK(violation(room.air, stiff, bounds).passages > 0.05);
  // The second differences at the ends of runs count, too.
  SecuredCut bent = secured;
  for (std::size_t d = 0; d < 3; ++d)
    for (NodeFraction& one : bent.ends[d]) one.fraction += 2.0;
  CHECK(violation(room.air, bent, bounds).masses > 0.05);
  // Bounds that whole voxels break: smaller passages of the cut one do not help.
  CutVoxels one;
  one.volumes.push_back({364, 0.5F});
  CHECK_THROWS_WITH(secure(AirMask({9, 9, 9}), one, {{{2.0, 0.0, 1.0}, {2.0, 0.0, 1.0}, {2.0, 0.0, 1.0}}}),
                    Catch::Matchers::Contains("break the bounds of stability"));
}

// A run of five voxels that ends in half ones: what the weights leave out of their volumes stands at the next voxels.
TEST_CASE("walls cut: second differences at the ends of a run stand at the voxels before them", "[walls]") {
  CutVoxels cut;
  cut.volumes = {{0, 0.75F}, {4, 0.75F}};
  const AirMask air({5, 1, 1});
  const auto bounds = axis_bounds(on_grid(*find_stencil("leggy-4"), {0.3, 0.3, 0.3}));
  const SecuredCut secured = secure(air, cut, bounds);
  REQUIRE(secured.ends[0].size() == 2);
  CHECK(secured.ends[0][0].node == 1);
  CHECK(secured.ends[0][1].node == 3);
  CHECK(secured.ends[0][0].fraction == secured.ends[0][1].fraction);
  CHECK(violation(air, secured, bounds).masses == 0.0);
  CHECK(secure(air, {}, bounds).ends[0].empty());
  // Legs of one cell have no second differences of differences.
  const auto short_legs = axis_bounds(on_grid(*find_stencil("leggy-1"), {0.3, 0.3, 0.3}));
  CHECK(secure(air, cut, short_legs).ends[0].empty());
}

TEST_CASE("walls cut: what is secured does not depend on the number of threads", "[walls]") {
  std::mt19937 random(22);
  const Voxels room = test::cut_room(test::random_mask({14, 11, 9}, 0.8, random), random);
  const auto bounds = axis_bounds(on_grid(*find_stencil("leggy-4"), {0.45, 0.45, 0.45}));
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const SecuredCut one = secure(room.air, room.cut, bounds);
  omp_set_num_threads(3);
  const SecuredCut three = secure(room.air, room.cut, bounds);
  omp_set_num_threads(before);
  const auto same = [](const NodeFraction& a, const NodeFraction& b) {
    return a.node == b.node && a.fraction == b.fraction;
  };
  CHECK(std::equal(one.masses.begin(), one.masses.end(), three.masses.begin(), three.masses.end(), same));
  for (std::size_t d = 0; d < 3; ++d) {
    CHECK(std::equal(one.passages[d].begin(), one.passages[d].end(), three.passages[d].begin(), three.passages[d].end(),
                     same));
    CHECK(std::equal(one.weights[d].begin(), one.weights[d].end(), three.weights[d].begin(), three.weights[d].end(),
                     same));
  }
}

// The catalogue re-derives every claim that it makes: a wrong digit cannot live.
#include "stencils/catalogue.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "stencils/all_mask.hpp"
#include "stencils/check.hpp"
#include "stencils/dispersion.hpp"
#include "stencils/radial.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/stencils/claims.hpp"

using namespace fdtd;

namespace {

GridStencil cubic(const Stencil& stencil) {
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

}  // namespace

TEST_CASE("names are unique, and a plain name is the textbook member", "[catalogue]") {
  std::set<std::string> names;
  for (const Stencil& stencil : catalogue()) {
    CHECK(names.insert(stencil.name).second);
    CHECK(find_stencil(stencil.name) == &stencil);
    CHECK(stencil.name.substr(stencil.name.find('/') + 1) == stencil.variant);
    CHECK_FALSE(stencil.source.empty());
  }
  CHECK(find_stencil("leggy-4")->name == "leggy-4/taylor");
  CHECK(find_stencil("compact-9")->name == "compact-9/opt1");
  CHECK(find_stencil("compact-1")->name == "compact-1/me");
  CHECK(find_stencil("box-222")->name == "box-222/opt1");
  CHECK(find_stencil("box-100")->name == "box-100/me");
  CHECK(find_stencil("leggy-21") == nullptr);
  CHECK(find_stencil("compact-7") == nullptr);
  CHECK(find_stencil("compact-9/") == nullptr);
  CHECK(find_stencil("") == nullptr);
}

TEST_CASE("every member of the three families is there, with its number of points", "[catalogue]") {
  const std::vector<std::pair<const char*, int>> sizes{
      {"compact-1", 7},    {"compact-2", 19},   {"compact-3", 27},   {"compact-4", 33},   {"compact-5", 57},
      {"compact-6", 81},   {"compact-8", 93},   {"compact-9", 123},  {"compact-10", 147}, {"compact-11", 171},
      {"compact-12", 179}, {"compact-13", 203}, {"compact-14", 251}, {"compact-16", 257}, {"compact-17", 305},
      {"compact-18", 341}, {"compact-19", 365}, {"compact-20", 389}, {"compact-21", 437}, {"compact-22", 461},
      {"box-100", 7},      {"box-110", 19},     {"box-111", 27},     {"box-200", 33},     {"box-210", 57},
      {"box-211", 81},     {"box-220", 93},     {"box-221", 117},    {"box-222", 125},    {"box-300", 131},
      {"box-310", 155},    {"box-311", 179},    {"box-320", 203},    {"box-321", 251},    {"box-322", 275},
      {"box-330", 287},    {"box-331", 311},    {"box-332", 335},    {"box-333", 343},    {"box-400", 349},
      {"leggy-1", 7},      {"leggy-8", 49},     {"leggy-20", 121}};
  for (const auto& [name, points] : sizes) {
    INFO(name);
    REQUIRE(find_stencil(name) != nullptr);
    CHECK(find_stencil(name)->point_count() == points);
  }
}

TEST_CASE("a misspelt name has a nearest one", "[catalogue]") {
  CHECK(nearest_stencil_name("legy-4") == "leggy-4");
  CHECK(nearest_stencil_name("leggy-8/tailor") == "leggy-8/taylor");
  CHECK(nearest_stencil_name("compct-14") == "compact-14");
  CHECK(nearest_stencil_name("box222") == "box-222");
  CHECK_FALSE(nearest_stencil_name(std::string(100000, 'x')).empty());
}

TEST_CASE("every entry: weights sum to 2 and their second moment is 2 lambda^2, to rounding", "[catalogue]") {
  for (const Stencil& stencil : catalogue()) {
    INFO(stencil.name);
    long double sum = stencil.centre, second = 0.0L;
    for (std::size_t s = 0; s < stencil.shells.size(); ++s) {
      for (const auto& p : points(stencil.shells[s])) {
        sum += static_cast<long double>(stencil.weights[s]);
        second += static_cast<long double>(p[0] * p[0]) * static_cast<long double>(stencil.weights[s]);
      }
    }
    CHECK(std::abs(static_cast<double>(sum) - 2.0) <= 4e-15);
    CHECK(std::abs(static_cast<double>(second) - 2.0 * stencil.courant * stencil.courant) <= 4e-15);
  }
}

TEST_CASE("every entry passes the check: moments, |S| <= 2 over the whole Brillouin zone, Courant limit, order, proof",
          "[catalogue]") {
  for (const Stencil& stencil : catalogue()) {
    const std::vector<std::string> problems = check(stencil);
    INFO(stencil.name << ": " << (problems.empty() ? "" : problems.front()));
    CHECK(problems.empty());
  }
}

TEST_CASE("every entry: run folding proves what lies on the axes, the certificate nothing beyond its Courant number",
          "[catalogue]") {
  for (const Stencil& stencil : catalogue()) {
    INFO(stencil.name);
    const bool axial = std::all_of(stencil.shells.begin(), stencil.shells.end(), [](Shell q) { return q.q2 == 0; });
    CHECK((stencil.proof == WallProof::run_fold) == axial);
    if (stencil.proof == WallProof::all_mask) CHECK(stencil.courant_limit == stencil.courant);
  }
}

// Refutes what stencils/design/certificate.py claims if it is wrong; above it there is no proof by the fold.
TEST_CASE(
    "radial sets of radius 1 and 2 have the certificate up to a Courant number of their own, and not at the design's",
    "[catalogue]") {
  int count = 0;
  for (const Stencil& stencil : catalogue()) {
    const double certified = certified_courant(stencil);
    CAPTURE(stencil.name);
    CHECK((certified > 0.0) == (stencil.radial != nullptr && stencil.radius() <= 2));
    if (certified == 0.0) continue;
    ++count;
    REQUIRE(certified <= stencil.courant);
    const Stencil slower = at_courant(stencil, certified);
    CHECK(certified_courant(slower) == certified);
    CHECK(on_grid(slower, {certified, certified, certified}).proof == WallProof::all_mask);
    const FoldedRange range = searched_folded_range(slower, 16);
    CHECK(range.min >= -2.0 - 1e-9);
    CHECK(range.max <= 2.0 + 1e-9);
    const double above = 1.001 * certified;
    if (above > stencil.courant) continue;
    CHECK(on_grid(stencil, {above, above, above}).proof == WallProof::block);
    CHECK(searched_folded_range(stencil, 16).min < -2.0);
    Stencil of_file = stencil;
    of_file.family = Family::user;
    CHECK(certified_courant(of_file) == 0.0);
  }
  CHECK(count > 15);
}

TEST_CASE("the makers' claims on usable fractions are reproduced to 0.005", "[catalogue]") {
  for (const Claim& claim : claims) {
    INFO(claim.name << " within " << claim.tolerance);
    const Stencil* stencil = find_stencil(claim.name);
    REQUIRE(stencil != nullptr);
    // Some were measured with an allowance on the tolerance and some without: where an error runs along it, the two
    // fractions differ, and the claim lies between them.
    const double less = claim.tolerance - std::min(1e-4, claim.tolerance * (0.01 / 1.01));
    const std::array<double, 4> low = usable_fractions(*stencil, less),
                                high = usable_fractions(*stencil, claim.tolerance);
    for (std::size_t i = 0; i < claim.fractions.size(); ++i) {
      CHECK(claim.fractions[i] >= low[i] - 0.0051);
      CHECK(claim.fractions[i] <= high[i] + 0.0051);
    }
  }
}

TEST_CASE("the isotropic closed forms are isotropic to the fourth power of k, the others are not", "[catalogue]") {
  const double k = 0.05;
  for (const char* name : {"compact-2/iiso", "compact-3/iiso2", "compact-3/iso", "compact-3/iwb", "compact-2/ccp"}) {
    const Stencil& stencil = *find_stencil(name);
    const GridStencil grid = cubic(stencil);
    const double anisotropy =
        symbol(grid, {k, 0, 0}) - symbol(grid, {k / std::sqrt(3.0), k / std::sqrt(3.0), k / std::sqrt(3.0)});
    INFO(name);
    CHECK((std::abs(anisotropy) < 1e-3 * std::pow(k, 4)) == (stencil.variant.find("iso") != std::string::npos));
  }
}

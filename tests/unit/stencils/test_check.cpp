// The check sees every kind of wrong weight and every false claim.
#include "stencils/check.hpp"

#include <limits>

#include "stencils/all_mask.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

bool complains(const Stencil& stencil, const std::string& of) {
  for (const std::string& problem : check(stencil)) {
    if (problem.find(of) != std::string::npos) return true;
  }
  return false;
}

Stencil user_copy(const char* name) {
  const Stencil& s = *find_stencil(name);
  return user_stencil("mine", s.courant, s.shells, s.centre, s.weights, s.time_dispersion_removal);
}

}  // namespace

TEST_CASE("one wrong digit in any weight is seen", "[check]") {
  for (const char* name : {"leggy-8/opt1", "compact-9", "compact-3/iso", "box-222"}) {
    for (std::size_t i = 0; i < find_stencil(name)->weights.size(); ++i) {
      Stencil wrong = *find_stencil(name);
      wrong.weights[i] += 1e-9;
      INFO(name << " weight " << i);
      CHECK(complains(wrong, "sum"));
    }
  }
}

TEST_CASE("each false claim is named", "[check]") {
  const Stencil good = *find_stencil("compact-4/me");
  REQUIRE(check(good).empty());

  Stencil wrong = good;
  wrong.order = 6;
  CHECK(complains(wrong, "order of accuracy is 4, not 6"));

  wrong = good;
  wrong.courant *= 1.01;
  wrong.courant_limit = wrong.courant;
  CHECK(complains(wrong, "second moment"));

  wrong = good;
  wrong.courant_limit *= 1.05;
  CHECK(complains(wrong, "Courant limit"));

  wrong = good;
  wrong.proof = WallProof::run_fold;
  CHECK(complains(wrong, "off the axes"));

  wrong = good;
  wrong.weights.pop_back();
  CHECK(complains(wrong, "3 weights for 4 shells"));

  wrong = good;
  wrong.shells[1] = {0, 1, 1};
  CHECK(complains(wrong, "q1 >= q2"));

  wrong = good;
  wrong.shells[1] = wrong.shells[0];
  CHECK(complains(wrong, "twice"));

  wrong = good;
  wrong.centre = std::numeric_limits<double>::quiet_NaN();
  CHECK(complains(wrong, "finite"));

  wrong = good;
  wrong.shells.back() = {1 << 30, 0, 0};
  CHECK(complains(wrong, "radius"));
}

TEST_CASE("too large a Courant number and weights above 2 are seen", "[check]") {
  Stencil fast = *find_stencil("leggy-4");
  fast.courant_limit = 1.0;
  fast = at_courant(fast, 1.02 * fast.courant);
  fast.courant_limit = fast.courant;
  CHECK(complains(fast, "< -2"));
  // Second order consistent, but the far points pull the wrong way: S > 2 for short waves.
  const Stencil above =
      user_stencil("above", 0.3, {{1, 0, 0}, {2, 0, 0}}, 2.0 + 6.0 * 0.11 - 6.0 * 0.05, {0.09 - 4.0 * 0.05, 0.05});
  CHECK(complains(above, "> 2"));
}

TEST_CASE("a user's copy of an entry passes with derived claims", "[check]") {
  for (const char* name : {"leggy-4/opt1", "leggy-5/warp1", "compact-9/opt1", "box-222/me", "compact-3/iwb"}) {
    INFO(name);
    const Stencil copy = user_copy(name);
    const Stencil& original = *find_stencil(name);
    CHECK(check(copy).empty());
    CHECK(copy.order == original.order);
    CHECK(copy.courant_limit >= original.courant * (1.0 - 1e-12));
    CHECK(copy.proof == (original.family == Family::leggy ? WallProof::run_fold : WallProof::block));
    CHECK(copy.family == (original.family == Family::leggy ? Family::leggy : Family::user));
  }
}

TEST_CASE("the search refutes the symmetrised fold where the literature's closed forms need the block construction",
          "[check]") {
  const std::vector<std::pair<const char*, double>> least{
      {"compact-2/ccp", -2.45}, {"compact-3/iwb", -2.45}, {"compact-3/iiso2", -2.15}};
  for (const auto& [name, bound] : least) {
    Stencil claimed = *find_stencil(name);
    INFO(name);
    CHECK(claimed.proof == WallProof::block);
    CHECK(searched_folded_range(claimed).min < bound);
    claimed.proof = WallProof::all_mask;
    CHECK(complains(claimed, "refuted"));
  }
  // Slowed down to the Courant number of the certificate, CCP is no longer refuted.
  const FoldedRange slow = searched_folded_range(at_courant(*find_stencil("compact-2/ccp"), 0.9428));
  CHECK(slow.min >= -2.0 - 1e-9);
}

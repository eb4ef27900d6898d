#include "engine/transducers/tap_response.hpp"

#include <array>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("tap response: the channels of one place together are what each is by itself", "[transducers]") {
  const Grid grid{{40, 40, 40}, {0.11, 0.1, 0.12}, 1e-4, 343.0};
  const TapWeights weights(1.2);
  for (const int orders : {1, 2, 3}) {
    std::vector<TapResponse> taps;
    for (int acn = 1; acn < (orders + 1) * (orders + 1); ++acn) {
      const FieldOperator operation = solid_harmonic(acn);
      if (weights.points(operation) != weights.points(solid_harmonic(1))) continue;
      taps.emplace_back(Tap{"", {2.013, 1.977, 2.131}, {}, {}, operation}, grid, weights);
    }
    std::vector<const TapResponse*> list;
    for (const TapResponse& tap : taps) {
      CHECK(tap.shares_nodes_with(taps[0]));
      list.push_back(&tap);
    }
    const PlaceResponse place(list);
    std::vector<Mirrored> squares(list.size());
    for (const std::array<double, 3>& k : {std::array{0.3, 0.2, 0.1}, {0.9, 0.05, 0.7}, {0.0, 1.1, 0.4}}) {
      place(k, squares);
      for (std::size_t t = 0; t < taps.size(); ++t) {
        const Mirrored alone = taps[t](k);
        for (std::size_t m = 0; m < 4; ++m) CHECK(squares[t][m] == Approx(alone[m]).epsilon(1e-9).margin(1e-12));
      }
    }
  }
}

TEST_CASE("tap response: taps elsewhere share no nodes", "[transducers]") {
  const Grid grid{{40, 40, 40}, {0.1, 0.1, 0.1}, 1e-4, 343.0};
  const TapWeights weights(1.2);
  const TapResponse one(Tap{"", {2.013, 1.977, 2.131}, {}, {}, solid_harmonic(1)}, grid, weights);
  const TapResponse other(Tap{"", {2.013, 1.979, 2.131}, {}, {}, solid_harmonic(2)}, grid, weights);
  CHECK_FALSE(one.shares_nodes_with(other));
}

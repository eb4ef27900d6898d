#include "engine/responses/crossover/band_origin.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("an octave is from waves, from geometry, or from both where it reaches into the crossover", "[metrics]") {
  const BandParts parts = {707.1, 1000.0, true};
  CHECK(origin_of(250.0, parts) == BandOrigin::wave);
  CHECK(origin_of(500.0, parts) == BandOrigin::wave);  // 354 to 707 Hz
  CHECK(origin_of(1000.0, parts) == BandOrigin::both);
  CHECK(origin_of(2000.0, parts) == BandOrigin::geometry);
  CHECK(origin_of(0.0, parts) == BandOrigin::both);  // all frequencies
  CHECK(origin_of(500.0, {650.0, 919.0, true}) == BandOrigin::both);
  CHECK(origin_of(1000.0, {500.0, 707.1, true}) == BandOrigin::geometry);
}

TEST_CASE("waves alone are waves everywhere, and another program's response says nothing of its parts", "[metrics]") {
  CHECK(origin_of(16000.0, {0.0, 0.0, true}) == BandOrigin::wave);
  CHECK(origin_of(1000.0, {}) == BandOrigin::unknown);
  CHECK(std::string(name_of(BandOrigin::unknown)).empty());
}

TEST_CASE("the mean over octaves is from all their parts", "[metrics]") {
  CHECK(joint(BandOrigin::wave, BandOrigin::wave) == BandOrigin::wave);
  CHECK(joint(BandOrigin::wave, BandOrigin::geometry) == BandOrigin::both);
  CHECK(joint(BandOrigin::unknown, BandOrigin::geometry) == BandOrigin::geometry);
  CHECK(joint(BandOrigin::both, BandOrigin::unknown) == BandOrigin::both);
}

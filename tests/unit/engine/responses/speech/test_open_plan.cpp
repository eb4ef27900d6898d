#include "engine/responses/speech/open_plan.hpp"

#include <cmath>
#include <stdexcept>

#include "engine/responses/speech/useful_ratio.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// Levels that fall by `decay` dB when the distance doubles, from that of 1 m in free field; m(F) as given.
std::vector<OpenPlanPlace> places_at(const std::vector<double>& distances, double decay, double m) {
  std::vector<OpenPlanPlace> places;
  for (const double r : distances) {
    OpenPlanPlace place;
    place.distance = r;
    place.strength.fill(20.0 - decay * std::log2(r));
    for (Modulation& one : place.modulation) one.fill(m);
    places.push_back(place);
  }
  return places;
}

}  // namespace

TEST_CASE("open plan: speech has the 57.4 dB(A) at 1 m of the standard") {
  CHECK(a_weighted(open_plan_speech) == Approx(57.4).margin(0.05));
}

TEST_CASE("open plan: levels that fall by 5 dB have that decay, their level at 4 m and its comfort distance") {
  // A place at 1 m and one at 20 m are off the line, and do not count.
  auto places = places_at({1.0, 2.0, 3.0, 5.0, 9.0, 16.0, 20.0}, 5.0, 0.5);
  places.front().strength.fill(90.0);
  places.back().strength.fill(-90.0);
  const OpenPlan office = open_plan(places, std::nullopt);
  const double at_1m = a_weighted(open_plan_speech);
  REQUIRE(office.D2S.value);
  CHECK(*office.D2S.value == Approx(5.0));
  CHECK(*office.level_4m.value == Approx(at_1m - 10.0));
  CHECK(*office.rC.value == Approx(std::exp2((at_1m - 45.0) / 5.0)));
  REQUIRE(office.level.size() == 7);
  CHECK(office.level[2] == Approx(at_1m - 5.0 * std::log2(3.0)));
  CHECK(office.STI.empty());
  CHECK_FALSE(office.rD.value);
  CHECK(office.rD.reason == "the noise of the room is needed");
  // Three places within 2 to 16 m are too few.
  const OpenPlan few = open_plan(places_at({1.0, 2.0, 3.0, 5.0, 17.0}, 5.0, 0.5), std::nullopt);
  CHECK_FALSE(few.D2S.value);
  CHECK(few.D2S.reason == "3 of the places lie 2 to 16 m from the source, 4 are needed");
  CHECK_THROWS_AS(open_plan(places_at({4.0, 4.0, 4.0, 4.0}, 5.0, 0.5), std::nullopt), std::invalid_argument);
}

TEST_CASE("open plan: distraction and privacy distance are where the line of STI has .5 and .2") {
  SpeechOctaves noise{};
  for (std::size_t k = 0; k < speech_octave_count; ++k) noise[k] = open_plan_speech[k] - 20.0;
  const auto places = places_at({2.0, 4.0, 8.0, 14.0}, 6.0, 1.0);
  const OpenPlan office = open_plan(places, noise);
  REQUIRE(office.STI.size() == 4);
  CHECK(*office.noise == Approx(37.4).margin(0.05));
  // The index of a place is that of its levels.
  SpeechLevels levels;
  levels.noise = noise;
  for (std::size_t k = 0; k < speech_octave_count; ++k) levels.speech[k] = open_plan_speech[k] - 12.0;
  SpeechOctaves mti{};
  const SpeechOctaves factors = level_factors(levels);
  for (std::size_t k = 0; k < speech_octave_count; ++k)
    mti[k] = (10.0 * std::log10(factors[k] / (1.0 - factors[k])) + 15.0) / 30.0;
  CHECK(office.STI[1] == Approx(speech_transmission_index(mti)));
  // Through the mean, with the slope of covariance over variance.
  const double r[] = {2.0, 4.0, 8.0, 14.0};
  double mean = 0.0, above = 0.0, below = 0.0;
  for (const double index : office.STI) mean += index / 4.0;
  for (std::size_t i = 0; i < 4; ++i) above += (r[i] - 7.0) * office.STI[i], below += (r[i] - 7.0) * (r[i] - 7.0);
  REQUIRE(office.rD.value);
  CHECK(*office.rD.value == Approx(7.0 + (0.5 - mean) * below / above));
  // A privacy distance needs a place with less than .2.
  CHECK((office.STI.back() < 0.2) == office.rP.value.has_value());
  for (double& level : noise) level += 12.0;
  const OpenPlan loud = open_plan(places, noise);
  REQUIRE(loud.STI.back() < 0.2);
  CHECK(loud.rP.value.has_value());
  for (double& level : noise) level -= 60.0;
  CHECK(open_plan(places, noise).rP.reason == "STI is 0.20 or more at all places");
}

// Files of head-related impulse responses: directions in the head's axes, both ears, and what is refused.
#include "engine/binaural/head_responses.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/math/directions.hpp"
#include "engine/binaural/ear_filters.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/head_file.hpp"
#include "tests/support/solutions/rigid_sphere.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

const HeadResponses& sphere() {
  static const HeadResponses head = rigid_sphere_head(spiral(40), 44100.0, 64, 20.0);
  return head;
}

HeadResponses read_again(const TemporaryFolder& folder, const HeadFile& how, const HeadResponses& head = sphere()) {
  const auto path = folder.path() / (std::to_string(folder.entries()) + ".sofa");
  write_head_file(path, head, how);
  return read_head(path);
}

std::string refusal(const TemporaryFolder& folder, const HeadFile& how, const HeadResponses& head = sphere()) {
  try {
    read_again(folder, how, head);
  } catch (const Error& error) {
    CHECK(error.status == Status::file);
    return std::string(error.what()) + "; " + error.remedy;
  }
  return "read";
}

}  // namespace

TEST_CASE("a head's responses are read with its directions and ears", "[binaural]") {
  const TemporaryFolder folder;
  const HeadResponses same = read_again(folder, {});
  REQUIRE(same.directions.size() == 40);
  CHECK(same.samples == 64);
  CHECK(same.sample_rate == 44100.0);
  CHECK(same.ears == sphere().ears);
  CHECK(same.gap < 30.0);
  CHECK(same.distance == Approx(1.5));
  for (std::size_t q = 0; q < 40; ++q)
    for (std::size_t d = 0; d < 3; ++d) CHECK(same.directions[q][d] == Approx(sphere().directions[q][d]).margin(1e-12));
  HeadFile swapped;
  swapped.right_first = true;
  CHECK(read_again(folder, swapped).ears == sphere().ears);
  HeadFile late;
  late.delays = {3.0, 5.0};
  const HeadResponses delayed = read_again(folder, late);
  CHECK(delayed.samples == 69);
  CHECK(delayed.ears[3 + 7] == sphere().ears[7]);
  CHECK(delayed.ears[69 + 5 + 7] == sphere().ears[64 + 7]);
  // A listener who looks along y has what lies there in front.
  HeadFile aside;
  aside.view = {0.0, 1.0, 0.0};
  const HeadResponses turned = read_again(folder, aside);
  CHECK(turned.directions[5][0] == Approx(sphere().directions[5][1]).margin(1e-12));
  CHECK(turned.directions[5][1] == Approx(-sphere().directions[5][0]).margin(1e-12));
}

TEST_CASE("delays of a file count to fractions of a sample", "[binaural]") {
  // Gaussian pulses, which have nothing above 0.45 of the rate, with a delay by direction and ear.
  const std::vector<double> delays =
      GENERATE(std::vector{0.37, 5.5}, std::vector{61.25, 64.0}, std::vector{3.0, 7.999});
  const auto pulses = [&](double left, double right, std::size_t samples) {
    HeadResponses head = sphere();
    head.samples = samples;
    head.ears.clear();
    for (std::size_t q = 0; q < head.directions.size(); ++q)
      for (std::size_t ear = 0; ear < 2; ++ear)
        for (std::size_t n = 0; n < samples; ++n) {
          const double at = 30.0 + 0.21 * static_cast<double>(q) + (ear == 0 ? left : right);
          head.ears.push_back((ear == 0 ? 1.0 : 0.5) * std::exp(-std::pow(static_cast<double>(n) - at, 2) / 8.0));
        }
    return head;
  };
  const TemporaryFolder folder;
  HeadFile how;
  how.delays = delays;
  const HeadResponses read = read_again(folder, how, pulses(0.0, 0.0, 64));
  // All come later by a number of samples in common, which filters take away.
  double least = HUGE_VAL;
  for (int common = 0; common <= 32; ++common) {
    const HeadResponses exact = pulses(delays[0] + common, delays[1] + common, read.samples);
    double most = 0.0;
    for (std::size_t i = 0; i < read.ears.size(); ++i) most = std::max(most, std::abs(read.ears[i] - exact.ears[i]));
    least = std::min(least, most);
  }
  CAPTURE(delays);
  CHECK(least < 1e-5);
}

TEST_CASE("files that are no head's responses are refused with the remedy", "[binaural]") {
  const TemporaryFolder folder;
  HeadFile other;
  other.convention = "GeneralTF";
  CHECK_THAT(refusal(folder, other), Contains("GeneralTF"));
  HeadFile one_ear;
  one_ear.receivers = 1;
  CHECK_THAT(refusal(folder, one_ear), Contains("a head has two"));
  HeadFile inside;
  inside.distance = 0.0;
  CHECK_THAT(refusal(folder, inside), Contains("at the listener's place"));
  HeadFile negative;
  negative.delays = {-1.0, 0.0};
  CHECK_THAT(refusal(folder, negative), Contains("Data.Delay"));
  HeadFile along_up;
  along_up.view = {0.0, 0.0, 1.0};
  CHECK_THAT(refusal(folder, along_up), Contains("span no head"));
  HeadResponses broken = sphere();
  broken.ears[100] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(refusal(folder, {}, broken), Contains("Data.IR"));
  HeadResponses silent = sphere();
  for (std::size_t q = 0; q < 40; ++q) std::fill_n(silent.ears.begin() + static_cast<std::ptrdiff_t>(128 * q), 64, 0.0);
  CHECK_THAT(refusal(folder, {}, silent), Contains("left ear is silent"));
  std::vector<Point> circle;
  for (int i = 0; i < 72; ++i)
    circle.push_back({std::cos(i * std::numbers::pi / 36.0), std::sin(i * std::numbers::pi / 36.0), 0.0});
  CHECK_THAT(refusal(folder, {}, rigid_sphere_head(circle, 44100.0, 64, 20.0)),
             Contains("90 degrees from the nearest"));
  CHECK_THROWS_AS(read_head(folder.path() / "none.sofa"), Error);
  // Rates and counts that no head has are refused before responses are read.
  HeadResponses slow = sphere();
  slow.sample_rate = 4000.0;
  CHECK_THAT(refusal(folder, {}, slow), Contains("4000 Hz, not within 8000 to 384000 Hz"));
  slow.sample_rate = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(refusal(folder, {}, slow), Contains("Data.SamplingRate") || Contains("sampling rate"));
  const auto of_size = [](std::size_t directions, std::size_t samples) {
    HeadResponses head;
    head.sample_rate = 44100.0;
    head.directions = spiral(directions);
    head.samples = samples;
    head.ears.assign(2 * directions * samples, 0.5);
    return head;
  };
  CHECK_THAT(refusal(folder, {}, of_size(4, 15)), Contains("of 16 to 16384 are read"));
  CHECK_THAT(refusal(folder, {}, of_size(4, 16385)), Contains("4 directions of 16385 samples"));
  CHECK_THAT(refusal(folder, {}, of_size(12001, 16)), Contains("12001 directions of 16 samples, up to 12000"));
  CHECK_THAT(refusal(folder, {}, of_size(300, 16000)), Contains("more than the 4194304 samples of an ear"));
}

TEST_CASE("a direction twice with other responses is refused, a repeated measurement is not", "[binaural]") {
  const TemporaryFolder folder;
  // Direction 5 once more, with the ears of another one and some noise of `part` of the first's.
  const auto again = [&](std::size_t ears_of, double part, const Point& direction) {
    HeadResponses head = sphere();
    head.directions.push_back(direction);
    for (std::size_t n = 0; n < 2 * head.samples; ++n)
      head.ears.push_back((1.0 + part) * sphere().ears[2 * ears_of * head.samples + n]);
    return head;
  };
  const Point fifth = sphere().directions[5];
  CHECK_THAT(
      refusal(folder, {}, again(20, 0.0, fifth)),
      Contains("measurement 41 has the direction of measurement 6, and other responses; correct SourcePosition"));
  CHECK(read_again(folder, {}, again(5, 0.0, fifth)).ears == sphere().ears);
  const HeadResponses repeated = read_again(folder, {}, again(5, 0.1, fifth));
  CHECK(repeated.ears == sphere().ears);
  REQUIRE(repeated.remarks.size() == 1);
  CHECK_THAT(repeated.remarks[0], Contains(".sofa: of 41 measurements 40 are of directions of their own"));
  CHECK_THAT(repeated.remarks[0], !Contains("/"));
}

TEST_CASE("of several distances the farthest is taken, and solid angles are those of the nearest directions",
          "[binaural]") {
  const TemporaryFolder folder;
  HeadResponses twice = sphere();
  const auto mark = static_cast<std::ptrdiff_t>(twice.ears.size());
  for (const Point& near : sphere().directions)
    twice.directions.push_back({0.5 * near[0], 0.5 * near[1], 0.5 * near[2]});
  twice.ears.resize(2 * static_cast<std::size_t>(mark), 0.25);
  const HeadResponses read = read_again(folder, {}, twice);
  CHECK(read.directions.size() == 40);
  CHECK(read.ears == sphere().ears);
  REQUIRE(read.remarks.size() == 1);
  CHECK_THAT(read.remarks[0], Contains("80 measurements"));
  const std::vector<double> shares = solid_angles(read.directions);
  CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == Approx(1.0));
  for (const double share : shares) CHECK(share == Approx(1.0 / 40.0).epsilon(0.25));
}

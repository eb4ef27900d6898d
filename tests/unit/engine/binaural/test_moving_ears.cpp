// Ears that hear channels in blocks hear what they hear of the whole.
#include "engine/binaural/moving_ears.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "base/math/directions.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solutions/rigid_sphere.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("ears that hear channels in blocks hear what they hear of the whole", "[binaural]") {
  constexpr double rate = 16000.0;
  BinauralReceiver head;
  head.name = "H";
  head.front = {0.0, 1.0, 0.0};
  head.rotations = {0.0};
  head.filters =
      std::make_shared<const EarFilters>(design_ear_filters(rigid_sphere_head(spiral(40), 22050.0, 64, 20.0), 2));
  head.cuts = {std::vector<double>(9, 0.0)};
  head.cuts[0][5] = 200.0;
  constexpr std::size_t samples = 40000;
  std::vector<std::vector<double>> channels(9, std::vector<double>(samples, 0.0));
  for (std::size_t i = 0; i < 9; ++i)  // silent at the beginning, so that nothing lies before time 0
    for (std::size_t n = 2000; n < samples; ++n)
      channels[i][n] = std::sin(0.3 * static_cast<double>((n * (i + 3)) % 997) + static_cast<double>(n * n % 31));
  const std::vector<double> whole =
      ears_of(turned(*head.filters, axes_of(head, 0.0)), {channels.begin(), channels.end()}, rate, head.cuts[0]);
  for (const std::size_t block : {std::size_t{777}, std::size_t{16384}, samples}) {
    std::vector<double> ears[2];
    const auto hear = [&](const std::vector<std::span<const double>>& both) {
      REQUIRE(both.size() == 2);
      for (std::size_t ear = 0; ear < 2; ++ear) ears[ear].insert(ears[ear].end(), both[ear].begin(), both[ear].end());
    };
    MovingEars moving(head, 0, rate);
    for (std::size_t at = 0; at < samples; at += block) {
      std::vector<std::span<const double>> part;
      for (const auto& one : channels) part.push_back(std::span(one).subspan(at, std::min(block, samples - at)));
      moving.next(part, hear);
    }
    moving.finish(hear);
    double worst = 0.0, largest = 0.0;
    for (std::size_t ear = 0; ear < 2; ++ear) {
      REQUIRE(ears[ear].size() == samples);
      for (std::size_t n = 0; n < samples; ++n) {
        worst = std::max(worst, std::abs(ears[ear][n] - whole[ear * samples + n]));
        largest = std::max(largest, std::abs(ears[ear][n]));
      }
    }
    CAPTURE(block, worst, largest);
    CHECK(largest > 1.0);
    CHECK(worst < 1e-5 * largest);
  }
}

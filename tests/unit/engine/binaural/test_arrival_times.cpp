// Directions of a head that were measured early or late.
#include "engine/binaural/arrival_times.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/math/directions.hpp"
#include "engine/binaural/ear_filters.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solutions/rigid_sphere.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

constexpr double rate = 44100.0;

// Rings of elevation that a loudspeaker was moved to between, each some samples late.
int late_by(const Point& direction) {
  constexpr int samples[] = {0, 3, -2, 1, -3, 2, 0, -1, 3, -2};
  return samples[static_cast<int>(std::floor((direction[2] + 1.0) * 4.99))];
}

HeadResponses late_rings(HeadResponses head) {
  for (std::size_t q = 0; q < head.directions.size(); ++q)
    for (std::size_t ear = 0; ear < 2; ++ear) {
      const auto begin = head.ears.begin() + static_cast<std::ptrdiff_t>((2 * q + ear) * head.samples);
      const auto end = begin + static_cast<std::ptrdiff_t>(head.samples);
      const int by = late_by(head.directions[q]);
      std::rotate(begin, by >= 0 ? end - by : begin - by, end);
    }
  return head;
}

}  // namespace

TEST_CASE("arrival_times: late rings of a rigid sphere are found, and none where there are none") {
  const HeadResponses head = rigid_sphere_head(spiral(400), rate, 256, 60.0);
  const std::vector<double> shares = solid_angles(head.directions), none = late_directions(head, shares),
                            found = late_directions(late_rings(head), shares);
  double mean = 0.0, worst = 0.0, worst_of_none = 0.0;
  for (std::size_t q = 0; q < found.size(); ++q) mean += shares[q] * late_by(head.directions[q]) / rate;
  for (std::size_t q = 0; q < found.size(); ++q) {
    worst_of_none = std::max(worst_of_none, std::abs(none[q]));
    worst = std::max(worst, std::abs(found[q] - (late_by(head.directions[q]) / rate - mean)));
  }
  CAPTURE(worst, worst_of_none);
  CHECK(worst_of_none < 5e-6);
  CHECK(worst < 15e-6);  // rings in the same order as harmonics of elevation hide in part
}

TEST_CASE("arrival_times: few directions stay where they are") {
  const HeadResponses head = late_rings(rigid_sphere_head(spiral(60), rate, 256, 60.0));
  for (const double one : late_directions(head, solid_angles(head.directions))) CHECK(one == 0.0);
}

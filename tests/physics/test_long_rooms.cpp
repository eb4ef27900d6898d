// Steady levels of `fdtd estimate` in empty boxes against image sources: the energy of all images, walls smooth and alpha
// the same at any angle of incidence.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/estimate/model.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

using Place = std::array<double, 3>;
constexpr double c = 343.0;

// Sum of weight/r^2 over the images along axes d and above, those of a weight below `least` left out.
double images(const Place& box, const Place& source, const Place& receiver, double alpha, std::size_t d = 0,
              double weight = 1.0, double squared = 0.0) {
  constexpr double least = 1e-5;
  if (d == 3) return weight / squared;
  double sum = 0.0;
  for (const int way : {1, -1}) {
    double here = way > 0 ? weight : weight * (1.0 - alpha);
    for (int n = way > 0 ? 0 : -1; here >= least; n += way, here *= 1.0 - alpha) {
      const double along = (n % 2 == 0 ? n * box[d] + source[d] : (n + 1) * box[d] - source[d]) - receiver[d];
      sum += images(box, source, receiver, alpha, d + 1, here, squared + along * along);
    }
  }
  return sum;
}

struct Comparison {
  double level = 0.0;  // dB, the largest difference from image sources
  double fall = 0.0;   // dB, the same with the mean difference taken off
  int iterations = 0;
};

// At places along the room, a mean free path and more from the source.
Comparison compare(const Place& box, const Place& source, double alpha) {
  std::array<int, 3> cells{};
  Place h{};
  const double wanted = std::cbrt(box[0] * box[1] * box[2] / 20000.0);
  for (std::size_t d = 0; d < 3; ++d) {
    cells[d] = static_cast<int>(std::round(box[d] / wanted));
    h[d] = box[d] / cells[d];
  }
  const double volume = box[0] * box[1] * box[2];
  const double path = 2.0 * volume / (box[0] * box[1] + box[1] * box[2] + box[2] * box[0]);
  std::vector<Place> receivers;
  for (int i = 0; i < 10; ++i) {
    const Place place = {(i + 0.5) / 10.0 * box[0], (i % 3 + 0.7) / 3.4 * box[1], 0.43 * box[2]};
    if (distance_between(place, source) > path) receivers.push_back(place);
  }
  REQUIRE(receivers.size() > 1);
  const DiffusionRoom room =
      make_diffusion_room(voxelise_box(cells, h, {"w", "w", "w", "w", "w", "w"}), volume, {source}, receivers);
  DiffusionModel model(room, c, 1);
  model.set_band(std::vector<double>{alpha}, 0.0);
  const DiffusionField field = model.solve(0);
  CHECK(model.straight());
  std::vector<double> off;
  double mean = 0.0;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    const double exact = images(box, source, receivers[r], alpha) / (4.0 * std::numbers::pi * c);
    off.push_back(10.0 * std::log10((field.diffuse[r] + field.direct[r]) / exact));
    mean += off.back() / static_cast<double>(receivers.size());
  }
  Comparison found;
  found.iterations = field.iterations;
  for (const double one : off) {
    found.level = std::max(found.level, std::abs(one));
    found.fall = std::max(found.fall, std::abs(one - mean));
  }
  return found;
}

}  // namespace

TEST_CASE("level falls along smooth corridors as by image sources, within 1 dB", "[physics]") {
  struct Case {
    Place box, source;
    double alpha, level, fall;
  };
  for (const auto& [box, source, alpha, level, fall] :
       {Case{{30.0, 3.0, 3.0}, {1.5, 1.5, 1.5}, 0.1, 0.8, 0.4}, Case{{30.0, 3.0, 3.0}, {1.5, 1.5, 1.5}, 0.2, 0.8, 0.4},
        Case{{30.0, 3.0, 3.0}, {1.5, 1.5, 1.5}, 0.4, 1.6, 1.0}, Case{{30.0, 3.0, 3.0}, {15.0, 1.5, 1.5}, 0.1, 0.8, 0.4},
        Case{{12.0, 3.0, 3.0}, {1.0, 1.5, 1.5}, 0.1, 0.8, 0.4}, Case{{30.0, 6.0, 3.0}, {2.0, 2.0, 1.5}, 0.2, 0.8, 0.4},
        Case{{60.0, 3.0, 3.0}, {2.0, 1.5, 1.5}, 0.1, 1.2, 0.5},
        Case{{30.0, 30.0, 3.0}, {5.0, 8.0, 1.5}, 0.2, 1.4, 1.0}}) {
    const Comparison found = compare(box, source, alpha);
    INFO(box[0] << " x " << box[1] << " x " << box[2] << " m, alpha " << alpha << ": level " << found.level << ", fall "
                << found.fall << " dB, " << found.iterations << " iterations");
    CHECK(found.level < level);
    CHECK(found.fall < fall);
    CHECK(found.iterations <= 18);  // three solves: two of the decay's space, one of the levels
  }
}

TEST_CASE("levels in rooms of like sides are those of image sources within half a decibel", "[physics]") {
  for (const double alpha : {0.1, 0.2, 0.3}) {
    for (const Place& box : {Place{5.0, 4.8, 5.2}, Place{8.0, 6.0, 4.0}, Place{20.0, 15.0, 8.0}}) {
      const Comparison found = compare(box, {0.15 * box[0], 0.3 * box[1], 0.4 * box[2]}, alpha);
      INFO(box[0] << " x " << box[1] << " x " << box[2] << " m, alpha " << alpha << ": level " << found.level
                  << ", fall " << found.fall << " dB");
      CHECK(found.level < 0.6);
      CHECK(found.fall < 0.3);
    }
  }
}

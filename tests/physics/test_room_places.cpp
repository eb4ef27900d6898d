// The places that `fdtd place` finds in a box, against its exact response.
#include "engine/small_rooms/room_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <utility>

#include "engine/small_rooms/level_bands.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;

namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi, sound_speed = 343.2, admittance = 0.02;
constexpr std::array<double, 3> sides = {3.3, 2.7, 2.3};
const std::vector<std::array<double, 3>> seats = {{2.2, 1.5, 1.2}, {2.5, 1.0, 1.2}};

// Functions of one axis at one frequency, of e^{i w t}: of a wall of admittance b, X' = i k b X at 0 and -i k b X at L.
struct Axis {
  double length = 0.0;
  Complex wall;  // i k b

  Complex at(Complex kappa, double x) const { return std::cos(kappa * x) + wall / kappa * std::sin(kappa * x); }
  Complex slope(Complex kappa, double x) const { return wall * std::cos(kappa * x) - kappa * std::sin(kappa * x); }
  // The root of X'(L) + wall X(L) next to n pi / L, by Newton's method with a secant.
  Complex root(int n) const {
    const auto rest = [&](Complex kappa) { return (slope(kappa, length) + wall * at(kappa, length)) / kappa; };
    Complex one = n > 0 ? n * pi / length : std::sqrt(2.0 * wall / length), other = one * Complex(1.0, 1e-4);
    for (int i = 0; i < 40 && std::abs(one - other) > 1e-14 * std::abs(one); ++i) {
      const Complex f = rest(one), g = rest(other);
      if (f == g) break;
      other = std::exchange(one, one - f * (one - other) / (f - g));
    }
    return one;
  }
  Complex square_integral(Complex kappa) const {
    const Complex b = wall / kappa, turn = std::sin(kappa * length);
    return length / 2.0 * (1.0 + b * b) + std::sin(2.0 * kappa * length) / (4.0 * kappa) * (1.0 - b * b) +
           b * turn * turn / kappa;
  }
};

// The transfer function over that of the free field at 1 m: functions of x and y, summed, times the exact Green's function
// of z between its two walls (P. M. Morse, K. U. Ingard, Theoretical Acoustics, 1968, 9.4). Those of x and y up to
// `highest` 1/m are summed: the rest falls as exp(-highest |z - z'|).
class ExactBox {
 public:
  explicit ExactBox(double highest) : highest_(highest) {}

  Complex operator()(const std::array<double, 3>& a, const std::array<double, 3>& b, double hertz) {
    const Line& line = line_at(hertz);
    const double low = std::min(a[2], b[2]), high = std::max(a[2], b[2]);
    std::array<std::vector<Complex>, 2> products;
    for (std::size_t d = 0; d < 2; ++d)
      for (const Complex& root : line.roots[d])
        products[d].push_back(line.axes[d].at(root, a[d]) * line.axes[d].at(root, b[d]));
    Complex sum = 0.0;
    std::size_t i = 0;
    for (const Complex& x : products[0])
      for (const Complex& y : products[1]) {
        const auto& [z, factor] = line.along_z[i++];
        sum += factor * x * y * line.axes[2].at(z, low) * line.axes[2].at(z, sides[2] - high);
      }
    return 4.0 * pi * sum;
  }

 private:
  struct Line {
    double k = 0.0;
    std::array<Axis, 3> axes;
    std::array<std::vector<Complex>, 2> roots;
    // By pair of roots: the wave number along z, and one over the integrals of squares and the Wronskian of u(z), which
    // meets the wall at 0, and u(L - z), which meets the other.
    std::vector<std::pair<Complex, Complex>> along_z;
  };
  const Line& line_at(double hertz) {
    const auto [found, made] = lines_.try_emplace(hertz);
    Line& line = found->second;
    if (!made) return line;
    line.k = 2.0 * pi * hertz / sound_speed;
    for (std::size_t d = 0; d < 3; ++d) line.axes[d] = {sides[d], Complex(0.0, line.k * admittance)};
    for (std::size_t d = 0; d < 2; ++d)
      for (int n = 0; n * pi / sides[d] <= highest_; ++n) line.roots[d].push_back(line.axes[d].root(n));
    const auto& [of_x, of_y, of_z] = line.axes;
    for (const Complex& x : line.roots[0])
      for (const Complex& y : line.roots[1]) {
        const Complex z = std::sqrt(line.k * line.k - x * x - y * y);
        const Complex wronskian = of_z.at(z, 0.0) * of_z.slope(z, sides[2]) + of_z.slope(z, 0.0) * of_z.at(z, sides[2]);
        line.along_z.emplace_back(z, 1.0 / (of_x.square_integral(x) * of_y.square_integral(y) * wronskian));
      }
    return line;
  }
  double highest_;
  std::map<double, Line> lines_;
};

RatedPlace rated_by(ExactBox& exact, const std::array<double, 3>& place, const std::vector<double>& centres) {
  constexpr int lines = 15;
  double variance = 0.0;
  RatedPlace rated;
  for (const auto& seat : seats) {
    double mean = 0.0, square = 0.0;
    for (const double centre : centres) {
      double power = 0.0;
      for (int k = 0; k < lines; ++k) {
        const double low = std::exp2(-1.0 / 12.0), high = std::exp2(1.0 / 12.0);
        power += std::norm(exact(place, seat, centre * (low + (high - low) * (k + 0.5) / lines)));
      }
      const double level = 10.0 * std::log10(power / lines);
      mean += level / static_cast<double>(centres.size());
      square += level * level / static_cast<double>(centres.size());
    }
    variance += (square - mean * mean) / static_cast<double>(seats.size());
    rated.level += mean / static_cast<double>(seats.size());
  }
  rated.flatness = std::sqrt(variance);
  return rated;
}

}  // namespace

TEST_CASE("the best place of a source is the exact one of a box", "[physics]") {
  test::SceneText text;
  text.simulation = "duration = 1.0\nmax_frequency = 200.0\n";
  text.air = fmt::format("sound_speed = {}\n", sound_speed);
  text.room = fmt::format("box = [{}, {}, {}]\nwalls = {{ default = \"w\" }}\n[materials.w]\nadmittance = {}\n",
                          sides[0], sides[1], sides[2], admittance);
  text.walls = text.materials = text.receiver = "";
  text.source = "[0.5, 0.5, 0.5]";
  for (std::size_t s = 0; s < seats.size(); ++s)
    text.more += fmt::format("[[receiver]]\nname = \"R{}\"\nposition = [{}, {}, {}]\n", s, seats[s][0], seats[s][1],
                             seats[s][2]);
  PlacesRequest request;
  request.waves.scene.scene = "box.toml";
  request.waves.scene.text = text_of(text);
  request.waves.scene.device = "cpu";
  request.waves.from = 40.0;
  request.waves.to = 110.0;
  request.moved = "S1";
  request.over = PlaceBox{{0.2, 0.2, 0.5}, {3.1, 2.5, 0.5}};
  request.step = 0.4;
  const RoomPlaces found = room_places(request);
  REQUIRE(found.places.size() > 30);
  constexpr double highest = 10.0;  // 1/m: exp(-10 0.7) is 9e-4 where places and seats are 0.7 m apart along z
  ExactBox box(highest);
  const std::vector<double> centres = level_centres(request.waves.from, request.waves.to);
  std::vector<RatedPlace> exact;
  for (const RatedPlace& place : found.places) exact.push_back(rated_by(box, place.position, centres));
  const auto best =
      static_cast<std::size_t>(std::ranges::min_element(exact, {}, &RatedPlace::flatness) - exact.begin());
  CHECK(found.order[0] == best);
  // Set before the figures: modes within 0.2 cents and 0.2 % of decay (test_room_modes.cpp) move the level of a band of 200
  // cents by 0.2 % of its power, and its edges by a thousandth of the band, where the power is ten times the mean at most:
  // 0.05 dB.
  const auto check = [](const RatedPlace& one, const RatedPlace& other) {
    CHECK(one.flatness == Approx(other.flatness).margin(0.05));
    CHECK(one.level == Approx(other.level).margin(0.05));
  };
  for (std::size_t i = 0; i < exact.size(); ++i) check(found.places[i], exact[i]);
  check(found.now, rated_by(box, {0.5, 0.5, 0.5}, centres));
  // On half the spacing as well, where the grid's own waves, which walls hardly absorb, are still there at the record's end.
  request.waves.spacing = plan_waves(request.waves).planned.choice.grid.mean_spacing() / 2.0;
  request.step = 0.9;
  const RoomPlaces finer = room_places(request);
  REQUIRE(finer.places.size() >= 9);
  for (const RatedPlace& place : finer.places) check(place, rated_by(box, place.position, centres));
}

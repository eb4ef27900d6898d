// Directivity from derivatives: the polynomials, their weights on nodes, and what channels are made of them.
#include "engine/plan/field_operator.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "base/math/quadrature.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/taps.hpp"
#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;

namespace {

// Mean over the sphere of f(s): Gauss-Legendre in z, even steps around it.
template <class F>
double sphere_mean(const F& f) {
  double sum = 0.0;
  for (const auto& node : gauss_legendre(8))
    for (const double z : {2.0 * node.x - 1.0})
      for (int i = 0; i < 16; ++i) {
        const double angle = std::numbers::pi * i / 8.0, across = std::sqrt(1.0 - z * z);
        sum += node.weight * f({across * std::cos(angle), across * std::sin(angle), z}) / 16.0;
      }
  return sum;
}

std::string scene_with(const std::string& source_keys, const std::string& receiver_keys) {
  test::SceneText scene;
  scene.source_keys = source_keys;
  scene.receiver_keys = receiver_keys;
  return text_of(scene);
}

}  // namespace

TEST_CASE("field_operator: solid harmonics are orthogonal, of SN3D's strength and of their channel's degree") {
  for (int a = 0; a < 16; ++a) {
    const FieldOperator first = solid_harmonic(a);
    const int n = static_cast<int>(std::sqrt(a));
    CHECK(degree(first) == n);
    for (int b = 0; b < 16; ++b) {
      const FieldOperator second = solid_harmonic(b);
      const double mean =
          sphere_mean([&](const std::array<double, 3>& s) { return value(first, s) * value(second, s); });
      INFO(a << " and " << b);
      CHECK(mean == Approx(a == b ? 1.0 / (2.0 * n + 1.0) : 0.0).margin(1e-12));
    }
  }
  // ACN with x to the front, y to the left, z up.
  CHECK(value(solid_harmonic(1), {0, 1, 0}) == 1.0);
  CHECK(value(solid_harmonic(2), {0, 0, 1}) == 1.0);
  CHECK(value(solid_harmonic(3), {1, 0, 0}) == 1.0);
  CHECK(value(solid_harmonic(6), {0, 0, 1}) == 1.0);
  CHECK(value(solid_harmonic(8), {1, 0, 0}) == Approx(std::sqrt(3.0) / 2.0));
  CHECK(value(solid_harmonic(12), {0, 0, 1}) == 1.0);
  CHECK(value(solid_harmonic(15), {1, 0, 0}) == Approx(std::sqrt(5.0 / 8.0)));
  CHECK_THROWS(solid_harmonic(100));
  CHECK_THROWS(solid_harmonic(-1));
  CHECK(value(figure_eight({0, -3, 4}), {0, 0, 1}) == Approx(0.8));
}

TEST_CASE("field_operator: solid harmonics are the spherical harmonics of their channel") {
  const SphericalHarmonics harmonics(9, HarmonicNorm::sn3d);
  for (const std::array<double, 3>& s : {std::array{0.48, 0.6, 0.64}, {-0.6, 0.0, 0.8}, {0.36, -0.48, -0.8}}) {
    const std::vector<double> values = harmonics(s);
    for (int acn = 0; acn < 100; ++acn) {
      const FieldOperator operation = solid_harmonic(acn);
      CHECK(value(operation, s) == Approx(values[static_cast<std::size_t>(acn)]).margin(1e-13));
      CHECK(degree(operation) == harmonic_degree(static_cast<std::size_t>(acn)));
      if (acn >= 16) CHECK(harmonic_channel(operation) == acn);
    }
  }
  CHECK_THROWS(harmonic_channel(solid_harmonic(3)));
}

TEST_CASE("signals: derivative weights are exact on polynomials") {
  for (const int order : {0, 1, 2, 3})
    for (const double at : {0.0, 0.3, 5.5, -2.25}) {
      const AxisWeights axis = lagrange_derivative(at, 8, order);
      for (int power = 0; power < 8; ++power) {
        double sum = 0.0, scale = 1.0;
        for (std::size_t i = 0; i < axis.weights.size(); ++i)
          sum += axis.weights[i] * std::pow(axis.first + static_cast<double>(i) - at, power);
        for (int k = 0; k < order; ++k) scale *= order - k;
        CHECK(sum == Approx(power == order ? scale : 0.0).margin(1e-9));
      }
    }
}

TEST_CASE("signals: a tap with a harmonic receives a plane wave as that harmonic") {
  const Grid grid{{40, 40, 40}, {0.1, 0.11, 0.09}, 1e-4, 343.0};
  const AirMask air(grid.size);
  const std::array<double, 3> position = {2.03, 2.2, 1.77};
  const std::complex<double> i(0.0, 1.0);
  for (int acn = 0; acn < 16; ++acn) {
    const FieldOperator operation = solid_harmonic(acn);
    const Tap tap = make_tap("R", position, grid, air, operation, TapWeights{});
    for (const auto& s : {std::array<double, 3>{0.48, 0.6, 0.64}, {-0.36, 0.48, 0.8}}) {
      const double k = 0.9 / 0.1;  // seven nodes a wave
      std::complex<double> sum = 0.0;
      for (std::size_t n = 0; n < tap.nodes.size(); ++n) {
        const auto node = static_cast<int>(tap.nodes[n]);
        const double x = (node % 40 + 0.5) * 0.1 - position[0], y = (node / 40 % 40 + 0.5) * 0.11 - position[1],
                     z = (node / 1600 + 0.5) * 0.09 - position[2];
        sum += tap.weights[n] * std::exp(i * k * (s[0] * x + s[1] * y + s[2] * z));
      }
      const std::complex<double> heard = sum / std::pow(i * k, degree(operation));
      INFO("channel " << acn);
      CHECK(std::abs(heard - value(operation, s)) < 0.004);
    }
  }
}

TEST_CASE("channels: each pattern becomes the channels and sums that make it") {
  const auto channels = [](const std::string& receiver) {
    const ParsedScene parsed = parse_scene(scene_with("", receiver), "x.toml");
    REQUIRE(parsed.problems.empty());
    return std::pair(channels_of(parsed.scene).receivers, mixes_of(parsed.scene).receivers);
  };
  auto [omni, no_mix] = channels("pattern = \"omni\"");
  REQUIRE(omni.size() == 1);
  CHECK(omni[0].id.name == "R1");
  CHECK(no_mix.empty());
  auto [cardioid, mixes] = channels("pattern = \"cardioid\"\ndirection = [0, 2, 0]");
  REQUIRE(cardioid.size() == 2);
  CHECK(cardioid[1].id.name == "R1:v");
  CHECK(cardioid[1].operation == FieldOperator{{{0, 1, 0}, 1.0}});
  CHECK(mixes == std::vector<ChannelMix>{{0, 1, 0.5}});
  auto [eight, none] = channels("pattern = \"figure-eight\"\ndirection = [1, 0, 0]");
  REQUIRE(eight.size() == 1);
  CHECK(eight[0].id.name == "R1");
  CHECK(degree(eight[0].operation) == 1);
  CHECK(none.empty());
  auto [ambisonic, also_none] = channels("pattern = \"ambisonic\"\norder = 2");
  REQUIRE(ambisonic.size() == 9);
  CHECK(ambisonic[8].id.name == "R1:08");
}

TEST_CASE("channels: those of one source or receiver stand together, an array's with the names of its microphones") {
  const std::vector<ChannelId> names = read_channel_names({"A::x", "A::10", "B::x", "B::v", "C:m01", "C:m02", "D:00",
                                                           "D:01", "E:00", "E:01", "F", "F:v", "G:b00", "G:b01"});
  const std::vector<ChannelGroup> groups = groups_of(names);
  REQUIRE(groups.size() == 7);
  CHECK(groups[0].channels == 2);
  CHECK(microphone_names(names, groups[0]) == "x, 10");
  CHECK(groups[1].first == 2);
  CHECK(groups[2].channels == 2);
  CHECK(microphone_names(names, groups[2]).empty());
  CHECK(groups[3].channels == 2);
  CHECK(groups[4].name == "E");
  CHECK(groups[4].first == 8);
  CHECK(groups[5].channels == 1);
  CHECK(groups[6].first == 12);
  CHECK(groups[6].binaural);
  CHECK_FALSE(groups[3].binaural);
}

TEST_CASE("directivity: a pattern with missing or wrong keys is refused") {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "pattern = \"cardioid\""},
      {"", "pattern = \"ambisonic\""},
      {"", "pattern = \"ambisonic\"\norder = 10"},
      {"", "pattern = \"ambisonic\"\norder = 1\ndirection = [1, 0, 0]"},
      {"", "direction = [1, 0, 0]"},
      {"", "order = 1"},
      {"", "pattern = \"cardiod\"\ndirection = [1, 0, 0]"},
      {"", "pattern = \"cardioid\"\ndirection = [0, 0, 0]"},
      {"", "pattern = \"cardioid\"\ndirection = [1, 0]"},
      {"pattern = \"supercardioid\"", ""},
      {"pattern = \"ambisonic\"", ""},
      {"order = 1", ""},
  };
  for (const auto& [source, receiver] : bad) {
    INFO(source << " / " << receiver);
    CHECK(parse_scene(scene_with(source, receiver), "x.toml").problems.size() == 1);
  }
}

#include "engine/reports/result_page/low_frequencies.hpp"

#include <cmath>
#include <numbers>

#include "tests/support/catch.hpp"

namespace fdtd::test {
namespace {

// Two decaying sinusoids: 50 Hz with a decay time of 0.3 s, 90 Hz with one of 1.2 s.
std::vector<double> two_modes(double rate, double seconds) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rate * seconds); ++i) {
    const double t = static_cast<double>(i) / rate;
    const auto mode = [&](double f, double time) {
      return std::sin(2.0 * std::numbers::pi * f * t) * std::pow(10.0, -3.0 * t / time);
    };
    samples.push_back(mode(50.0, 0.3) + mode(90.0, 1.2));
  }
  return samples;
}

// The heights, in pixels, of the curves of a waterfall near a frequency, from first to last, over their own base.
std::vector<double> heights_at(const std::string& svg, double part_of_axis) {
  std::vector<double> heights;
  for (std::size_t at = svg.find("class=\"slice\" d=\"M"); at != std::string::npos;
       at = svg.find("class=\"slice\" d=\"M", at + 1)) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t p = at + 17; svg[p] == 'M' || svg[p] == 'L';) {
      std::size_t used = 0;
      const double x = std::stod(svg.substr(p + 1, 24), &used);
      const std::size_t comma = p + 1 + used;
      const double y = std::stod(svg.substr(comma + 1, 24), &used);
      points.emplace_back(x, y);
      p = comma + 1 + used;
    }
    REQUIRE(points.size() > 100);
    const double base = points.back().second;
    heights.push_back(base - points[1 + static_cast<std::size_t>(std::lround(part_of_axis * 109.0))].second);
  }
  return heights;
}

}  // namespace

TEST_CASE("the modes of a box are those of the formula, ascending") {
  const std::vector<BoxMode> modes = box_modes({5.0, 4.0, 3.0}, 340.0, 100.0);
  REQUIRE(modes.size() > 8);
  CHECK(modes[0].frequency == Approx(34.0));  // c / 2 L
  CHECK(modes[0].order == std::array{1, 0, 0});
  CHECK(modes[1].frequency == Approx(42.5));
  CHECK(modes[2].frequency == Approx(std::hypot(34.0, 42.5)));
  std::size_t count = 0;
  for (int x = 0; x < 9; ++x)
    for (int y = 0; y < 9; ++y)
      for (int z = 0; z < 9; ++z) {
        const double f = 170.0 * std::hypot(x / 5.0, y / 4.0, z / 3.0);
        count += f > 0.0 && f <= 100.0 ? 1 : 0;
      }
  CHECK(modes.size() == count);
  for (std::size_t i = 1; i < modes.size(); ++i) CHECK(modes[i].frequency >= modes[i - 1].frequency);
  CHECK(box_modes({0.0, 4.0, 3.0}, 340.0, 100.0).empty());
}

TEST_CASE("the low spectrum marks the modes of a box and the Schroeder frequency, and those alone") {
  const std::vector<double> samples = two_modes(8000.0, 1.0);
  const Response response{samples, 8000.0, 400.0, "S at R"};
  const Plot mesh = low_spectrum_plot(response, {});
  REQUIRE(mesh.series.size() == 1);
  CHECK(mesh.x.high == Approx(200.0));
  double loudest = -1e9, at = 0.0;
  for (const auto& [f, level] : mesh.series[0].points)
    if (level > loudest) loudest = level, at = f;
  CHECK(at == Approx(90.0).margin(1.0));
  const Plot box = low_spectrum_plot(response, {150.0, {5.0, 4.0, 3.0}, 340.0});
  CHECK(box.x.high == Approx(1.33 * 150.0));
  REQUIRE(box.series.size() == 5);  // axial, tangential, oblique, Schroeder
  CHECK(box.series[1].points[0].first == Approx(34.0));
  CHECK(box.series[4].points[0].first == Approx(150.0));
  // Six rows of a legend of 15 px and its margin stand above the curve: a row more than here, for dips of walls.
  const double area = box.height - 76.0, above = (box.y.high - loudest) / (box.y.high - box.y.low) * area;
  CHECK(above >= 6 * 15.0 + 12.0);
  CHECK(box.series[4].name == "Schroeder frequency, 150 Hz");
}

TEST_CASE("in a waterfall each mode falls by its own decay time") {
  const std::vector<double> samples = two_modes(8000.0, 1.5);
  const Response response{samples, 8000.0, 400.0, "S at <R>"};
  const std::string svg = waterfall_svg(response, {}, 0.0, 1.0);
  CHECK(svg.find("Waterfall, S at &lt;R&gt;") != std::string::npos);
  const std::vector<double> fast = heights_at(svg, 30.0 / 180.0), slow = heights_at(svg, 70.0 / 180.0);  // 50, 90 Hz
  REQUIRE(fast.size() == 16);
  // 50 dB are as high as the first curve's frame: 60 dB in 1.2 s are 50 dB in 1 s, 60 dB in 0.3 s are 50 dB in 0.25 s.
  const double frame = slow.front();
  CHECK(slow.back() < 0.08 * frame);
  CHECK(slow[8] == Approx(frame * (1.0 - 8.0 / 15.0)).margin(0.03 * frame));
  CHECK(fast[6] < 0.02 * frame);
  CHECK(fast[1] - fast[2] == Approx(200.0 / 15.0 / 50.0 * frame).margin(0.05 * frame));
  for (const char* time : {">0.00 s</text>", ">0.33 s</text>", ">0.67 s</text>", ">1.00 s</text>"}) {
    CAPTURE(time);
    CHECK(svg.find(time) != std::string::npos);  // beside the curves of these times
  }
  CHECK(svg.find(">2.00 s</text>") == std::string::npos);
  CHECK(waterfall_svg(response, {}, 1.0, 1.0).empty());  // longer than the response
  CHECK(waterfall_svg({{}, 8000.0, 400.0, "none"}, {}, 0.0, 1.0).empty());
}

}  // namespace fdtd::test

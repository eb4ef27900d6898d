// bench_head_ears HEAD.sofa: what filters of ears make of plane waves from every measured direction of a head, beside its
// measured responses, by order: errors of level by octave and direction, and of the interaural time difference.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "tests/support/solutions/plane_wave_ears.hpp"

namespace fdtd {
namespace {

double percentile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

nlohmann::ordered_json of_order(const HeadResponses& head, int order) {
  const std::vector<double> centres = {125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16000.0};
  test::EarErrors errors = test::errors_in_plane_waves(head, order, centres);
  nlohmann::ordered_json row{{"order", order}, {"exact_to_hz", std::round(errors.exact_to)}};
  for (std::size_t o = 0; o < centres.size(); ++o) {
    double squares = 0.0;
    for (double& x : errors.level[o]) squares += x * x, x = std::abs(x);
    const auto tenths = [](double x) { return std::round(100.0 * x) / 100.0; };
    row[fmt::format("rms_db_{:g}", centres[o])] =
        tenths(std::sqrt(squares / static_cast<double>(errors.level[o].size())));
    row[fmt::format("p95_db_{:g}", centres[o])] = tenths(percentile(errors.level[o], 0.95));
  }
  row["time_p95_us"] = std::round(percentile(errors.time, 0.95));
  row["time_largest_us"] = std::round(percentile(errors.time, 1.0));
  return row;
}

}  // namespace
}  // namespace fdtd

int main(int count, char** words) try {
  using namespace fdtd;
  if (count != 2) {
    fmt::print(stderr, "bench_head_ears HEAD.sofa\n");
    return 2;
  }
  const HeadResponses head = read_head(words[1]);
  const double delay = common_delay(head, solid_angles(head.directions));
  nlohmann::ordered_json document{{"program", "bench_head_ears"},
                                  {"head", std::filesystem::path(words[1]).filename().string()},
                                  {"directions", head.directions.size()},
                                  {"gap_degrees", std::round(head.gap)},
                                  {"common_delay_ms", std::round(1e5 * delay) / 100.0}};
  for (int order = 1; order <= 9; order += order < 5 ? 1 : 2)
    if (harmonic_count(order) <= head.directions.size()) document["orders"].push_back(of_order(head, order));
  fmt::print("{}\n", document.dump(1));
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}

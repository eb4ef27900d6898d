// Parts of the whole band beside exact values: diffraction at edges, rays beside all image sources of a box, the speech
// transmission index of decays.
//
//   bench_whole_band_exact > bench/results/whole-band-exact.json
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "bench/rows_document.hpp"
#include "engine/facets/facets.hpp"
#include "engine/images/edge_diffraction.hpp"
#include "engine/rays/trace.hpp"
#include "engine/responses/metrics.hpp"
#include "engine/system/version.hpp"
#include "tests/support/solutions/energy_images.hpp"
#include "tests/support/solutions/wedge.hpp"

using namespace fdtd;

namespace {

using Json = nlohmann::ordered_json;
constexpr double pi = std::numbers::pi, speed = 343.2;

double rounded(double x) { return std::round(1e4 * x) / 1e4; }

// The largest difference of the level (dB) from the exact solution, over places of the source, by octave.
Json edge(double opening, double past) {
  Json row = {{"part", "edge"}, {"air", opening}, {"past", past}};
  for (const double f : {500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16000.0}) {
    double worst = 0.0;
    for (const double source : {5.0, 30.0, 60.0, 100.0, 150.0}) {
      if (source + 180.0 + past > opening) continue;
      for (const auto& [a, b] : {std::array{1.0, 1.0}, std::array{0.5, 4.0}, std::array{3.0, 2.0}})
        for (const double along : {0.0, 2.0}) {
          const test::WedgePair pair = {
              opening * pi / 180.0, a, b, source * pi / 180.0, (source + 180.0 + past) * pi / 180.0, along};
          const double length = std::hypot(a + b, along), k = 2.0 * pi * f / speed;
          EdgeBend bend;
          bend.opening = pair.opening;
          bend.source = pair.source_angle;
          bend.receiver = pair.receiver_angle;
          bend.distance = a * b / length;
          const double found = std::abs(edge_factor(bend, k, {1.0, 1.0})) / length,
                       exact = std::abs(test::wedge_diffraction(pair, k));
          worst = std::max(worst, std::abs(20.0 * std::log10(found / exact)));
        }
    }
    row["errors"].push_back(rounded(worst));
  }
  return row;
}

// Energy of rays over that of all image sources in the first 0.2 s (dB), the worst of four receivers.
Json rays_of_box(const std::string& walls, const std::vector<double>& admittances, std::int64_t count) {
  const std::array<double, 3> sides = {4.2, 3.3, 2.6};
  const Point source = {0.93, 0.87, 1.45};
  const FacetRoom room = facets_of_box(sides, {0, 1, 2, 3, 4, 5});
  RayOctave octave;
  octave.centre = 1000.0;
  for (const double y : admittances) {
    WallOctave wall;
    wall.admittance.fill(y);
    octave.walls.push_back(wall);
  }
  octave.scattering.assign(6, 0.0);
  std::vector<RayReceiver> receivers;
  for (const Point& place :
       {Point{3.31, 2.39, 1.21}, Point{2.05, 0.71, 0.93}, Point{1.2, 2.6, 1.6}, Point{3.6, 1.2, 1.8}})
    receivers.push_back({place, 0.3, false});
  RaySettings settings;
  settings.rays = count;
  settings.duration = 0.2;
  settings.sound_speed = speed;
  settings.image_order = -1;
  const RayEnergies rays = trace_rays(room, std::span(&octave, 1), source, {}, receivers, settings);
  double worst = 0.0;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    double sum = 0.0;
    for (std::size_t half = 0; half < 2; ++half)
      for (std::size_t b = 0; b < rays.bins; ++b) sum += rays.energy[(half * receivers.size() + r) * rays.bins + b];
    const double exact = test::image_energy(sides, source, receivers[r].position, admittances, 0.2 * speed);
    worst = std::max(worst, std::abs(10.0 * std::log10(sum / exact)));
  }
  return {{"part", "rays"}, {"walls", walls}, {"rays", count}, {"error", rounded(worst)}};
}

// The index of noise whose level decays exponentially, beside that of its modulation 1 / sqrt(1 + (2 pi F T / 13.8)^2).
Json speech(double decay_time) {
  constexpr double rate = 48000.0;
  std::vector<double> ir(static_cast<std::size_t>(1.2 * decay_time * rate));
  std::uint64_t state = 88172645463325252ULL;  // xorshift: the same on every machine
  for (std::size_t n = 480; n < ir.size(); ++n) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    ir[n] =
        ((state & 1U) != 0 ? 1.0 : -1.0) * std::exp(-std::log(1e3) * static_cast<double>(n - 480) / rate / decay_time);
  }
  double exact = 0.0;
  for (const double f : modulation_frequencies) {
    const double x = 2.0 * pi * f * decay_time / std::log(1e6), m = 1.0 / std::sqrt(1.0 + x * x);
    exact += (std::clamp(10.0 * std::log10(m / (1.0 - m)), -15.0, 15.0) + 15.0) / 30.0 / 14.0;
  }
  return {{"part", "speech"},
          {"T", decay_time},
          {"exact", rounded(exact)},
          {"found", rounded(measure(ir, rate).STI.value.value_or(-1.0))}};
}

}  // namespace

int main(int argc, char** argv) {
  bench::RowsDocument document({{"program", version_line()},
                                {"date", bench::today()},
                                {"command", bench::command_line("bench_whole_band_exact", argc, argv)},
                                {"octaves", {500, 1000, 2000, 4000, 8000, 16000}}});
  for (const double opening : {360.0, 330.0, 300.0, 270.0, 240.0})
    for (const double past : {1.0, 10.0, 40.0, 120.0})
      if (5.0 + 180.0 + past <= opening) document.add({edge(opening, past)});
  for (const std::int64_t count : {10000, 40000}) {
    document.add({rays_of_box("rigid", std::vector<double>(6, 0.0), count)});
    document.add({rays_of_box("admittances of 0.01 to 0.3", {0.02, 0.1, 0.05, 0.01, 0.03, 0.3}, count)});
  }
  for (const double decay_time : {0.3, 0.5, 1.0, 2.0, 4.0}) document.add({speech(decay_time)});
  document.print();
  return 0;
}

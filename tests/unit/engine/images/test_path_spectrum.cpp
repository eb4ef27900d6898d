#include "engine/images/path_spectrum.hpp"

#include <omp.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;
using Complex = std::complex<double>;

namespace {

Material bands_of(std::vector<double> bands, std::vector<double> alpha) {
  Material material;
  material.kind = Material::Kind::absorption;
  material.bands = std::move(bands);
  material.alpha = std::move(alpha);
  return material;
}

Material porous_layer() {
  Material material;
  material.kind = Material::Kind::porous;
  material.porous = {9000.0, 0.04, 0.0};
  return material;
}

SpecularPath path_over(double length, std::vector<std::uint32_t> facets, std::vector<double> cosines) {
  SpecularPath path;
  path.length = length;
  path.facets = std::move(facets);
  path.cosines = std::move(cosines);
  return path;
}

PathMedium medium() {
  PathMedium result;
  result.sound_speed = 340.0;
  result.laws = {WideLaw(bands_of({250.0, 500.0, 1000.0, 2000.0}, {0.1, 0.1, 0.4, 0.7}), 340.0),
                 WideLaw(porous_layer(), 340.0)};
  result.materials = {0, 1, 1};
  result.scattering = [](std::uint32_t facet, double frequency) {
    return facet == 1 ? 0.0 : std::min(0.9, 200.0 / frequency);
  };
  result.air = [](double frequency) { return 0.02 * std::pow(frequency / 8000.0, 1.7); };
  return result;
}

const std::vector<SpecularPath> four = {path_over(1.37, {}, {}), path_over(5.11, {0, 1}, {0.9, 0.3}),
                                        path_over(29.3, {2, 0, 2, 1, 0}, {0.05, 0.7, 0.05, 0.5, 0.7}),
                                        path_over(140.02, {1, 1, 1}, {0.9, 0.9, 0.9})};

}  // namespace

TEST_CASE("path_spectrum: the sum is that of its formula at every bin") {
  const PathMedium room = medium();
  const SpectrumBins bins = {48000.0, 24000};
  const std::vector<double> weights = {1.0, -0.5, 0.7, 0.3};
  const std::vector<Complex> spectrum = path_spectrum(four, weights, room, bins);
  REQUIRE(spectrum.size() == 12001);
  double worst = 0.0, worst_low = 0.0;
  for (std::size_t bin = 1; bin < spectrum.size(); ++bin) {
    const double f = static_cast<double>(bin) * 2.0;
    Complex sum = 0.0;
    double scale = 0.0;
    for (std::size_t p = 0; p < four.size(); ++p) {
      const double r = four[p].length;
      Complex value = weights[p] / r * std::exp(-0.5 * room.air(f) * r);
      for (std::size_t hit = 0; hit < four[p].facets.size(); ++hit) {
        const std::uint32_t facet = four[p].facets[hit];
        const Complex y = room.laws[room.materials[facet]].admittance(f);
        value *= (four[p].cosines[hit] - y) / (four[p].cosines[hit] + y) * std::sqrt(1.0 - room.scattering(facet, f));
      }
      sum += value * std::polar(1.0, -2.0 * std::numbers::pi * f * r / room.sound_speed);
      scale += std::abs(weights[p]) / r;
    }
    double& largest = f < 250.0 ? worst_low : worst;
    largest = std::max(largest, std::abs(spectrum[bin] - sum) / scale);
  }
  CHECK(worst < 5e-4);
  CHECK(worst_low < 0.01);
}

TEST_CASE("path_spectrum: delays are exact, from the first bin to the last") {
  PathMedium rigid;
  rigid.laws = {WideLaw()};
  rigid.materials = {0};
  const std::vector<SpecularPath> paths = {path_over(77.7, {0, 0}, {0.1, 0.0}), path_over(1500.3, {0}, {1.0})};
  const std::vector<Complex> spectrum = path_spectrum(paths, {}, rigid, {44100.0, 300000});
  REQUIRE(spectrum.size() == 150001);
  double worst = 0.0;
  for (std::size_t bin = 0; bin < spectrum.size(); ++bin) {
    Complex sum = 0.0;
    for (const SpecularPath& path : paths)
      sum += std::polar(1.0 / path.length, -2.0 * std::numbers::pi * static_cast<double>(bin) * 44100.0 / 300000.0 *
                                               path.length / rigid.sound_speed);
    worst = std::max(worst, std::abs(spectrum[bin] - sum));
  }
  CHECK(worst < 1e-11);
}

TEST_CASE("path_spectrum: no paths are silence, and threads change no byte") {
  const PathMedium room = medium();
  const SpectrumBins bins = {48000.0, 30000};
  for (const Complex& value : path_spectrum({}, {}, room, bins)) CHECK(value == 0.0);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const std::vector<Complex> one = path_spectrum(four, {}, room, bins);
  omp_set_num_threads(3);
  CHECK(path_spectrum(four, {}, room, bins) == one);
  omp_set_num_threads(before);
}

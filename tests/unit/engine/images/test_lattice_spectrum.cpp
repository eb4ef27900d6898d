#include "engine/images/lattice_spectrum.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "base/math/fourier.hpp"
#include "engine/responses/air_absorption.hpp"
#include "scenes/toml/material_library.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using Complex = std::complex<double>;

namespace {

const BoxPair room = {{5.3, 3.7, 2.8}, {1.1, 1.3, 1.2}, {4.1, 2.2, 1.5}};

WideLaw of_library(const char* name) {
  const LibraryMaterial& entry = *find_library_material(name);
  Material material;
  material.kind = Material::Kind::absorption;
  material.bands = entry.bands;
  material.alpha = entry.alpha;
  return {material, 343.2};
}

WideLaw real_law(double admittance) {
  Material material;
  material.kind = Material::Kind::admittance;
  material.admittance = admittance;
  return {material, 343.2};
}

PathMedium furnished() {
  PathMedium medium;
  medium.laws = {of_library("carpet-heavy"), of_library("plasterboard"), of_library("wooden-door"),
                 of_library("acoustic-plaster")};
  medium.materials = {1, 2, 1, 1, 0, 3};
  return medium;
}

std::vector<SpecularPath> paths_between(double from, double to) {
  std::vector<SpecularPath> paths;
  visit_images(room, from, to, [&](const LatticeImage& image) { paths.push_back(path_of_image(room, image)); });
  return paths;
}

std::vector<Complex> shell(double from, double to, const PathMedium& medium, const SpectrumBins& bins) {
  std::vector<Complex> outer = lattice_spectrum(room, to, medium, bins, {});
  const std::vector<Complex> inner = lattice_spectrum(room, from, medium, bins, {});
  for (std::size_t i = 0; i < outer.size(); ++i) outer[i] -= inner[i];
  return outer;
}

// Of the octave around `centre`.
double energy(const std::vector<Complex>& spectrum, const SpectrumBins& bins, double centre) {
  double sum = 0.0;
  for (std::size_t i = 0; i < spectrum.size(); ++i) {
    const double f = static_cast<double>(i) * bins.rate / static_cast<double>(bins.length);
    if (f > centre / std::sqrt(2.0) && f < centre * std::sqrt(2.0)) sum += std::norm(spectrum[i]);
  }
  return sum;
}

double worst_difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double worst = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return worst / largest;
}

// dB a part, by least squares.
double slope_of(const std::vector<double>& energies) {
  double xy = 0.0, xx = 0.0;
  for (std::size_t i = 0; i < energies.size(); ++i) {
    const double x = static_cast<double>(i) - 0.5 * (static_cast<double>(energies.size()) - 1.0);
    xy += x * 10.0 * std::log10(energies[i]);
    xx += x * x;
  }
  return xy / xx;
}

// The decay of a rigid box's 16 kHz octave in air over that of its images' mean energy in the octave.
double decay_over_expected(const BoxPair& hall) {
  const AirState air;
  PathMedium medium;
  medium.sound_speed = air.sound_speed;
  medium.laws = {WideLaw()};
  medium.materials = {0, 0, 0, 0, 0, 0};
  medium.air = [&](double f) { return air_attenuation(air, f) * std::numbers::ln10 / 10.0; };
  const double reach = 0.4 * air.sound_speed;
  const SpectrumBins bins = {48000.0, 20736};
  std::vector<Complex> spectrum = lattice_spectrum(hall, reach, medium, bins, {});
  const double low = 16000.0 / std::sqrt(2.0), high = 22400.0;
  for (std::size_t i = 0; i < spectrum.size(); ++i) {
    const double f = static_cast<double>(i) * bins.rate / static_cast<double>(bins.length);
    if (f < low || f > high) spectrum[i] = 0.0;
  }
  const std::vector<double> response = inverse_real_fft(spectrum, bins.length);
  constexpr std::size_t parts = 12;  // of 25 ms
  std::vector<double> found(parts, 0.0), due(parts, 0.0);
  const auto part_of = [](double time) { return static_cast<std::size_t>(std::max(0.0, time - 0.025) / 0.025); };
  for (std::size_t i = 0; i < response.size(); ++i)
    if (const std::size_t part = part_of(static_cast<double>(i) / bins.rate); part >= 1 && part <= parts)
      found[part - 1] += response[i] * response[i];
  visit_images(hall, 0.0, reach, [&](const LatticeImage& image) {
    const std::size_t part = part_of(image.length / air.sound_speed);
    if (part < 1 || part > parts) return;
    constexpr int points = 40;
    double mean = 0.0;
    for (int j = 0; j < points; ++j)
      mean += std::exp(-medium.air(low + (high - low) * (j + 0.5) / points) * image.length) / points;
    due[part - 1] += mean / (image.length * image.length);
  });
  return slope_of(found) / slope_of(due);
}

}  // namespace

TEST_CASE("lattice_spectrum: with walls alike at all frequencies it is the sum of the paths") {
  PathMedium medium;
  medium.laws = {real_law(0.02), real_law(0.3), WideLaw()};
  medium.materials = {0, 1, 2, 0, 0, 2};
  medium.scattering = [](std::uint32_t wall, double) { return wall == 3 ? 0.2 : 0.0; };
  const SpectrumBins bins = {48000.0, 6000};
  const std::vector<SpecularPath> paths = paths_between(0.0, 30.0);
  CHECK(worst_difference(lattice_spectrum(room, 30.0, medium, bins, {}), path_spectrum(paths, {}, medium, bins)) <
        1e-5);

  std::vector<double> weights;
  for (const SpecularPath& path : paths) weights.push_back(path.departure[0] * path.arrival[2]);
  const auto weight = [](const LatticeImage& image) { return departure(image)[0] * image.towards[2] / image.length; };
  CHECK(worst_difference(lattice_spectrum(room, 30.0, medium, bins, {}, weight),
                         path_spectrum(paths, weights, medium, bins)) < 1e-5);
}

TEST_CASE("lattice_spectrum: octaves have the level of the exact sum, early and after 0.2 s") {
  PathMedium medium = furnished();
  medium.air = [](double f) { return 0.024 * std::pow(f / 8000.0, 1.7); };
  for (const double from : {2.0, 70.0}) {
    const double to = from + (from < 10.0 ? 18.0 : 2.0);
    const SpectrumBins bins = {48000.0, smooth_length(static_cast<std::int64_t>(to / 343.2 * 48000.0) + 2000)};
    const std::vector<Complex> exact = path_spectrum(paths_between(from, to), {}, medium, bins);
    const std::vector<Complex> fast = shell(from, to, medium, bins);
    for (const double centre : {500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16000.0}) {
      INFO(centre << " Hz, from " << from << " m");
      CHECK(10.0 * std::log10(energy(fast, bins, centre) / energy(exact, bins, centre)) == Approx(0.0).margin(0.3));
      std::vector<Complex> difference = fast;
      for (std::size_t i = 0; i < exact.size(); ++i) difference[i] -= exact[i];
      CHECK(energy(difference, bins, centre) < 0.04 * energy(exact, bins, centre));
    }
  }
}

TEST_CASE("lattice_spectrum: the 16 kHz octave of a rigid box decays as air lets its frequencies decay") {
  // Interference moves the decay at a single place by some 3 %: the mean of sixteen.
  double sum = 0.0;
  for (int place = 0; place < 16; ++place) {
    const auto between = [&](double low, double high, double step) {  // spread evenly
      return low + (high - low) * std::fmod(0.5 + step * place, 1.0);
    };
    const std::array<double, 3> receiver = {between(1.0, 7.3, 0.8192), between(1.0, 6.1, 0.6710),
                                            between(1.0, 4.2, 0.5497)};
    sum += decay_over_expected({{8.3, 7.1, 5.2}, {1.1, 2.3, 1.2}, receiver}) / 16.0;
  }
  CHECK(sum == Approx(1.0).epsilon(0.02));
}

TEST_CASE("lattice_spectrum: threads change no byte, and delays must fit") {
  const PathMedium medium = furnished();
  const SpectrumBins bins = {48000.0, 8640};
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const std::vector<Complex> one = lattice_spectrum(room, 50.0, medium, bins, {});
  omp_set_num_threads(3);
  CHECK(lattice_spectrum(room, 50.0, medium, bins, {}) == one);
  omp_set_num_threads(before);
  CHECK_THROWS_AS(lattice_spectrum(room, 62.0, medium, bins, {}), std::invalid_argument);
}

TEST_CASE("lattice_spectra: one walk over the images serves all weights, each to the byte as alone") {
  PathMedium medium = furnished();
  medium.scattering = [](std::uint32_t wall, double) { return wall == 3 ? 0.2 : 0.0; };
  const SpectrumBins bins = {48000.0, 6000};
  const auto weight = [](std::size_t number, const LatticeImage& image) {
    return number == 0 ? 1.0 : departure(image)[number - 1] * image.towards[2] / image.length;
  };
  std::int64_t visits = 0;
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto all = lattice_spectra(room, 30.0, medium, bins, {}, 4, [&](const LatticeImage& image, auto values) {
    ++visits;
    for (std::size_t i = 0; i < 4; ++i) values[i] = weight(i, image);
  });
  omp_set_num_threads(before);
  REQUIRE(all.size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(all[i] ==
          lattice_spectrum(room, 30.0, medium, bins, {}, [&](const LatticeImage& image) { return weight(i, image); }));
  CHECK(all[0] == lattice_spectrum(room, 30.0, medium, bins, {}));
  std::int64_t images = 0;
  visit_images(room, 0.0, 30.0, [&](const LatticeImage&) { ++images; });
  CHECK(visits == images);
}

TEST_CASE("lattice_spectra: series of one walk take a gigabyte at most, or are those of one weight") {
  for (const std::int64_t length :
       {std::int64_t{6000}, std::int64_t{250000}, std::int64_t{1000000}, std::int64_t{9000000}}) {
    const SpectrumBins bins = {48000.0, length};
    const std::size_t at_once = spectra_a_walk(bins, 16);
    CHECK(at_once >= 1);
    CHECK(at_once <= 16);
    const auto bytes = lattice_bytes(bins) * static_cast<std::int64_t>(at_once);
    CHECK((at_once == 1 || bytes <= (std::int64_t{1} << 30)));
    CHECK((at_once == 16 || bytes + lattice_bytes(bins) > (std::int64_t{1} << 30)));
  }
  CHECK(spectra_a_walk({48000.0, 6000}, 16) == 16);
}

TEST_CASE("every instruction set has the same reflections, to the byte, and those of the walls' fractions") {
  std::array<LatticeWall, 6> walls;
  for (std::size_t w = 0; w < 6; ++w)
    for (std::size_t k = 0; k < lattice_points; ++k) {
      const Complex y(0.01 * static_cast<double>(w * w + 1), 0.02 * static_cast<double>(k) - 0.1);
      walls[w].real[k] = w == 2 ? 0.0 : y.real();  // rigid
      walls[w].imaginary[k] = w == 2 ? 0.0 : y.imag();
      walls[w].norm[k] = w == 2 ? 0.0 : std::norm(y);
      walls[w].kept[k] = w == 4 ? 0.9 : 1.0;
    }
  const std::array<double, lattice_taps> taps = {0.1, -0.2, 1.0, 0.7, 0.0, 3.0};
  for (const std::array<std::int64_t, 3>& index :
       {std::array<std::int64_t, 3>{0, 0, 0}, {1, -1, 2}, {-7, 4, -3}, {23, -38, 57}, {0, 90, -1}}) {
    const LatticeImage image{index, {0.3, index[1] == 90 ? 0.0 : 0.8, 0.52}, 1.0};
    const std::array<double, 3> cosines = {image.towards[0], image.towards[1], image.towards[2]};
    std::array<Complex, lattice_points> due;
    due.fill(0.37);
    const std::array<std::int64_t, 6> hits = reflections(image);
    for (std::size_t w = 0; w < 6; ++w)
      for (std::size_t k = 0; k < lattice_points; ++k)
        for (std::int64_t hit = 0; hit < hits[w]; ++hit)
          due[k] *= walls[w].kept[k] * reflection({walls[w].real[k], walls[w].imaginary[k]}, cosines[w / 2]);
    LatticePoints first;
    std::array<LatticePoints, lattice_taps> first_sums;
    const LatticeCode* before = nullptr;
    for (const LatticeCode* const* code = lattice_codes(); *code != nullptr; ++code) {
      if (!(*code)->runs_here()) continue;
      INFO((*code)->instruction_set);
      LatticePoints found;
      std::array<LatticePoints, lattice_taps> sums;
      (*code)->reflect(walls.data(), index.data(), cosines.data(), 0.37, &found);
      for (int turn = 0; turn < 2; ++turn) (*code)->add(&found, 0.3, taps.data(), sums.data());
      for (std::size_t k = 0; k < lattice_points; ++k) {
        CHECK(std::abs(Complex(found.real[k], found.imaginary[k]) - due[k]) < 1e-9 * std::abs(due[k]) + 1e-300);
        for (std::size_t tap = 0; tap < taps.size(); ++tap) {
          CHECK(sums[tap].real[k] == Approx(0.6 * taps[tap] * found.real[k]).margin(1e-300));
          CHECK(sums[tap].imaginary[k] == Approx(0.6 * taps[tap] * found.imaginary[k]).margin(1e-300));
        }
        if (before == nullptr) continue;
        CHECK(found.real[k] == first.real[k]);
        CHECK(found.imaginary[k] == first.imaginary[k]);
        for (std::size_t tap = 0; tap < taps.size(); ++tap) CHECK(sums[tap].real[k] == first_sums[tap].real[k]);
      }
      if (before == nullptr) {
        first = found;
        first_sums = sums;
      }
      before = *code;
    }
    CHECK(before != nullptr);
  }
}

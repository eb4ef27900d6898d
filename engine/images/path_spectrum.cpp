#include "engine/images/path_spectrum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/parallel_failure.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;

constexpr std::int64_t lanes = 8;                   // bins side by side
constexpr std::int64_t bins_a_block = 512 * lanes;  // the recurrence begins anew
constexpr double points_an_octave = 48.0;

// The bins at which amplitudes are evaluated: multiples of `lanes`, the last at `end` or beyond it.
std::vector<std::int64_t> points_up_to(std::int64_t end) {
  std::vector<std::int64_t> points = {0};
  while (points.back() < end) {
    const auto next = static_cast<std::int64_t>(static_cast<double>(points.back()) * std::exp2(1.0 / points_an_octave));
    points.push_back(std::max(points.back() + lanes, next / lanes * lanes));
  }
  return points;
}

// A turn by `cycles`, which may be many.
Complex turn(double cycles) { return std::polar(1.0, 2.0 * std::numbers::pi * (cycles - std::round(cycles))); }

struct Sum {
  std::array<double, bins_a_block> real{}, imaginary{};
};

// An amplitude that is linear in frequency.
struct Line {
  Complex value, slope;  // at the first bin; a bin
};

// Adds the line times a phasor at the bins first..last - 1, and turns the phasor (of `lanes` bins, real and imaginary
// parts) by `step` for the next ones.
void add_line(Sum& sum, std::int64_t first, std::int64_t last, const Line& line, std::array<double, lanes>& real,
              std::array<double, lanes>& imaginary, Complex step) {
  const double sr = step.real(), si = step.imag();
  std::array<double, lanes> ar{}, ai{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    ar[lane] = line.value.real() + static_cast<double>(lane) * line.slope.real();
    ai[lane] = line.value.imag() + static_cast<double>(lane) * line.slope.imag();
  }
  const double dr = lanes * line.slope.real(), di = lanes * line.slope.imag();
  for (std::int64_t bin = first; bin < last; bin += lanes) {
    double* const out_real = &sum.real[static_cast<std::size_t>(bin)];
    double* const out_imaginary = &sum.imaginary[static_cast<std::size_t>(bin)];
#pragma omp simd
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double zr = real[lane], zi = imaginary[lane];
      out_real[lane] += ar[lane] * zr - ai[lane] * zi;
      out_imaginary[lane] += ar[lane] * zi + ai[lane] * zr;
      real[lane] = zr * sr - zi * si;
      imaginary[lane] = zr * si + zi * sr;
      ar[lane] += dr;
      ai[lane] += di;
    }
  }
}

}  // namespace

PathAmplitudes::PathAmplitudes(const PathMedium& medium, std::vector<double> frequencies,
                               std::span<const SpecularPath> paths)
    : medium_(medium), frequencies_(std::move(frequencies)) {
  for (const WideLaw& law : medium.laws) {
    std::vector<Complex> values;
    for (const double f : frequencies_) values.push_back(law.admittance(f));
    admittances_.push_back(std::move(values));
  }
  if (medium.air)
    for (const double f : frequencies_) air_.push_back(medium.air(f));
  if (!medium.scattering) return;
  for (const SpecularPath& path : paths) facets_.insert(facets_.end(), path.facets.begin(), path.facets.end());
  std::ranges::sort(facets_);
  facets_.erase(std::unique(facets_.begin(), facets_.end()), facets_.end());
  for (const std::uint32_t facet : facets_) {
    std::vector<double>& kept = kept_.emplace_back();
    for (const double f : frequencies_) kept.push_back(std::sqrt(std::max(0.0, 1.0 - medium.scattering(facet, f))));
  }
}

std::vector<Complex> PathAmplitudes::operator()(const SpecularPath& path) const {
  std::vector<Complex> values(frequencies_.size(), 1.0 / path.length);
  for (std::size_t k = 0; k < air_.size(); ++k) values[k] *= std::exp(-0.5 * air_[k] * path.length);
  for (std::size_t hit = 0; hit < path.facets.size(); ++hit) {
    const std::uint32_t facet = path.facets[hit];
    const std::vector<Complex>& y = admittances_[medium_.materials[facet]];
    // (x - y)/(x + y) = (x^2 - |y|^2 - 2 i x b)/((x + g)^2 + b^2), y = g + i b: products of std::complex ask for infinities.
    const double x = std::max(path.cosines[hit], 1e-12);  // a rigid wall reflects all at grazing incidence, too
    const auto number = std::ranges::lower_bound(facets_, facet) - facets_.begin();
    const double* const kept = kept_.empty() ? nullptr : kept_[static_cast<std::size_t>(number)].data();
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double g = y[k].real(), b = y[k].imag(), sum = x + g;
      const double scale = (kept != nullptr ? kept[k] : 1.0) / (sum * sum + b * b);
      const double real = (x * x - (g * g + b * b)) * scale, imaginary = -2.0 * x * b * scale;
      values[k] = {values[k].real() * real - values[k].imag() * imaginary,
                   values[k].real() * imaginary + values[k].imag() * real};
    }
  }
  if (path.edge) bend(*path.edge, values);
  return values;
}

void PathAmplitudes::bend(const EdgeBend& edge, std::vector<Complex>& values) const {
  std::array<std::uint16_t, 2> material{};
  for (std::size_t face = 0; face < 2; ++face) material[face] = medium_.materials[edge.faces[face]];
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::array<Complex, 2> reflections;
    for (std::size_t face = 0; face < 2; ++face)
      reflections[face] = reflection(admittances_[material[face]][k], edge.cosines[face]);
    values[k] *= edge_factor(edge, 2.0 * std::numbers::pi * frequencies_[k] / medium_.sound_speed, reflections);
  }
}

std::vector<Complex> path_spectrum(std::span<const SpecularPath> paths, std::span<const double> weights,
                                   const PathMedium& medium, const SpectrumBins& bins) {
  const std::int64_t count = bins.length / 2 + 1, blocks = (count + bins_a_block - 1) / bins_a_block;
  const double width = bins.rate / static_cast<double>(bins.length);  // Hz
  const std::vector<std::int64_t> points = points_up_to(count);
  std::vector<double> frequencies;
  for (const std::int64_t point : points)
    frequencies.push_back(width * std::max(1.0, static_cast<double>(point)));  // laws have no value at 0
  const PathAmplitudes amplitudes(medium, frequencies, paths);
  const auto number = static_cast<std::int64_t>(paths.size());
  std::vector<std::vector<Complex>> values(paths.size());
  std::vector<Complex> spectrum(static_cast<std::size_t>(count));
  ParallelFailure failure;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 16)
    for (std::int64_t p = 0; p < number; ++p)
      failure.guard([&] {
        const auto at = static_cast<std::size_t>(p);
        values[at] = amplitudes(paths[at]);
        if (!weights.empty())
          for (Complex& value : values[at]) value *= weights[at];
      });
#pragma omp for schedule(dynamic)
    for (std::int64_t block = 0; block < blocks; ++block)
      failure.guard([&] {
        const std::int64_t origin = block * bins_a_block, end = std::min(count, origin + bins_a_block);
        Sum sum;
        const auto first_point =
            static_cast<std::size_t>(std::ranges::upper_bound(points, origin) - points.begin()) - 1;
        for (std::size_t p = 0; p < paths.size(); ++p) {
          if (values[p].empty()) continue;  // after a failure
          const double cycles = -paths[p].length / medium.sound_speed * width;
          std::array<double, lanes> real{}, imaginary{};
          for (std::size_t lane = 0; lane < lanes; ++lane) {
            const Complex z = turn(cycles * static_cast<double>(origin + static_cast<std::int64_t>(lane)));
            real[lane] = z.real();
            imaginary[lane] = z.imag();
          }
          const Complex step = turn(cycles * lanes);
          for (std::size_t i = first_point; i + 1 < points.size() && points[i] < end; ++i) {
            const std::int64_t from = std::max(points[i], origin), to = std::min(points[i + 1], origin + bins_a_block);
            const Complex slope = (values[p][i + 1] - values[p][i]) / static_cast<double>(points[i + 1] - points[i]);
            const Line line = {values[p][i] + slope * static_cast<double>(from - points[i]), slope};
            add_line(sum, from - origin, to - origin, line, real, imaginary, step);
          }
        }
        for (std::int64_t bin = origin; bin < end; ++bin) {
          const auto in = static_cast<std::size_t>(bin - origin);
          spectrum[static_cast<std::size_t>(bin)] = {sum.real[in], sum.imaginary[in]};
        }
      });
  }
  failure.rethrow();
  return spectrum;
}

}  // namespace fdtd

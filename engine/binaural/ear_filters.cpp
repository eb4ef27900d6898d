#include "engine/binaural/ear_filters.hpp"

#include <fmt/format.h>
#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

#include "base/error.hpp"
#include "base/math/directions.hpp"
#include "base/math/fourier.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "engine/binaural/arrival_times.hpp"
#include "engine/responses/render.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
using Spectra = Eigen::MatrixXcd;  // direction x bin
constexpr double pi = std::numbers::pi, sound_speed = sound_speed_of_heads;
constexpr double penalty = 1e-4;  // of n (n + 1) + 1, beside a mean square of 1
// Of a degree's share beside degree 0 in the sound that a rigid sphere of body_radius scatters, at which a file's errors
// are as large: below, they would reach the ears, since near sources raise high degrees.
constexpr double noise = 1e-5;          // its square
constexpr double body_radius = 0.2;     // m: head and shoulders
constexpr double largest_weight = 3.0;  // times the median solid angle, beside a gap

// Directions by harmonics, N3D.
Eigen::MatrixXd harmonics_at(const std::vector<Point>& directions, int order) {
  const SphericalHarmonics harmonics(order, HarmonicNorm::n3d);
  Eigen::MatrixXd values(static_cast<Eigen::Index>(directions.size()), static_cast<Eigen::Index>(harmonics.count()));
  for (std::size_t q = 0; q < directions.size(); ++q) {
    const std::vector<double> row = harmonics(directions[q]);
    for (std::size_t i = 0; i < row.size(); ++i)
      values(static_cast<Eigen::Index>(q), static_cast<Eigen::Index>(i)) = row[i];
  }
  return values;
}

// That sum to 1: those beside a gap are not more than they measure.
Eigen::VectorXd weights_of(std::vector<double> shares) {
  std::vector<double> sorted = shares;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  Eigen::VectorXd weights(static_cast<Eigen::Index>(shares.size()));
  for (std::size_t q = 0; q < shares.size(); ++q)
    weights(static_cast<Eigen::Index>(q)) = std::min(shares[q], largest_weight * *middle);
  return weights / weights.sum();
}

// The least squares of functions of direction.
class Fit {
 public:
  Fit(const Eigen::MatrixXd& values, const Eigen::VectorXd& weights)
      : weighted_(values.transpose() * weights.asDiagonal()), normal_(weighted_ * values) {
    for (Eigen::Index i = 0; i < normal_.rows(); ++i) {
      const double n = harmonic_degree(static_cast<std::size_t>(i));
      normal_(i, i) += penalty * (1.0 + n * (n + 1.0));
    }
    plain_ = normal_.ldlt().solve(weighted_);
  }
  Eigen::VectorXcd operator()(const Eigen::VectorXcd& function) const { return plain_ * function; }
  // With as little of each degree as a body of that size has at `hertz`.
  Eigen::VectorXcd within_body(const Eigen::VectorXcd& function, double hertz) const {
    const double x = 2.0 * pi * hertz * body_radius / sound_speed;
    Eigen::MatrixXd normal = normal_;
    for (Eigen::Index i = 0; i < normal.rows(); ++i) {
      const int n = harmonic_degree(static_cast<std::size_t>(i));
      const double share = std::abs(spherical_hankel_slope(0, x) / spherical_hankel_slope(n, x));
      normal(i, i) += std::min(noise / (share * share), 1e12);
    }
    const Eigen::LDLT<Eigen::MatrixXd> solver(normal);
    const Eigen::VectorXcd right = weighted_ * function;
    Eigen::VectorXcd sum(right.size());
    sum.real() = solver.solve(right.real());
    sum.imag() = solver.solve(right.imag());
    return sum;
  }

 private:
  Eigen::MatrixXd weighted_, normal_, plain_;
};

// An ear's spectra, each direction `advances` s earlier.
Spectra spectra_of(const HeadResponses& head, std::size_t ear, std::int64_t length,
                   const std::vector<double>& advances) {
  const auto bins = static_cast<Eigen::Index>(length / 2 + 1);
  Spectra all(static_cast<Eigen::Index>(head.directions.size()), bins);
  for (std::size_t q = 0; q < head.directions.size(); ++q) {
    const std::vector<Complex> one =
        real_fft(std::span(head.ears).subspan((2 * q + ear) * head.samples, head.samples), length);
    for (Eigen::Index k = 0; k < bins; ++k)
      all(static_cast<Eigen::Index>(q), k) =
          one[static_cast<std::size_t>(k)] *
          std::polar(1.0,
                     2.0 * pi * static_cast<double>(k) / static_cast<double>(length) * head.sample_rate * advances[q]);
  }
  return all;
}

// Harmonics by bins, N3D.
Eigen::MatrixXcd fitted(const Spectra& spectra, const Eigen::MatrixXd& values, const Fit& fit,
                        const Eigen::VectorXd& weights, Eigen::Index first_by_magnitude, double bin) {
  Eigen::MatrixXcd filters(values.cols(), spectra.cols());
  for (Eigen::Index k = 0; k < spectra.cols(); ++k) {
    if (k < std::max<Eigen::Index>(1, first_by_magnitude)) {
      filters.col(k) = fit.within_body(spectra.col(k), bin * std::max(0.5, static_cast<double>(k)));
      continue;
    }
    Eigen::VectorXcd target = values * filters.col(k - 1);
    double energy = 0.0;
    for (Eigen::Index q = 0; q < target.size(); ++q) {
      const double magnitude = std::abs(spectra(q, k)), before = std::abs(target(q));
      target(q) = before > 0.0 ? target(q) / before * magnitude : Complex(magnitude);
      energy += weights(q) * magnitude * magnitude;
    }
    filters.col(k) = fit(target);
    const double have = filters.col(k).squaredNorm();
    if (have > 0.0) filters.col(k) *= std::sqrt(energy / have);
  }
  for (const Eigen::Index k : {Eigen::Index{0}, spectra.cols() - 1})
    filters.col(k) = filters.col(k).real().eval().cast<Complex>();
  return filters;
}

// From sources at the distance of the measurement to the channels as they are rendered, whose radial filters are those of
// a distance R: x^n / B_n(x) of the first over that of the second (engine/responses/render.hpp).
Complex from_distance(double measured, int n, double hertz) {
  if (n == 0) return 1.0;
  const double rendered = sound_speed / (2.0 * pi * plain_cut(n)), number = 2.0 * pi * hertz / sound_speed;
  return std::pow(measured / rendered, n) * radial_integration(n, number * measured) /
         radial_integration(n, number * rendered);
}

// Half a cosine over the first and the last `fade` taps.
void fade_ends(std::span<double> taps, std::size_t fade) {
  for (std::size_t n = 0; n < fade; ++n) {
    const double part = 0.5 - 0.5 * std::cos(pi * (static_cast<double>(n) + 0.5) / static_cast<double>(fade));
    taps[n] *= part;
    taps[taps.size() - 1 - n] *= part;
  }
}

}  // namespace

double exact_up_to(int order) { return 0.7 * order * sound_speed / (2.0 * pi * head_radius); }

double common_delay(const HeadResponses& head, const std::vector<double>& shares) {
  constexpr double from = 150.0, to = 700.0;  // Hz
  const std::int64_t length = smooth_length(std::max<std::int64_t>(static_cast<std::int64_t>(head.samples),
                                                                   static_cast<std::int64_t>(head.sample_rate / 20.0)));
  std::vector<double> mean(head.samples, 0.0);
  for (std::size_t q = 0; q < head.directions.size(); ++q)
    for (std::size_t i = 0; i < 2 * head.samples; ++i)
      mean[i % head.samples] += shares[q] * head.ears[2 * q * head.samples + i];
  const std::vector<Complex> spectrum = real_fft(mean, length);
  // The slope of the phase, from bin to bin, weighted by magnitude; the sphere's mean is e^{ix} / (1 + ix), x = ka.
  Complex turn = 0.0;
  const auto sphere = [](double hertz) {
    const double x = 2.0 * pi * hertz * head_radius / sound_speed;
    return std::polar(1.0, x) / Complex(1.0, x);
  };
  const double bin = head.sample_rate / static_cast<double>(length);
  for (std::size_t k = 1; k + 1 < spectrum.size(); ++k) {
    const double hertz = static_cast<double>(k) * bin;
    if (hertz < from || hertz > to) continue;
    turn += spectrum[k + 1] / sphere(hertz + bin) * std::conj(spectrum[k] / sphere(hertz));
  }
  return -std::arg(turn) / (2.0 * pi * bin);
}

EarFilters design_ear_filters(const HeadResponses& head, int order) {
  const std::size_t channels = harmonic_count(order);
  if (head.directions.size() < channels)
    throw Error(Status::scene,
                fmt::format("the head's responses of {} directions are too few for order {}, which has {} channels",
                            head.directions.size(), order, channels),
                "use a lower order or a finer file");
  const std::vector<double> shares = solid_angles(head.directions);
  const Eigen::VectorXd weights = weights_of(shares);
  const Eigen::MatrixXd values = harmonics_at(head.directions, order);
  const Fit fit(values, weights);
  EarFilters filters;
  filters.order = order;
  filters.sample_rate = head.sample_rate;
  filters.exact_to = exact_up_to(order);
  std::vector<double> delays = late_directions(head, shares);
  for (const double one : delays) filters.latest = std::max(filters.latest, std::abs(one));
  const double common = common_delay(head, shares);
  for (double& one : delays) one += common;
  const std::int64_t length = smooth_length(std::max<std::int64_t>(1024, 4 * static_cast<std::int64_t>(head.samples)));
  const double bin = head.sample_rate / static_cast<double>(length);
  const auto lead = static_cast<std::size_t>(length / 8);
  filters.lead = static_cast<double>(lead) / head.sample_rate;
  filters.taps = static_cast<std::size_t>(length / 2);
  filters.ears.resize(2 * channels * filters.taps);
  const auto first =
      static_cast<Eigen::Index>(std::ceil(filters.exact_to / head.sample_rate * static_cast<double>(length)));
  for (std::size_t ear = 0; ear < 2; ++ear) {
    const Eigen::MatrixXcd all = fitted(spectra_of(head, ear, length, delays), values, fit, weights, first, bin);
    for (std::size_t i = 0; i < channels; ++i) {
      std::vector<Complex> spectrum(static_cast<std::size_t>(all.cols()));
      // SN3D channels are 1 / sqrt(2n + 1) of N3D ones.
      const double norm = std::sqrt(2.0 * harmonic_degree(i) + 1.0);
      for (std::size_t k = 0; k < spectrum.size(); ++k)
        spectrum[k] = norm * all(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) *
                      from_distance(head.distance, harmonic_degree(i), bin * std::max(0.5, static_cast<double>(k)));
      spectrum.front() = spectrum.front().real();
      spectrum.back() = spectrum.back().real();
      std::vector<double> signal = inverse_real_fft(spectrum, length);
      std::ranges::rotate(signal, signal.end() - static_cast<std::ptrdiff_t>(lead));
      const std::span<double> to = std::span(filters.ears).subspan((ear * channels + i) * filters.taps, filters.taps);
      std::copy_n(signal.begin(), filters.taps, to.begin());
      fade_ends(to, filters.taps / 8);
    }
  }
  return filters;
}

EarFilters turned(const EarFilters& filters, const Axes& axes) {
  // Harmonics of the head's axes as sums of those of the scene's, degree by degree: exact, so any directions determine them.
  const std::size_t channels = harmonic_count(filters.order);
  const std::vector<Point> places = spiral(4 * channels);
  std::vector<Point> in_head;
  for (const Point& place : places) in_head.push_back(in_axes(axes, place));
  const Eigen::MatrixXd scene = harmonics_at(places, filters.order), head = harmonics_at(in_head, filters.order);
  EarFilters other = filters;
  std::ranges::fill(other.ears, 0.0);
  for (int n = 0; n <= filters.order; ++n) {
    const Eigen::Index first = n * n, count = 2 * n + 1;
    const Eigen::MatrixXd turn =
        scene.middleCols(first, count).colPivHouseholderQr().solve(head.middleCols(first, count));
    for (std::size_t ear = 0; ear < 2; ++ear)
      for (Eigen::Index i = 0; i < count; ++i)
        for (Eigen::Index j = 0; j < count; ++j) {
          const std::size_t to = (ear * channels + static_cast<std::size_t>(first + i)) * filters.taps,
                            from = (ear * channels + static_cast<std::size_t>(first + j)) * filters.taps;
          for (std::size_t t = 0; t < filters.taps; ++t) other.ears[to + t] += turn(i, j) * filters.ears[from + t];
        }
  }
  return other;
}

}  // namespace fdtd

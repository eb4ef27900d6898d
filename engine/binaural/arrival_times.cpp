#include "engine/binaural/arrival_times.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <span>

#include "base/math/fourier.hpp"
#include "base/math/spherical_harmonics.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
constexpr int smooth_order = 3;
constexpr double lowest = 150.0, highest = 600.0, widest_bin = 25.0;  // Hz
constexpr double degree_penalty = 1e-4;                               // of n (n + 1) + 1, beside a mean square of 1
constexpr int most_rounds = 30;
constexpr double settled = 2e-7;  // s

// Harmonics of directions, N3D, and their penalised least squares of a function of direction.
struct SmoothFields {
  Eigen::MatrixXd values, fit;
  Eigen::MatrixXcd operator()(const Eigen::MatrixXcd& functions) const { return values * (fit * functions).eval(); }
};

SmoothFields smooth_fields(const std::vector<Point>& directions, const std::vector<double>& shares) {
  const SphericalHarmonics harmonics(smooth_order, HarmonicNorm::n3d);
  const auto count = static_cast<Eigen::Index>(directions.size());
  Eigen::MatrixXd values(count, static_cast<Eigen::Index>(harmonics.count()));
  for (Eigen::Index q = 0; q < count; ++q) {
    const std::vector<double> row = harmonics(directions[static_cast<std::size_t>(q)]);
    for (std::size_t i = 0; i < row.size(); ++i) values(q, static_cast<Eigen::Index>(i)) = row[i];
  }
  const Eigen::MatrixXd weighted =
      values.transpose() * Eigen::Map<const Eigen::VectorXd>(shares.data(), count).asDiagonal();
  Eigen::MatrixXd normal = weighted * values;
  for (Eigen::Index i = 0; i < normal.rows(); ++i) {
    const double n = harmonic_degree(static_cast<std::size_t>(i));
    normal(i, i) += degree_penalty * (1.0 + n * (n + 1.0));
  }
  return {values, normal.ldlt().solve(weighted)};
}

// One ear's responses at frequencies `bin` apart from the first bin above `lowest`: direction x frequency.
Eigen::MatrixXcd low_spectra(const HeadResponses& head, std::size_t ear, std::int64_t length, Eigen::Index first,
                             Eigen::Index bins) {
  Eigen::MatrixXcd all(static_cast<Eigen::Index>(head.directions.size()), bins);
  for (std::size_t q = 0; q < head.directions.size(); ++q) {
    const std::vector<Complex> one =
        real_fft(std::span(head.ears).subspan((2 * q + ear) * head.samples, head.samples), length);
    for (Eigen::Index k = 0; k < bins; ++k)
      all(static_cast<Eigen::Index>(q), k) = one[static_cast<std::size_t>(first + k)];
  }
  return all;
}

// s, 0 in the mean: by how much each direction comes later than the smooth field, from its phase at both ears.
std::vector<double> beside_smooth(const std::array<Eigen::MatrixXcd, 2>& ears, const SmoothFields& smoother,
                                  const Eigen::VectorXd& omegas, const std::vector<double>& shares) {
  std::vector<double> slope(shares.size(), 0.0), weight = slope;
  for (const Eigen::MatrixXcd& ear : ears) {
    const Eigen::MatrixXcd smooth = smoother(ear);
    for (std::size_t q = 0; q < shares.size(); ++q)
      for (Eigen::Index k = 0; k < omegas.size(); ++k) {
        const auto row = static_cast<Eigen::Index>(q);
        const Complex beside = ear(row, k) * std::conj(smooth(row, k));
        slope[q] -= std::abs(beside) * omegas(k) * std::arg(beside);
        weight[q] += std::abs(beside) * omegas(k) * omegas(k);
      }
  }
  double mean = 0.0;
  for (std::size_t q = 0; q < shares.size(); ++q) {
    slope[q] = weight[q] > 0.0 ? slope[q] / weight[q] : 0.0;
    mean += shares[q] * slope[q];
  }
  for (double& one : slope) one -= mean;
  return slope;
}

}  // namespace

std::vector<double> late_directions(const HeadResponses& head, const std::vector<double>& shares) {
  const std::size_t directions = head.directions.size();
  std::vector<double> late(directions, 0.0);
  if (directions < 4 * harmonic_count(smooth_order)) return late;
  const std::int64_t length = smooth_length(std::max<std::int64_t>(
      static_cast<std::int64_t>(head.samples), static_cast<std::int64_t>(head.sample_rate / widest_bin)));
  const double bin = head.sample_rate / static_cast<double>(length);
  const auto first = static_cast<Eigen::Index>(std::ceil(lowest / bin)),
             bins = static_cast<Eigen::Index>(std::floor(highest / bin)) - first + 1;
  const SmoothFields smoother = smooth_fields(head.directions, shares);
  std::array<Eigen::MatrixXcd, 2> ears = {low_spectra(head, 0, length, first, bins),
                                          low_spectra(head, 1, length, first, bins)};
  const double step = 2.0 * std::numbers::pi * bin;
  Eigen::VectorXd omegas(bins);
  for (Eigen::Index k = 0; k < bins; ++k) omegas(k) = step * static_cast<double>(first + k);
  double moved = 1.0;
  for (int round = 0; round < most_rounds && moved > settled; ++round) {
    const std::vector<double> by = beside_smooth(ears, smoother, omegas, shares);
    moved = 0.0;
    for (std::size_t q = 0; q < directions; ++q) {
      late[q] += by[q];
      moved = std::max(moved, std::abs(by[q]));
      for (Eigen::Index k = 0; k < bins; ++k)
        for (Eigen::MatrixXcd& ear : ears) ear(static_cast<Eigen::Index>(q), k) *= std::polar(1.0, omegas(k) * by[q]);
    }
  }
  return late;
}

}  // namespace fdtd

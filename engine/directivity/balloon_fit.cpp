#include "engine/directivity/balloon_fit.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <optional>

#include "base/axes.hpp"
#include "base/error.hpp"
#include "base/math/directions.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "base/rounded_text.hpp"
#include "engine/directivity/minimum_phase.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi, ridge = 1e-6;
constexpr double off_axis = 10.0;  // degrees
constexpr double weakest = 1e-4;   // of the mean energy, on the axis: -40 dB
constexpr double weak = 0.1;       // of it: the division by a notch on the axis goes no further

// From the source's axes to the scene's.
std::vector<Point> turned(const std::vector<Point>& directions, const BalloonAim& aim, const std::string& name) {
  const std::optional<Axes> axes = axes_of(aim.direction, aim.up);
  if (!axes) throw Error(Status::scene, name + ": the source looks along its own up");
  std::vector<Point> list;
  for (const Point& s : directions) list.push_back(from_axes(*axes, s));
  return list;
}

// Of mean 1.
std::vector<double> weights_of(const std::vector<Point>& directions) {
  const auto count = static_cast<double>(directions.size());
  const double about = std::cos(std::min(pi, 1.5 * std::sqrt(4.0 * pi / count)));
  std::vector<double> weights;
  double sum = 0.0;
  for (const Point& one : directions) {
    weights.push_back(1.0 / static_cast<double>(std::ranges::count_if(
                                directions, [&](const Point& s) { return dot(one, s) > about; })));
    sum += weights.back();
  }
  for (double& w : weights) w *= count / sum;
  return weights;
}

// The weighted squares of all harmonics up to an order, N3D, so that on a whole sphere the matrix is that of one.
class HarmonicFit {
 public:
  HarmonicFit(const std::vector<Point>& directions, const std::vector<double>& weights, int order)
      : weights_(Eigen::Map<const Eigen::VectorXd>(weights.data(), static_cast<Eigen::Index>(weights.size()))) {
    const SphericalHarmonics harmonics(order, HarmonicNorm::n3d);
    basis_.resize(weights_.size(), static_cast<Eigen::Index>(harmonics.count()));
    for (Eigen::Index i = 0; i < basis_.rows(); ++i) {
      const std::vector<double> row = harmonics(directions[static_cast<std::size_t>(i)]);
      basis_.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), basis_.cols());
    }
    Eigen::MatrixXd squares = basis_.transpose() * weights_.asDiagonal() * basis_ / static_cast<double>(weights.size());
    least_ = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(squares, Eigen::EigenvaluesOnly).eigenvalues()[0];
    for (Eigen::Index i = 0; i < squares.rows(); ++i) {
      const int n = harmonic_degree(static_cast<std::size_t>(i));
      squares(i, i) += ridge * (1.0 + n * (n + 1.0));
    }
    factor_.compute(squares);
  }
  double least() const { return least_; }
  const Eigen::MatrixXd& basis() const { return basis_; }
  const Eigen::VectorXd& weights() const { return weights_; }
  // Columns of values by direction to columns of factors, N3D.
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& values) const {
    return factor_.solve(basis_.transpose() * weights_.asDiagonal() * values / static_cast<double>(weights_.size()));
  }

 private:
  Eigen::MatrixXd basis_;
  Eigen::VectorXd weights_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  double least_ = 0.0;
};

// The highest order that the directions hold, at most `most`.
HarmonicFit highest_fit(const std::vector<Point>& directions, const std::vector<double>& weights, int most,
                        int& order) {
  for (order = most; order > 0; --order) {
    if (harmonic_count(order) >= directions.size()) continue;
    HarmonicFit fit(directions, weights, order);
    if (fit.least() >= least_eigenvalue) return fit;
  }
  return {directions, weights, 0};
}

// SN3D factors are sqrt(2n + 1) times those of N3D.
double to_sn3d(Eigen::Index acn) { return std::sqrt(2.0 * harmonic_degree(static_cast<std::size_t>(acn)) + 1.0); }

// Indices of the frequencies of an octave.
std::vector<std::size_t> of_octave(const std::vector<double>& frequencies, double centre) {
  std::vector<std::size_t> list;
  for (std::size_t k = 0; k < frequencies.size(); ++k)
    if (frequencies[k] >= centre / std::numbers::sqrt2 && frequencies[k] < centre * std::numbers::sqrt2)
      list.push_back(k);
  return list;
}

constexpr std::array<double, 10> octave_centres = {31.5, 63, 125, 250, 500, 1000, 2000, 4000, 8000, 16000};

// The response on the axis as it stays: the magnitude with its minimum phase, or 1.
std::vector<Complex> kept_on_axis(const BalloonData& data, std::size_t axis, bool flat) {
  const std::size_t count = data.frequencies.size();
  if (flat) return std::vector<Complex>(count, 1.0);
  std::vector<double> magnitude;
  for (std::size_t k = 0; k < count; ++k) magnitude.push_back(std::abs(data.values[axis * count + k]));
  std::vector<std::size_t> reference = of_octave(data.frequencies, 500.0);
  for (const std::size_t k : of_octave(data.frequencies, 1000.0)) reference.push_back(k);
  for (std::size_t k = 0; reference.empty() && k < count; ++k) reference.push_back(k);
  double mean = 0.0;
  for (const std::size_t k : reference) mean += magnitude[k] * magnitude[k] / static_cast<double>(reference.size());
  for (double& m : magnitude) m /= std::sqrt(mean);
  return minimum_phase(data.frequencies, magnitude);
}

std::size_t axis_of(const BalloonData& data, const std::string& name) {
  std::size_t axis = 0;
  for (std::size_t i = 0; i < data.directions.size(); ++i)
    if (data.directions[i][0] > data.directions[axis][0]) axis = i;
  const double away = std::acos(std::clamp(data.directions[axis][0], -1.0, 1.0)) * 180.0 / pi;
  if (away > off_axis)
    throw Error(Status::file,
                fmt::format("{}: the direction nearest to the source's axis is {:.3g} degrees away", name, away),
                "levels are relative to the axis: SourceView, or azimuth 0 and elevation 0, must be among the "
                "directions");
  return axis;
}

// To a thousandth.
double in_degrees(double angle) { return std::round(angle * 180e3 / pi) / 1e3 + 0.0; }

// Refuses a direction that stands there twice with other values; at the poles, and at both ends of a turn, grids repeat one.
void require_single(const BalloonData& data, const std::string& name) {
  constexpr double same = 1e-5, alike = 1e-3;  // of a unit vector; of the pressure
  const std::size_t count = data.frequencies.size();
  std::map<std::array<std::int64_t, 3>, std::size_t> seen;
  for (std::size_t i = 0; i < data.directions.size(); ++i) {
    const Point& at = data.directions[i];
    if (std::hypot(at[0], at[1]) < same) continue;
    std::array<std::int64_t, 3> key{};
    for (std::size_t d = 0; d < 3; ++d) key[d] = std::llround(at[d] / same);
    const auto [first, fresh] = seen.emplace(key, i);
    if (fresh) continue;
    for (std::size_t k = 0; k < count; ++k) {
      const Complex one = data.values[first->second * count + k], other = data.values[i * count + k];
      if (std::abs(one - other) <= alike * std::max(std::abs(one), std::abs(other))) continue;
      throw Error(
          Status::file,
          fmt::format("{}: azimuth {:g}, elevation {:g} appears twice, with other values", name,
                      in_degrees(std::atan2(at[1], at[0])), in_degrees(std::asin(std::clamp(at[2], -1.0, 1.0)))),
          "export each direction once");
    }
  }
}

// Values relative to the axis, a column for each frequency.
Eigen::MatrixXcd relative(const BalloonData& data, const std::vector<double>& weights, bool flat,
                          const std::string& name) {
  const std::size_t axis = axis_of(data, name), count = data.frequencies.size();
  const std::vector<Complex> kept = kept_on_axis(data, axis, flat);
  Eigen::MatrixXcd values(static_cast<Eigen::Index>(data.directions.size()), static_cast<Eigen::Index>(count));
  for (std::size_t k = 0; k < count; ++k) {
    double mean = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i)
      mean += weights[i] * std::norm(data.values[i * count + k]) / static_cast<double>(weights.size());
    const Complex on_axis = data.values[axis * count + k];
    if (!(std::norm(on_axis) > weakest * mean))
      throw Error(Status::file,
                  fmt::format("{}: at {} Hz the pressure on the axis is {}", name, rounded_text(data.frequencies[k], 4),
                              mean > 0.0 ? fmt::format("{:.0f} dB below that of all directions",
                                                       10.0 * std::log10(mean / std::max(std::norm(on_axis), 1e-300)))
                                         : "0"),
                  "levels are relative to the axis: turn SourceView towards a direction that the source radiates to");
    const Complex scale = kept[k] * std::conj(on_axis) / std::max(std::norm(on_axis), weak * mean);
    for (std::size_t i = 0; i < weights.size(); ++i)
      values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = data.values[i * count + k] * scale;
  }
  return values;
}

// The harmonics of pressure, and what they leave out by octave.
void fit_pressure(const HarmonicFit& fit, const Eigen::MatrixXcd& values, Balloon& balloon) {
  const Eigen::MatrixXd real = fit(values.real()), imaginary = fit(values.imag());
  for (Eigen::Index k = 0; k < values.cols(); ++k)
    for (Eigen::Index i = 0; i < real.rows(); ++i)
      balloon.harmonics.push_back(to_sn3d(i) * Complex(real(i, k), imaginary(i, k)));
  const Eigen::MatrixXd left =
      (fit.basis() * real - values.real()).cwiseAbs2() + (fit.basis() * imaginary - values.imag()).cwiseAbs2();
  const Eigen::RowVectorXd lost = fit.weights().transpose() * left,
                           all = fit.weights().transpose() * values.cwiseAbs2();
  for (const double centre : octave_centres) {
    double out = 0.0, whole = 0.0;
    for (const std::size_t k : of_octave(balloon.frequencies, centre)) {
      out += lost[static_cast<Eigen::Index>(k)];
      whole += all[static_cast<Eigen::Index>(k)];
    }
    if (whole > 0.0) balloon.octaves.push_back({centre, std::min(1.0, out / whole)});
  }
}

// Energies are fitted as they are, not as squares of a fit of pressure: they vary less over direction.
void fit_energy(const std::vector<Point>& directions, const std::vector<double>& weights,
                const Eigen::MatrixXcd& values, Balloon& balloon) {
  const HarmonicFit fit = highest_fit(directions, weights, highest_energy_order, balloon.energy_order);
  for (const double centre : octave_centres) {
    const std::vector<std::size_t> list = of_octave(balloon.frequencies, centre);
    if (list.empty()) continue;
    Eigen::MatrixXd energy = Eigen::MatrixXd::Zero(values.rows(), 1);
    for (const std::size_t k : list)
      energy += values.col(static_cast<Eigen::Index>(k)).cwiseAbs2() / static_cast<double>(list.size());
    const Eigen::MatrixXd factors = fit(energy);
    std::vector<double>& to = balloon.energy.emplace_back();
    for (Eigen::Index i = 0; i < factors.rows(); ++i) to.push_back(to_sn3d(i) * factors(i, 0));
    balloon.energy_centres.push_back(centre);
  }
}

}  // namespace

Balloon fit_balloon(const BalloonData& data, const BalloonAim& aim, const std::string& name) {
  require_single(data, name);
  const std::vector<Point> directions = turned(data.directions, aim, name);
  const std::vector<double> weights = weights_of(directions);
  Balloon balloon;
  balloon.kind = data.kind;
  balloon.distance = data.distance > 0.0 ? data.distance : far_distance;
  balloon.directions = directions.size();
  balloon.widest_gap = widest_gap_of(directions);
  balloon.frequencies = data.frequencies;
  const Eigen::MatrixXcd values = relative(data, weights, aim.flat, name);
  const HarmonicFit fit =
      highest_fit(directions, weights, aim.order < 0 ? highest_wave_order : aim.order, balloon.order);
  fit_pressure(fit, values, balloon);
  fit_energy(directions, weights, values, balloon);
  if (balloon.energy.empty())
    throw Error(Status::file, name + ": no frequency within the octaves from 31.5 Hz to 16 kHz");
  return balloon;
}

}  // namespace fdtd

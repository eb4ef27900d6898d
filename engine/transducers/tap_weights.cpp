#include "engine/transducers/tap_weights.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace fdtd {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr double pi = std::numbers::pi;
constexpr double on_a_node = 1e-6;
constexpr int exact_degrees = 6;      // polynomials that stay exact beyond the order of the derivative
constexpr double long_waves = 0.3;    // in the weight of the squares
constexpr double ridge = 1e-12;       // a correction of 1 counts as an error of 1e-6: long waves leave it open
constexpr double good_enough = 1e-4;  // where polynomials are, they stay
constexpr double finest = 0.98 * pi;  // shorter waves are none of the band, and alias

// A point that should be on a node is on it: rounding of the quotient must not spread it over the neighbours.
double settled(double at) { return std::abs(at - std::round(at)) < on_a_node ? std::round(at) : at; }

int first_of(double at, int points) { return static_cast<int>(std::ceil(at - 0.5 * points)); }

std::complex<double> ideal(double k, int order) {
  constexpr std::array<std::complex<double>, 4> turn = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
  return turn[static_cast<std::size_t>(order % 4)] * std::pow(k, order);
}

Eigen::Map<const Matrix> matrix(const std::vector<double>& values, Eigen::Index rows, Eigen::Index columns) {
  return {values.data(), rows, columns};
}

}  // namespace

AxisWeights lagrange(double at, int points) {
  AxisWeights axis;
  at = settled(at);
  axis.first = first_of(at, points);
  for (int i = 0; i < points; ++i) {
    double weight = 1.0;
    for (int j = 0; j < points; ++j) {
      if (j != i) weight *= (at - (axis.first + j)) / (i - j);
    }
    axis.weights.push_back(weight);
  }
  return axis;
}

AxisWeights lagrange_derivative(double at, int points, int order) {
  at = settled(at);
  AxisWeights axis;
  axis.first = first_of(at, points);
  const auto n = static_cast<std::size_t>(points), m = static_cast<std::size_t>(order);
  std::vector<std::vector<double>> c(n, std::vector<double>(m + 1, 0.0));
  c[0][0] = 1.0;
  double before = 1.0;  // product of the distances of the previous node to all earlier ones
  for (std::size_t i = 1; i < n; ++i) {
    const double here = axis.first + static_cast<double>(i) - at, previous = here - 1.0;
    double product = 1.0;
    for (std::size_t j = 0; j < i; ++j) {
      const double apart = static_cast<double>(i) - static_cast<double>(j);
      product *= apart;
      if (j + 1 == i) {
        for (std::size_t k = std::min(i, m); k > 0; --k)
          c[i][k] = before * (static_cast<double>(k) * c[i - 1][k - 1] - previous * c[i - 1][k]) / product;
        c[i][0] = -before * previous * c[i - 1][0] / product;
      }
      for (std::size_t k = std::min(i, m); k > 0; --k)
        c[j][k] = (here * c[j][k] - static_cast<double>(k) * c[j][k - 1]) / apart;
      c[j][0] = here * c[j][0] / apart;
    }
    before = product;
  }
  for (const auto& row : c) axis.weights.push_back(row[m]);
  return axis;
}

TapWeights::TapWeights(double wave) : wave_(std::clamp(wave, 0.0, finest)) {
  if (!(wave_ > 0.0)) return;
  for (int q = 0; q < waves; ++q) {  // k = K sin t: dt is dk / sqrt(K^2 - k^2)
    const auto i = static_cast<std::size_t>(q);
    const double share = std::sin(pi / 2.0 * (q + 0.5) / waves);
    k_[i] = wave_ * share;
    weight_[i] = 1.0 / std::pow(long_waves + share * share, 2) / waves;
  }
  designs_.resize(index(most_tap_points, highest_order) + 1);
  for (int points = tap_points; points <= most_tap_points; points += 2)
    for (int order = 0; order <= highest_order; ++order)
      if (error(points, order) > good_enough) designs_[index(points, order)] = make(points, order);
  for (int order = 0; order <= highest_order; ++order) {
    int& points = points_[static_cast<std::size_t>(order)];
    const auto holds = [&] {
      for (int lower = 0; lower <= order; ++lower)
        if (error(points, lower) > tap_error) return false;
      return true;
    };
    while (points < most_tap_points && !holds()) points += 2;
  }
}

// The corrections are differences of order `moments`, each from one node on: what all polynomials of lower degree leave
// at zero. Normal equations depend on distances of nodes alone, not on the point.
TapWeights::Design TapWeights::make(int points, int order) const {
  Design design;
  design.moments = std::min(order + exact_degrees, points - 2);
  const Eigen::Index n = points, corrections = points - design.moments;
  Matrix normal = Matrix::Zero(corrections, corrections), differences = Matrix::Zero(n, corrections);
  for (std::size_t q = 0; q < k_.size(); ++q) {
    // A difference from node 0 on, of a wave: ((1 - e^{ik}) / 2)^moments. As a product it keeps its digits.
    const std::complex<double> one = 0.5 * (1.0 - std::polar(1.0, k_[q]));
    std::complex<double> difference = 1.0;
    for (int m = 0; m < design.moments; ++m) difference *= one;
    const double weight = weight_[q] / std::pow(k_[q], 2 * order);
    design.seen.push_back(weight * std::conj(difference));
    for (Eigen::Index i = 0; i < corrections; ++i)
      for (Eigen::Index j = 0; j < corrections; ++j)
        normal(i, j) += weight * std::norm(difference) * std::cos(k_[q] * static_cast<double>(i - j));
  }
  for (Eigen::Index j = 0; j < corrections; ++j) {
    double binomial = std::pow(0.5, design.moments);
    for (int i = 0; i <= design.moments; ++i) {
      differences(j + i, j) = binomial;
      binomial *= -static_cast<double>(design.moments - i) / (i + 1);
    }
  }
  normal.diagonal().array() += ridge;
  const Matrix factor = Eigen::LLT<Eigen::MatrixXd>(normal).matrixL();
  design.differences.assign(differences.data(), differences.data() + differences.size());
  design.factor.assign(factor.data(), factor.data() + factor.size());
  return design;
}

AxisWeights TapWeights::operator()(double at, int points, int order) const {
  at = settled(at);
  AxisWeights axis = order > 0 ? lagrange_derivative(at, points, order) : lagrange(at, points);
  if (designs_.empty() || (order == 0 && at == std::round(at))) return axis;
  const Design& design = designs_.at(index(points, order));
  if (design.moments == 0) return axis;
  // What the polynomial's weights leave of the waves, seen by each difference.
  const Eigen::Index n = points, corrections = points - design.moments;
  Eigen::VectorXd change = Eigen::VectorXd::Zero(corrections);
  for (std::size_t q = 0; q < k_.size(); ++q) {
    const std::complex<double> turn = std::polar(1.0, k_[q]), first = std::polar(1.0, k_[q] * (axis.first - at));
    std::complex<double> rest = ideal(k_[q], order), wave = first;
    for (const double weight : axis.weights) {
      rest -= weight * wave;
      wave *= turn;
    }
    rest *= design.seen[q] * std::conj(first);
    for (Eigen::Index j = 0; j < corrections; ++j) {
      change[j] += rest.real();
      rest *= std::conj(turn);
    }
  }
  const auto differences = matrix(design.differences, n, corrections);
  const auto factor = matrix(design.factor, corrections, corrections).triangularView<Eigen::Lower>();
  factor.solveInPlace(change);
  factor.transpose().solveInPlace(change);
  const Eigen::VectorXd added = differences * change;
  for (Eigen::Index i = 0; i < n; ++i) axis.weights[static_cast<std::size_t>(i)] += added[i];
  return axis;
}

// The largest relative error of a wave up to the finest, over places between two nodes.
double TapWeights::error(int points, int order) const {
  double worst = 0.0;
  for (const double at : {0.0, 0.25, 0.5}) {
    const AxisWeights axis = (*this)(at, points, order);
    for (int i = 4; i <= 16; ++i) {
      const double k = wave_ * i / 16.0;
      std::complex<double> sum = 0.0;
      for (std::size_t j = 0; j < axis.weights.size(); ++j)
        sum += axis.weights[j] * std::polar(1.0, k * (axis.first + static_cast<double>(j) - at));
      worst = std::max(worst, std::abs(sum - ideal(k, order)) / std::pow(k, order));
    }
  }
  return worst;
}

}  // namespace fdtd

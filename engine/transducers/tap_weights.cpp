#include "engine/transducers/tap_weights.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>

namespace fdtd {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr double pi = std::numbers::pi;
// Halved or doubled, one after the other, the constants down to `good_enough` leave the fewest points a wavelength that
// sources and receivers of the pressure send and read alike, 2.21, and those of the third order, 2.40, where they are to
// 0.01 (bench/constants.py, bench/results/constants.json). `velocity` and the ridges concern nodes beside walls that
// absorb (tests/physics/test_directivity.cpp).
constexpr double on_a_node = 1e-6;
constexpr int exact_degrees = 6;    // polynomials that stay exact beyond the order of the derivative
constexpr double long_waves = 0.3;  // in the weight of the squares
constexpr double ridge = 1e-12;     // a correction of 1 counts as an error of 1e-6: long waves leave it open
constexpr double velocity = 0.2;    // of waves without pressure at the wall: walls' admittances are of that order
// Weights of nodes far from the point are kept small: what a field has between its band and the grid's shortest waves,
// and the field beside a source, which is no sum of waves, count with them. A change of 1 counts as so large an error.
constexpr double inside_ridge = 1e-3, far_ridge = 50.0, far_away = 8.0;
constexpr double good_enough = 1e-4;  // where polynomials are, they stay
constexpr double finest = 0.98 * pi;  // shorter waves are none of the band, and alias

// A point that should be on a node is on it: rounding of the quotient must not spread it over the neighbours.
double settled(double at) { return std::abs(at - std::round(at)) < on_a_node ? std::round(at) : at; }

std::complex<double> ideal(double k, int order) {
  constexpr std::array<std::complex<double>, 4> turn = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
  return turn[static_cast<std::size_t>(order % 4)] * std::pow(k, order);
}

Eigen::Map<const Matrix> matrix(const std::vector<double>& values, Eigen::Index rows, Eigen::Index columns) {
  return {values.data(), rows, columns};
}

}  // namespace

int first_tap_node(double at, int points) { return static_cast<int>(std::ceil(settled(at) - 0.5 * points)); }

AxisWeights lagrange(double at, int points) {
  AxisWeights axis;
  at = settled(at);
  axis.first = first_tap_node(at, points);
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
  axis.first = first_tap_node(at, points);
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
  for (int q = 0; q < wave_count; ++q) {  // k = K sin t: dt is dk / sqrt(K^2 - k^2)
    const auto i = static_cast<std::size_t>(q);
    const double fraction = std::sin(pi / 2.0 * (q + 0.5) / wave_count);
    k_[i] = wave_ * fraction;
    weight_[i] = 1.0 / std::pow(long_waves + fraction * fraction, 2) / wave_count;
  }
  designs_.resize(index(max_tap_points, highest_order) + 1);
  for (int points = tap_points; points <= max_tap_points; points += 2)
    for (int order = 0; order <= highest_order; ++order)
      if (error(points, order) > good_enough) designs_[index(points, order)] = make(points, order);
  for (int order = 0; order <= highest_order; ++order) {
    int& points = points_[static_cast<std::size_t>(order)];
    const auto holds = [&] {
      for (int lower = 0; lower <= order; ++lower)
        if (error(points, lower) > tap_error) return false;
      return true;
    };
    while (points < max_tap_points && !holds()) points += 2;
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
  // The residue of the waves under the polynomial's weights, seen by each difference.
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

namespace {

// The layers that a field leaves at a node, from its first and third derivative at a wall.
class Layers {
 public:
  explicit Layers(const AxisWalls& walls) : walls_(walls) {}
  // `slope(x)`: the wave's derivative at x over its wave number.
  template <class Slope>
  double of_wave(std::size_t index, int node, const Slope& slope) const {
    return sum(
        node, [&](double wall, double side, int from) { return side * slope(wall) * walls_.layer->wave(index, from); });
  }
  // Of ((x - at) / reach)^power.
  double of_power(int power, double at, double reach, int node) const {
    return sum(node, [&](double wall, double side, int from) {
      const double x = (wall - at) / reach;
      double first = power, third = power * (power - 1.0) * (power - 2.0) / 6.0;
      for (int m = 1; m < power; ++m) first *= x;
      for (int m = 3; m < power; ++m) third *= x;
      return side *
             (first / reach * walls_.layer->linear(from) + third / (reach * reach * reach) * walls_.layer->cubic(from));
    });
  }

 private:
  template <class Each>
  double sum(int node, const Each& each) const {
    double total = 0.0;
    if (walls_.layer == nullptr) return total;
    if (std::isfinite(walls_.low)) total += each(walls_.low, 1.0, node - static_cast<int>(std::ceil(walls_.low)));
    if (std::isfinite(walls_.high)) total += each(walls_.high, -1.0, static_cast<int>(std::floor(walls_.high)) - node);
    return total;
  }
  AxisWalls walls_;
};

}  // namespace

AxisWeights TapWeights::inside(double at, int first, int count, int order, const AxisWalls& walls) const {
  at = settled(at);
  if (!(wave_ > 0.0) || count < inside_points(order) || count > max_tap_points || order > highest_order)
    throw std::invalid_argument("TapWeights::inside: needs a finest wave, and 2 nodes more than the order, up to 16");
  // Rows: waves cos k(x - wall) and sin k(x - wall), then the ridge. Powers: of (x - at) / reach.
  const Eigen::Index n = count, q = wave_count, moments = order + 2;
  const double reach = std::max(at - first, first + count - 1 - at);
  const double wall = at - walls.low <= walls.high - at ? walls.low : walls.high;
  const double origin = std::isfinite(wall) ? wall : at;
  const Layers layers(walls);
  Eigen::MatrixXd rows(2 * q + n, n), powers(n, moments);
  Eigen::VectorXd wanted = Eigen::VectorXd::Zero(2 * q + n), moment = Eigen::VectorXd::Zero(moments);
  for (Eigen::Index i = 0; i < q; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const double k = k_[index], even = std::sqrt(weight_[index]) / std::pow(k, order), odd = velocity * even;
    const std::complex<double> derivative = ideal(k, order) * std::polar(1.0, k * (at - origin));
    wanted[i] = even * derivative.real();
    wanted[q + i] = odd * derivative.imag();
    for (Eigen::Index j = 0; j < n; ++j) {
      const int node = first + static_cast<int>(j);
      const double phase = k * (node - origin);
      rows(i, j) =
          even * (std::cos(phase) + layers.of_wave(index, node, [&](double x) { return -std::sin(k * (x - origin)); }));
      rows(q + i, j) =
          odd * (std::sin(phase) + layers.of_wave(index, node, [&](double x) { return std::cos(k * (x - origin)); }));
    }
  }
  rows.bottomRows(n).setZero();
  for (Eigen::Index j = 0; j < n; ++j) {
    const double away = (first + static_cast<double>(j) - at) / far_away;
    rows(2 * q + j, j) = inside_ridge + far_ridge * std::pow(away, 6);
  }
  double factorial = 1.0;
  for (int m = 2; m <= order; ++m) factorial *= m;
  moment[order] = factorial / std::pow(reach, order);
  for (Eigen::Index j = 0; j < n; ++j) {
    const int node = first + static_cast<int>(j);
    double power = 1.0;
    for (Eigen::Index m = 0; m < moments; ++m, power *= (node - at) / reach)
      powers(j, m) = power + layers.of_power(static_cast<int>(m), at, reach, node);
  }
  // powers = Q R: the first columns of Q hold what the moments demand, the others leave them alone.
  const Eigen::HouseholderQR<Eigen::MatrixXd> split(powers);
  const Eigen::MatrixXd basis = split.householderQ() * Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd weights = basis.leftCols(moments) *
                            split.matrixQR().topRows(moments).triangularView<Eigen::Upper>().transpose().solve(moment);
  if (moments < n) {
    const Eigen::MatrixXd open = rows * basis.rightCols(n - moments);
    weights += basis.rightCols(n - moments) * open.householderQr().solve(wanted - rows * weights);
  }
  return {first, {weights.data(), weights.data() + n}};
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

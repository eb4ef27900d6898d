#include "engine/transducers/tap_response.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <stdexcept>
#include <utility>

namespace fdtd {

namespace {

using Vec3 = std::array<double, 3>;

constexpr std::array<Vec3, 4> mirrors = {{{1.0, 1.0, 1.0}, {-1.0, 1.0, 1.0}, {1.0, -1.0, 1.0}, {1.0, 1.0, -1.0}}};

std::complex<double> sum(const AxisWeights& axis, double from, double k) {
  // Horner's scheme: two turns instead of one for each node.
  const std::complex<double> turn = std::polar(1.0, k);
  double real = 0.0, imag = 0.0;
  for (std::size_t i = axis.weights.size(); i-- > 0;) {
    const double x = real * turn.real() - imag * turn.imag() + axis.weights[i];
    imag = real * turn.imag() + imag * turn.real();
    real = x;
  }
  return std::polar(1.0, k * from) * std::complex<double>(real, imag);
}

// A complex number whose product is four multiplications, without a look at infinities.
struct Plane {
  double re = 0.0, im = 0.0;
};
Plane operator*(Plane a, Plane b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
Plane mirrored(Plane a) { return {a.re, -a.im}; }

}  // namespace

TapResponse::TapResponse(const Tap& tap, const Grid& grid, const TapWeights& weights)
    : operation_(tap.operation), spacing_(grid.spacing), reach_(tap.reach) {
  if (by_ball()) return;
  const int points = weights.points(operation_);
  for (std::size_t d = 0; d < 3; ++d) {
    const double at = tap.position[d] / grid.spacing[d] - 0.5;
    for (int order = 0; order <= degree(operation_); ++order) axes_[d].push_back(weights(at, points, order));
    from_[d] = axes_[d][0].first - at;
    if (!omnidirectional()) continue;
    const std::vector<double>& along = axes_[d][0].weights;
    for (std::size_t lag = 0; lag < along.size(); ++lag) {
      double product = 0.0;
      for (std::size_t i = 0; i + lag < along.size(); ++i) product += along[i] * along[i + lag];
      correlation_[d].push_back(lag == 0 ? product : 2.0 * product);
    }
  }
}

double TapResponse::place(std::size_t d) const { return std::ceil(-from_[d]) + from_[d]; }

Mirrored TapResponse::operator()(const Vec3& k) const {
  if (operation_.empty()) {
    const double square = power(0, k[0]) * power(1, k[1]) * power(2, k[2]);
    return {square, square, square, square};
  }
  if (by_ball()) return of_ball(k, wave_number(k), reach_);
  std::array<std::vector<std::complex<double>>, 3> along;
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t power = 0; power < axes_[d].size(); ++power)
      along[d].push_back(sum(axes_[d][power], from_[d], k[d]) / std::pow(spacing_[d], static_cast<int>(power)));
  Mirrored squares{};
  for (std::size_t m = 0; m < mirrors.size(); ++m) {
    std::complex<double> total = 0.0;
    for (const DerivativeTerm& term : operation_) {
      std::complex<double> product = term.coefficient;
      for (std::size_t d = 0; d < 3; ++d) {
        const auto power = static_cast<std::size_t>(term.powers[d]);
        const std::complex<double> one = along[d][power];
        product *= mirrors[m][d] < 0.0 ? std::conj(one) : one;
      }
      total += product;
    }
    squares[m] = std::norm(total);
  }
  return squares;
}

Mirrored TapResponse::ideal(const Vec3& k, double number) const {
  if (operation_.empty()) return {1.0, 1.0, 1.0, 1.0};
  if (by_ball()) return of_ball(k, number, 0.0);
  Vec3 direction = {k[0] / spacing_[0], k[1] / spacing_[1], k[2] / spacing_[2]};
  const double length = std::hypot(direction[0], direction[1], direction[2]);
  Mirrored squares{};
  for (std::size_t m = 0; m < mirrors.size(); ++m) {
    Vec3 s{};
    for (std::size_t d = 0; d < 3; ++d) s[d] = mirrors[m][d] * direction[d] / length;
    squares[m] = std::pow(value(operation_, s) * std::pow(number, degree(operation_)), 2);
  }
  return squares;
}

double TapResponse::wave_number(const Vec3& k) const {
  return std::hypot(k[0] / spacing_[0], k[1] / spacing_[1], k[2] / spacing_[2]);
}

Mirrored TapResponse::of_ball(const Vec3& k, double number, double reach) const {
  const int order = degree(operation_);
  const double length = wave_number(k);
  std::array<std::array<double, highest_ball_order + 1>, 3> powers{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double s = k[d] / spacing_[d] / length;
    powers[d][0] = 1.0;
    for (std::size_t i = 1; i < powers[d].size(); ++i) powers[d][i] = powers[d][i - 1] * s;
  }
  double pattern = 0.0;
  for (const DerivativeTerm& term : operation_) {
    double product = term.coefficient;
    for (std::size_t d = 0; d < 3; ++d) product *= powers[d][static_cast<std::size_t>(term.powers[d])];
    pattern += product;
  }
  const double square = std::pow(pattern * std::pow(number, order) * ball_profile(order, number * reach), 2);
  return {square, square, square, square};
}

bool TapResponse::shares_nodes_with(const TapResponse& other) const {
  if (by_ball() || other.by_ball()) return false;
  if (from_ != other.from_ || spacing_ != other.spacing_) return false;
  for (std::size_t d = 0; d < 3; ++d)
    if (axes_[d][0].weights.size() != other.axes_[d][0].weights.size()) return false;
  return true;
}

// |sum of w_i e^{i k x_i}|^2 along one axis, by the autocorrelation of the weights: a sum of cos(lag k), each from the
// two before.
double TapResponse::power(std::size_t d, double k) const {
  const double turn = 2.0 * std::cos(k);
  double before = 1.0, now = turn / 2.0, total = correlation_[d][0];
  for (std::size_t lag = 1; lag < correlation_[d].size(); ++lag) {
    total += correlation_[d][lag] * now;
    before = std::exchange(now, turn * now - before);
  }
  return std::max(total, 0.0);
}

PlaceResponse::PlaceResponse(const std::vector<const TapResponse*>& taps) {
  for (const TapResponse* tap : taps) {
    orders_ = std::max(orders_, tap->axes_[0].size());
    std::vector<Term>& terms = taps_.emplace_back();
    for (const DerivativeTerm& term : tap->operation_) {
      std::array<std::size_t, 3> powers{};
      for (std::size_t d = 0; d < 3; ++d) powers[d] = static_cast<std::size_t>(term.powers[d]);
      const auto known = std::ranges::find(products_, powers);
      terms.push_back({static_cast<std::size_t>(known - products_.begin()), term.coefficient});
      if (known == products_.end()) products_.push_back(powers);
    }
  }
  if (orders_ > max_order) throw std::invalid_argument("PlaceResponse: derivatives to the third order");
  for (const TapResponse* tap : taps) {
    if (tap->axes_[0].size() != orders_) continue;
    for (std::size_t d = 0; d < 3; ++d) {
      axes_[d].from = tap->from_[d];
      for (std::size_t order = 0; order < orders_; ++order) {
        axes_[d].weights[order] = tap->axes_[d][order].weights;
        for (double& weight : axes_[d].weights[order]) weight /= std::pow(tap->spacing_[d], static_cast<int>(order));
      }
    }
    break;
  }
}

void PlaceResponse::operator()(const Vec3& k, std::span<Mirrored> squares) const {
  std::array<std::array<Plane, max_order>, 3> along{};
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = axes_[d];
    const Plane turn = {std::cos(k[d]), std::sin(k[d])};
    const Plane first = {std::cos(k[d] * axis.from), std::sin(k[d] * axis.from)};
    std::array<Plane, max_order> sums{};
    for (std::size_t i = axis.weights[0].size(); i-- > 0;)
      for (std::size_t order = 0; order < orders_; ++order) {
        sums[order] = sums[order] * turn;
        sums[order].re += axis.weights[order][i];
      }
    for (std::size_t order = 0; order < orders_; ++order) along[d][order] = first * sums[order];
  }
  constexpr std::size_t max_products = 20;  // of three orders up to 3 in all
  std::array<std::array<Plane, 4>, max_products> products{};
  for (std::size_t p = 0; p < products_.size(); ++p) {
    const Plane x = along[0][products_[p][0]], y = along[1][products_[p][1]], z = along[2][products_[p][2]];
    const Plane xy = x * y;
    products[p] = {xy * z, mirrored(x) * y * z, x * mirrored(y) * z, xy * mirrored(z)};
  }
  for (std::size_t t = 0; t < taps_.size(); ++t)
    for (std::size_t m = 0; m < 4; ++m) {
      Plane total;
      for (const Term& term : taps_[t]) {
        total.re += term.coefficient * products[term.product][m].re;
        total.im += term.coefficient * products[term.product][m].im;
      }
      squares[t][m] = total.re * total.re + total.im * total.im;
    }
}

}  // namespace fdtd

#include "engine/plan/field_operator.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace fdtd {

int degree(const FieldOperator& operation) {
  if (operation.empty()) return 0;
  const auto& powers = operation.front().powers;
  return powers[0] + powers[1] + powers[2];
}

double value(const FieldOperator& operation, const std::array<double, 3>& s) {
  if (operation.empty()) return 1.0;
  double sum = 0.0;
  for (const DerivativeTerm& term : operation) {
    double product = term.coefficient;
    for (std::size_t d = 0; d < 3; ++d)
      for (int i = 0; i < term.powers[d]; ++i) product *= s[d];
    sum += product;
  }
  return sum;
}

namespace {

using Polynomial = std::map<std::array<int, 3>, double>;

Polynomial times(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  for (const auto& [p, x] : a)
    for (const auto& [q, y] : b) product[{p[0] + q[0], p[1] + q[1], p[2] + q[2]}] += x * y;
  return product;
}

double factorial(int n) { return n < 2 ? 1.0 : n * factorial(n - 1); }

// Of degree n and |m| <= n: a sum of r^2j z^(n-m-2j) times the real or imaginary part of (x + iy)^|m|.
FieldOperator high_harmonic(int n, int m) {
  const int turns = std::abs(m);
  const Polynomial x = {{{1, 0, 0}, 1.0}}, y = {{{0, 1, 0}, 1.0}}, minus_y = {{{0, 1, 0}, -1.0}},
                   square = {{{2, 0, 0}, 1.0}, {{0, 2, 0}, 1.0}, {{0, 0, 2}, 1.0}};
  Polynomial cosine = {{{0, 0, 0}, 1.0}}, sine;
  for (int i = 0; i < turns; ++i) {
    Polynomial real = times(cosine, x), imaginary = times(cosine, y);
    for (const auto& [p, a] : times(sine, minus_y)) real[p] += a;
    for (const auto& [p, a] : times(sine, x)) imaginary[p] += a;
    cosine = real;
    sine = imaginary;
  }
  Polynomial along, power = {{{0, 0, 0}, 1.0}};  // power: r^2j
  for (int j = 0; 2 * j <= n - turns; ++j) {
    const double coefficient = std::pow(-1.0, j) * factorial(2 * n - 2 * j) /
                               (std::pow(2.0, n) * factorial(j) * factorial(n - j) * factorial(n - 2 * j - turns));
    for (const auto& [p, a] : times(power, {{{0, 0, n - turns - 2 * j}, coefficient}})) along[p] += a;
    power = times(power, square);
  }
  const double norm = std::sqrt((m == 0 ? 1.0 : 2.0) * factorial(n - turns) / factorial(n + turns));
  FieldOperator operation;
  for (const auto& [p, a] : times(along, m < 0 ? sine : cosine))
    if (a != 0.0) operation.push_back({p, norm * a});
  return operation;
}

// Orders 4 to 9, made once.
const std::vector<FieldOperator>& high_harmonics() {
  static const std::vector<FieldOperator> all = [] {
    std::vector<FieldOperator> made;
    for (int n = 4; n <= 9; ++n)
      for (int m = -n; m <= n; ++m) made.push_back(high_harmonic(n, m));
    return made;
  }();
  return all;
}

constexpr int first_high = 16;

}  // namespace

int harmonic_channel(const FieldOperator& operation) {
  const auto& all = high_harmonics();
  const auto at = std::ranges::find(all, operation);
  if (at == all.end()) throw std::invalid_argument("harmonic_channel: solid harmonics of order 4 to 9");
  return first_high + static_cast<int>(at - all.begin());
}

FieldOperator solid_harmonic(int acn) {
  if (acn >= first_high && acn < 100) return high_harmonics()[static_cast<std::size_t>(acn - first_high)];
  const double r3 = std::sqrt(3.0), r15 = std::sqrt(15.0), a = std::sqrt(3.0 / 8.0), b = std::sqrt(5.0 / 8.0);
  switch (acn) {
    case 0:
      return {};
    case 1:
      return {{{0, 1, 0}, 1.0}};
    case 2:
      return {{{0, 0, 1}, 1.0}};
    case 3:
      return {{{1, 0, 0}, 1.0}};
    case 4:
      return {{{1, 1, 0}, r3}};
    case 5:
      return {{{0, 1, 1}, r3}};
    case 6:
      return {{{0, 0, 2}, 1.0}, {{2, 0, 0}, -0.5}, {{0, 2, 0}, -0.5}};
    case 7:
      return {{{1, 0, 1}, r3}};
    case 8:
      return {{{2, 0, 0}, r3 / 2.0}, {{0, 2, 0}, -r3 / 2.0}};
    case 9:
      return {{{2, 1, 0}, 3.0 * b}, {{0, 3, 0}, -b}};
    case 10:
      return {{{1, 1, 1}, r15}};
    case 11:
      return {{{0, 1, 2}, 4.0 * a}, {{2, 1, 0}, -a}, {{0, 3, 0}, -a}};
    case 12:
      return {{{0, 0, 3}, 1.0}, {{2, 0, 1}, -1.5}, {{0, 2, 1}, -1.5}};
    case 13:
      return {{{1, 0, 2}, 4.0 * a}, {{3, 0, 0}, -a}, {{1, 2, 0}, -a}};
    case 14:
      return {{{2, 0, 1}, r15 / 2.0}, {{0, 2, 1}, -r15 / 2.0}};
    case 15:
      return {{{3, 0, 0}, b}, {{1, 2, 0}, -3.0 * b}};
    default:
      throw std::invalid_argument("solid_harmonic: channels 0 to 99");
  }
}

FieldOperator figure_eight(const std::array<double, 3>& direction) {
  const double length = std::hypot(direction[0], direction[1], direction[2]);
  FieldOperator operation;
  for (std::size_t d = 0; d < 3; ++d) {
    DerivativeTerm term;
    term.powers[d] = 1;
    term.coefficient = direction[d] / length;
    if (term.coefficient != 0.0) operation.push_back(term);
  }
  return operation;
}

}  // namespace fdtd

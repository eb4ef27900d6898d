#include "engine/plan/field_operator.hpp"

#include <cmath>
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

FieldOperator solid_harmonic(int acn) {
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
      throw std::invalid_argument("solid_harmonic: channels 0 to 15");
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

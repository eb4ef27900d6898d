#include "engine/planning/choose/transducer_limit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/known_values.hpp"
#include "engine/transducers/harmonic_ball.hpp"

namespace fdtd {
namespace {

constexpr double pi = std::numbers::pi;
constexpr std::size_t max_taps = 256;
const double tolerance = 1.0 - std::pow(10.0, -transducer_tolerance_db / 20.0);

struct Direction {
  std::array<double, 3> unit{};
  bool counts = true;  // in the mean
};

// Equal areas of half a sphere, and the axes, where differences are largest. Waves lie in the axes with more than one
// cell.
std::vector<Direction> directions_of(const Grid& grid) {
  constexpr int heights = 8, turns = 16;
  std::vector<Direction> all;
  for (int i = 0; i < heights; ++i)
    for (int j = 0; j < turns; ++j) {
      const double z = (i + 0.5) / heights, across = std::sqrt(1.0 - z * z), angle = 2.0 * pi * (j + 0.5) / turns;
      all.push_back({{across * std::cos(angle), across * std::sin(angle), z}, true});
    }
  for (std::size_t d = 0; d < 3; ++d) {
    Direction axis;
    axis.unit[d] = 1.0;
    axis.counts = false;
    all.push_back(axis);
  }
  for (Direction& one : all) {
    double square = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      if (grid.size[d] == 1) one.unit[d] = 0.0;
      square += one.unit[d] * one.unit[d];
    }
    for (double& x : one.unit) x /= std::max(std::sqrt(square), 1e-12);
  }
  return all;
}

std::complex<double> sum_of(const AxisWeights& axis, double at, double k) {
  std::complex<double> sum = 0.0;
  for (std::size_t i = 0; i < axis.weights.size(); ++i)
    sum += axis.weights[i] * std::polar(1.0, k * (axis.first + static_cast<double>(i) - at));
  return sum;
}

// The tap's reading of a wave, and the exact one.
struct Reading {
  std::complex<double> is, ideal;
  bool counts = true;
};

std::vector<Reading> readings(const Tap& tap, const Grid& grid, const TapWeights& weights, double frequency) {
  const int points = weights.points(tap.operation);
  std::vector<DerivativeTerm> terms(tap.operation.begin(), tap.operation.end());
  if (terms.empty()) terms.push_back({{0, 0, 0}, 1.0});
  const double number = 2.0 * pi * frequency / grid.sound_speed;
  std::vector<std::array<AxisWeights, 3>> axes;  // by term
  for (const DerivativeTerm& term : terms) {
    std::array<AxisWeights, 3>& own = axes.emplace_back();
    for (std::size_t d = 0; d < 3; ++d)
      own[d] = weights(tap.position[d] / grid.spacing[d] - 0.5, points, term.powers[d]);
  }
  std::vector<Reading> all;
  for (const Direction& direction : directions_of(grid)) {
    Reading one{0.0, 0.0, direction.counts};
    for (std::size_t t = 0; t < terms.size(); ++t) {
      std::complex<double> is = terms[t].coefficient, ideal = terms[t].coefficient;
      for (std::size_t d = 0; d < 3; ++d) {
        const double h = grid.spacing[d], k = number * direction.unit[d] * h;
        const int order = terms[t].powers[d];
        is *= sum_of(axes[t][d], tap.position[d] / h - 0.5, k) / std::pow(h, order);
        ideal *= std::pow(std::complex<double>(0.0, k / h), order);
      }
      one.is += is;
      one.ideal += ideal;
    }
    all.push_back(one);
  }
  return all;
}

}  // namespace

double direction_error(const Tap& tap, const Grid& grid, const TapWeights& weights, double frequency) {
  if (read_by_ball(tap.operation)) return 0.0;
  const std::vector<Reading> all = readings(tap, grid, weights, frequency);
  double is = 0.0, ideal = 0.0, largest = 0.0, worst = 0.0;
  for (const Reading& one : all) {
    largest = std::max(largest, std::abs(one.ideal));
    if (!one.counts) continue;
    is += std::norm(one.is);
    ideal += std::norm(one.ideal);
  }
  if (!(ideal > 0.0 && is > 0.0)) return 0.0;
  const double mean = std::sqrt(is / ideal);
  for (const Reading& one : all) {
    const double difference =
        tap.operation.empty() ? std::abs(one.is) / mean - 1.0 : std::abs(one.is / mean - one.ideal);
    worst = std::max(worst, std::abs(difference) / largest);
  }
  return worst;
}

double finest_transducer_wave(const std::vector<FieldOperator>& operations) {
  if (std::ranges::all_of(operations, &FieldOperator::empty) && !operations.empty()) return finest_pressure_wave;
  std::vector<double> numbers;
  for (const FieldOperator& operation : operations) {
    numbers.push_back(static_cast<double>(operation.size()));
    for (const DerivativeTerm& term : operation) {
      numbers.insert(numbers.end(), term.powers.begin(), term.powers.end());
      numbers.push_back(term.coefficient);
    }
  }
  static KnownValues<double> known(256);
  return known.of(std::move(numbers), [&] { return search_transducer_wave(operations); });
}

double search_transducer_wave(const std::vector<FieldOperator>& operations) {
  constexpr double finest = 0.95 * pi, step = 0.08, part = 0.005;
  const Grid cells{{64, 64, 64}, {1.0, 1.0, 1.0}, 1.0, 1.0};
  const auto hold = [&](double wave) {
    const TapWeights weights(wave);
    for (const FieldOperator& operation : operations)
      for (const std::array<double, 3>& place : {std::array{32.0, 32.0, 32.0}, {32.5, 32.5, 32.5}, {32.0, 32.5, 32.25}})
        if (direction_error({"", place, {}, {}, operation}, cells, weights, wave / (2.0 * pi)) > tolerance)
          return false;
    return true;
  };
  double wave = finest;
  while (wave > step && !hold(wave)) wave -= step;
  for (double next = wave + part; next < finest && hold(next); next += part) wave = next;
  return wave;
}

Limit transducer_limit(const Plan& plan, double max_frequency) {
  std::vector<Tap> taps;
  if (plan.sources.size() + plan.receivers.size() > max_taps) {
    Tap middle;  // of all: a copy of many thousand taps takes gigabytes
    for (const std::vector<Tap>* list : {&plan.sources, &plan.receivers})
      for (const Tap& tap : *list)
        if (!read_by_ball(tap.operation) && tap.operation.size() > middle.operation.size())
          middle.operation = tap.operation;
    middle.channel = "those in mid-cell";
    for (std::size_t d = 0; d < 3; ++d) middle.position[d] = plan.grid.spacing[d] * (plan.grid.size[d] / 2);
    taps = {std::move(middle)};
  } else {
    for (const std::vector<Tap>* list : {&plan.sources, &plan.receivers})
      for (const Tap& tap : *list) taps.push_back({tap.channel, tap.position, {}, {}, tap.operation});
  }
  const TapWeights weights(plan.tap_wave);
  Limit limit{"transducers", max_frequency, true, {}};
  for (const Tap& tap : taps) {
    if (direction_error(tap, plan.grid, weights, limit.frequency) <= tolerance) continue;
    double low = 0.0, high = limit.frequency;
    for (int i = 0; i < 16; ++i) {
      const double middle = (low + high) / 2.0;
      (direction_error(tap, plan.grid, weights, middle) <= tolerance ? low : high) = middle;
    }
    limit = {limit.what, low, false, tap.channel.name};
  }
  return limit;
}

}  // namespace fdtd

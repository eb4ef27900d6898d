#include "engine/calibration/identify.hpp"

#include <algorithm>
#include <cmath>

namespace fdtd {
namespace {

// By unknown: the change of all figures, in standard deviations, for one standard deviation of the prior.
std::vector<std::vector<double>> changes_of(const OctaveFit& fit, double excess) {
  const std::size_t n = fit.unknowns();
  std::vector<std::vector<double>> changes(n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < fit.data().measured.size(); ++i)
      if (fit.used(i))
        changes[j].push_back(fit.jacobian()[i * n + j] * fit.data().spread[j] /
                             (fit.data().deviation[i] * std::sqrt(excess)));
  return changes;
}

double length_of(const std::vector<double>& change) {
  double sum = 0.0;
  for (const double one : change) sum += one * one;
  return std::sqrt(sum);
}

// The change of the figures where b makes up for a.
double contrast(const std::vector<double>& a, const std::vector<double>& b) {
  const double of_a = length_of(a), of_b = length_of(b), norm = std::hypot(of_a, of_b);
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double one = (of_b * a[i] - of_a * b[i]) / norm;
    sum += one * one;
  }
  return std::sqrt(sum);
}

double deviation_of_sum(const std::vector<std::size_t>& group, const OctavePosterior& posterior,
                        std::span<const double> x, std::span<const double> areas) {
  double sum = 0.0, variance = 0.0;
  for (const std::size_t j : group) {
    sum += areas[j] * alpha_of(x[j]);
    for (const std::size_t k : group)
      variance += areas[j] * alpha_slope(x[j]) * posterior.covariance[j][k] * alpha_slope(x[k]) * areas[k];
  }
  return sum > 0.0 ? std::sqrt(std::max(variance, 0.0)) / sum : 0.0;
}

}  // namespace

double alpha_of(double x) { return -std::expm1(-std::exp(x)); }
double unknown_of(double alpha) { return std::log(-std::log1p(-alpha)); }
double alpha_slope(double x) { return std::exp(x - std::exp(x)); }

Identified identify(const OctaveFit& fit, const OctavePosterior& posterior, std::span<const double> x,
                    std::span<const double> areas) {
  const auto changes = changes_of(fit, posterior.excess);
  Identified found;
  std::vector<std::vector<std::size_t>> groups;  // each pair in a group is alike
  std::vector<std::size_t> order;                // what moves the figures most comes first
  for (std::size_t j = 0; j < changes.size(); ++j)
    if (length_of(changes[j]) < 1.0)
      found.unseen.push_back(j);
    else
      order.push_back(j);
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return length_of(changes[a]) > length_of(changes[b]); });
  for (const std::size_t j : order) {
    const auto group = std::ranges::find_if(groups, [&](const std::vector<std::size_t>& one) {
      return std::ranges::all_of(one, [&](std::size_t k) { return contrast(changes[j], changes[k]) < 1.0; });
    });
    if (group == groups.end())
      groups.push_back({j});
    else
      group->push_back(j);
  }
  for (std::vector<std::size_t>& group : groups) {
    if (group.size() < 2) continue;
    std::ranges::sort(group);
    found.alike.push_back({group, deviation_of_sum(group, posterior, x, areas)});
  }
  return found;
}

}  // namespace fdtd

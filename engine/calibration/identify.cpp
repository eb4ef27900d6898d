#include "engine/calibration/identify.hpp"

#include <algorithm>
#include <cmath>

namespace fdtd {
namespace {

using Matrix = std::vector<std::vector<double>>;

// Of the change of all figures, in standard deviations, for one standard deviation of the prior.
double length_of(const Matrix& information, std::size_t unknown) {
  return std::sqrt(std::max(information[unknown][unknown], 0.0));
}

// The change of the figures where b makes up for a.
double contrast(const Matrix& information, std::size_t a, std::size_t b) {
  const double of_a = length_of(information, a), of_b = length_of(information, b), norm = std::hypot(of_a, of_b);
  const double of_pair =
      of_b * of_b * information[a][a] + of_a * of_a * information[b][b] - 2.0 * of_a * of_b * information[a][b];
  return std::sqrt(std::max(of_pair, 0.0)) / norm;
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

Identified identify(const OctavePosterior& posterior, std::span<const double> x, std::span<const double> areas) {
  const Matrix& information = posterior.information;
  Identified found;
  std::vector<std::vector<std::size_t>> groups;  // each pair in a group is alike
  std::vector<std::size_t> order;                // what moves the figures most comes first
  for (std::size_t j = 0; j < information.size(); ++j)
    if (length_of(information, j) < 1.0)
      found.unseen.push_back(j);
    else
      order.push_back(j);
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return length_of(information, a) > length_of(information, b); });
  for (const std::size_t j : order) {
    const auto group = std::ranges::find_if(groups, [&](const std::vector<std::size_t>& one) {
      return std::ranges::all_of(one, [&](std::size_t k) { return contrast(information, j, k) < 1.0; });
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

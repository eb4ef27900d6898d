#include "stencils/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "stencils/all_mask.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd {
namespace {

constexpr double tolerance = 1e-12;
constexpr int max_radius = 20;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  std::replace(text, text + sizeof text, ',', '.');  // a decimal comma is the locale's, not ours
  return text;
}

std::string in_brackets(const std::array<std::string, 3>& parts) {
  std::string text = "(";
  return text.append(parts[0]).append(", ").append(parts[1]).append(", ").append(parts[2]).append(")");
}

std::string number(const Vec3& k) { return in_brackets({number(k[0]), number(k[1]), number(k[2])}); }

std::string name(const Shell& q) {
  return in_brackets({std::to_string(q.q1), std::to_string(q.q2), std::to_string(q.q3)});
}

bool on_the_axes(const Stencil& stencil) {
  return std::all_of(stencil.shells.begin(), stencil.shells.end(), [](const Shell& q) { return q.q2 == 0; });
}

std::vector<std::string> check_shape(const Stencil& stencil) {
  std::vector<std::string> problems;
  if (stencil.shells.empty()) problems.push_back("there are no shells");
  for (std::size_t s = 0; s < stencil.shells.size(); ++s) {
    const Shell& q = stencil.shells[s];
    if (!(q.q1 >= q.q2 && q.q2 >= q.q3 && q.q3 >= 0 && q.q1 >= 1)) {
      problems.push_back("shell " + name(q) + " is not q1 >= q2 >= q3 >= 0, q1 >= 1");
    }
    if (q.q1 > max_radius) {
      problems.push_back("shell " + name(q) + " reaches beyond radius " + std::to_string(max_radius));
    }
    const auto here = stencil.shells.begin() + static_cast<std::ptrdiff_t>(s);
    if (std::find(stencil.shells.begin(), here, q) != here) problems.push_back("shell " + name(q) + " is there twice");
  }
  if (stencil.weights.size() != stencil.shells.size()) {
    problems.push_back(std::to_string(stencil.weights.size()) + " weights for " +
                       std::to_string(stencil.shells.size()) + " shells");
  }
  const bool finite = std::isfinite(stencil.centre) && std::all_of(stencil.weights.begin(), stencil.weights.end(),
                                                                   [](double w) { return std::isfinite(w); });
  if (!finite) problems.push_back("a weight is not finite");
  if (!(stencil.courant > 0.0 && std::isfinite(stencil.courant))) {
    problems.push_back("the Courant number " + number(stencil.courant) + " is not positive");
  }
  return problems;
}

std::vector<std::string> check_moments(const Stencil& stencil) {
  std::vector<std::string> problems;
  double sum = stencil.centre, second = 0.0;
  for (std::size_t s = 0; s < stencil.shells.size(); ++s) {
    for (const auto& p : points(stencil.shells[s])) {
      sum += stencil.weights[s];
      second += p[0] * p[0] * stencil.weights[s];
    }
  }
  const double wanted = 2.0 * stencil.courant * stencil.courant;
  if (!(std::abs(sum - 2.0) <= tolerance)) {
    problems.push_back("the weights sum to 2 " + std::string(sum > 2.0 ? "+ " : "- ") + number(std::abs(sum - 2.0)) +
                       " instead of 2: constants are not kept");
  }
  if (!(std::abs(second - wanted) <= tolerance)) {
    problems.push_back("the second moment is " + number(second) + " instead of 2 lambda^2 = " + number(wanted) +
                       ": sound does not travel at c");
  }
  return problems;
}

void check_stability(const Stencil& stencil, std::vector<std::string>& problems) {
  Stencil own = stencil;
  own.courant_limit = own.courant;
  const SymbolRange range = symbol_range(on_grid(own, {own.courant, own.courant, own.courant}));
  if (range.max > 2.0 + tolerance) {
    problems.push_back("S reaches " + number(range.max) + " > 2 at k = " + number(range.at_max) + " rad/cell");
  }
  if (range.min < -2.0 - tolerance) {
    problems.push_back("S reaches " + number(range.min) + " < -2 at k = " + number(range.at_min) +
                       " rad/cell: Courant number too large");
  }
  const double limit = stencil.courant * std::sqrt(4.0 / (2.0 - range.min));
  if (!(stencil.courant_limit <= limit * (1.0 + tolerance))) {
    problems.push_back("the Courant limit is " + number(limit) + ", not " + number(stencil.courant_limit));
  }
  if (!(stencil.courant <= stencil.courant_limit * (1.0 + tolerance)))
    problems.push_back("the Courant number is above its own limit");
}

void check_proof(const Stencil& stencil, std::vector<std::string>& problems) {
  if (stencil.proof == WallProof::run_fold && !on_the_axes(stencil)) {
    problems.push_back("run folding proves nothing for points off the axes");
  }
  if (stencil.proof != WallProof::all_mask) return;
  if (stencil.courant_limit > stencil.courant) {
    problems.push_back("the all-mask certificate holds up to the stencil's own Courant number, not beyond");
  }
  const FoldedRange folded = searched_folded_range(stencil);
  if (folded.min < -2.0 - 1e-9 || folded.max > 2.0 + 1e-9) {
    problems.push_back("the all-mask certificate is refuted: folded, S reaches [" + number(folded.min) + ", " +
                       number(folded.max) + "]");
  }
}

}  // namespace

std::vector<std::string> check(const Stencil& stencil) {
  std::vector<std::string> problems = check_shape(stencil);
  if (!problems.empty()) return problems;  // the other checks would read past the end, or take too long
  problems = check_moments(stencil);
  if (!problems.empty())
    return problems;  // not the wave equation: a search of its symbol takes seconds and adds nothing
  check_stability(stencil, problems);
  const int order = order_of_accuracy(stencil, frequency_map(stencil));
  if (order != stencil.order) {
    problems.push_back("the order of accuracy is " + std::to_string(order) + ", not " + std::to_string(stencil.order));
  }
  if (problems.empty()) check_proof(stencil, problems);
  return problems;
}

Stencil user_stencil(std::string name, double courant, std::vector<Shell> shells, double centre,
                     std::vector<double> weights, bool time_dispersion_removal) {
  Stencil s;
  s.name = std::move(name);
  s.variant = "user";
  s.shells = std::move(shells);
  s.centre = centre;
  s.weights = std::move(weights);
  s.courant = s.courant_limit = courant;
  s.time_dispersion_removal = time_dispersion_removal;
  s.source = "user";
  s.family = Family::user;
  s.proof = on_the_axes(s) ? WallProof::run_fold : WallProof::block;
  if (!check_shape(s).empty()) return s;
  // 1, 2, ..., M cells out on the axes and nothing else: leggy, and may have a grid step an axis.
  bool leggy = on_the_axes(s);
  for (std::size_t m = 0; m < s.shells.size(); ++m) leggy = leggy && s.shells[m].q1 == static_cast<int>(m) + 1;
  if (leggy) s.family = Family::leggy;
  if (!check_moments(s).empty()) return s;
  s.order = order_of_accuracy(s, frequency_map(s));
  try {
    const double limit = courant_limit(s);
    if (limit > courant * (1.0 + tolerance) || limit < courant * (1.0 - tolerance)) s.courant_limit = limit;
  } catch (const std::invalid_argument&) {  // S exceeds 2, which `check` reports
  }
  return s;
}

}  // namespace fdtd

#include "stencils/table.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace fdtd {

std::string member_of(const std::string& name) { return name.substr(0, name.find('/')); }

std::string variant_of(const std::string& name) {
  const std::size_t slash = name.find('/');
  return slash == std::string::npos ? "" : name.substr(slash + 1);
}

std::string describe_variant(const std::string& variant) {
  static constexpr std::pair<const char*, const char*> words[] = {
      {"taylor", "Taylor (2,2M), closed form (Fornberg 1988)"},
      {"opt1", "minimax phase velocity, 1 % (linear programme, stencils/design/minimax.py)"},
      {"opt2", "minimax phase velocity, 2 % (linear programme, stencils/design/minimax.py)"},
      {"opt03", "minimax phase velocity, 0.3 % (linear programme, stencils/design/minimax.py)"},
      {"warp1", "minimax in space alone, 1 %, for time-dispersion removal (stencils/design/warp.py)"},
      {"warp03", "minimax in space alone, 0.3 %, for time-dispersion removal (stencils/design/warp.py)"},
      {"radial1", "least spread of |k| over directions, 1 %, for a map of frequencies (stencils/design/radial.py)"},
      {"radial2", "least spread of |k| over directions, 2 %, for a map of frequencies (stencils/design/radial.py)"},
      {"radial03", "least spread of |k| over directions, 0.3 %, for a map of frequencies (stencils/design/radial.py)"},
      {"me",
       "modified equation: moments of space and time matched order by order (stencils/design/modified_equation.py)"},
      {"", ""},
  };
  for (const auto& [name, text] : words) {
    if (variant == name) return text;
  }
  throw std::logic_error("no words for stencil variant " + variant);
}

double polish(Stencil& stencil) {
  double second = 2.0 * stencil.courant * stencil.courant, first_moment = 0.0;
  for (std::size_t s = 0; s < stencil.shells.size(); ++s) {
    double moment = 0.0;  // sum of l_x^2 over the shell
    for (const auto& p : points(stencil.shells[s])) moment += p[0] * p[0];
    if (s == 0) first_moment = moment;
    second -= moment * stencil.weights[s];
  }
  stencil.weights.front() += second / first_moment;
  double centre = 2.0;
  for (std::size_t s = 0; s < stencil.shells.size(); ++s) centre -= point_count(stencil.shells[s]) * stencil.weights[s];
  const double change = std::max(std::abs(second / first_moment), std::abs(centre - stencil.centre));
  stencil.centre = centre;
  return change;
}

Stencil from_row(const TableRow& row, Family family, const std::vector<Shell>& shells) {
  Stencil stencil;
  stencil.name = row.name;
  stencil.variant = variant_of(stencil.name);
  stencil.family = family;
  stencil.shells = shells;
  if (row.weights.size() != shells.size() + 1) throw std::logic_error(stencil.name + ": not one weight a shell");
  stencil.centre = row.weights.front();
  stencil.weights.assign(row.weights.begin() + 1, row.weights.end());
  stencil.courant = row.courant;
  stencil.courant_limit = row.courant_limit;
  stencil.time_dispersion_removal = stencil.variant.rfind("warp", 0) == 0;
  stencil.order = row.order;
  stencil.proof = row.proof;
  stencil.source = describe_variant(stencil.variant);
  if (polish(stencil) > 1e-12) throw std::logic_error(stencil.name + ": weights miss their sum or second moment");
  return stencil;
}

}  // namespace fdtd

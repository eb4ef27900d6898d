// The symbol s(k) of a stencil and its bounds over the Brillouin zone.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "stencils/dispersion.hpp"

namespace fdtd {
namespace {

constexpr double pi = std::numbers::pi;

using Matrix3 = std::array<Vec3, 3>;

// cos(m k) and sin(m k) of one axis for m = 0..radius, by the angle-addition recurrence.
struct Harmonics {
  std::vector<double> c, s;
  Harmonics(double k, int radius) {
    const double c1 = std::cos(k), s1 = std::sin(k);
    c.push_back(1.0);
    s.push_back(0.0);
    for (int m = 1; m <= radius; ++m) {
      const double cm = c.back(), sm = s.back();
      c.push_back(cm * c1 - sm * s1);
      s.push_back(sm * c1 + cm * s1);
    }
  }
};

constexpr int quick_radius = 20;  // the largest of the catalogue and of files

// The same for all axes, in the same order of operations, without memory from the heap: gains of a room ask for some
// ten thousand symbols.
class QuickHarmonics {
 public:
  QuickHarmonics(const Vec3& k, int radius) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double c1 = std::cos(k[d]), s1 = std::sin(k[d]);
      c_[d][0] = 1.0;
      s_[d][0] = 0.0;
      for (std::size_t m = 0; m < static_cast<std::size_t>(radius); ++m) {
        c_[d][m + 1] = c_[d][m] * c1 - s_[d][m] * s1;
        s_[d][m + 1] = s_[d][m] * c1 + c_[d][m] * s1;
      }
    }
  }
  double c(std::size_t d, const Term& term) const { return c_[d][static_cast<std::size_t>(term.offset[d])]; }
  double slope(std::size_t d, const Term& term) const {  // of that cosine
    const auto a = static_cast<std::size_t>(term.offset[d]);
    return -static_cast<double>(a) * s_[d][a];
  }

 private:
  std::array<std::array<double, quick_radius + 1>, 3> c_, s_;  // no more than `radius` of them are set
};

struct Expansion {
  double value = 0.0;
  Vec3 gradient{};
  Matrix3 hessian{};
};

Expansion expand(const GridStencil& stencil, const Vec3& k) {
  const std::array<Harmonics, 3> h{Harmonics(k[0], stencil.radius), Harmonics(k[1], stencil.radius),
                                   Harmonics(k[2], stencil.radius)};
  Expansion e;
  e.value = stencil.centre;
  for (const Term& term : stencil.terms) {
    const double weight = image_count(term) * term.weight;
    Vec3 c{}, first{}, second{};  // of cos(a k_d): itself and its derivatives
    for (std::size_t d = 0; d < 3; ++d) {
      const auto a = static_cast<std::size_t>(term.offset[d]);
      c[d] = h[d].c[a];
      first[d] = -static_cast<double>(a) * h[d].s[a];
      second[d] = -static_cast<double>(a * a) * h[d].c[a];
    }
    e.value += weight * c[0] * c[1] * c[2];
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t i = (d + 1) % 3, j = (d + 2) % 3;
      e.gradient[d] += weight * first[d] * c[i] * c[j];
      e.hessian[d][d] += weight * second[d] * c[i] * c[j];
      e.hessian[i][j] += weight * c[d] * first[i] * first[j];
      e.hessian[j][i] = e.hessian[i][j];
    }
  }
  return e;
}

// Solution of A x = b by Cramer's rule; false when A is singular to rounding.
bool solve(const Matrix3& A, const Vec3& b, Vec3& x) {
  const auto det = [](const Matrix3& m) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  };
  double scale = 0.0;
  for (const Vec3& row : A) {
    for (double a : row) scale = std::max(scale, std::abs(a));
  }
  const double d = det(A);
  if (!(std::abs(d) > 1e-12 * scale * scale * scale)) return false;
  for (std::size_t column = 0; column < 3; ++column) {
    Matrix3 replaced = A;
    for (std::size_t row = 0; row < 3; ++row) replaced[row][column] = b[row];
    x[column] = det(replaced) / d;
  }
  return true;
}

// From `start` uphill (sign = 1) or downhill (-1): Newton where the step gains, else along the gradient, halved until
// it does. The symbol is even and periodic, so the zone has no edge to stop at.
double refine(const GridStencil& stencil, double sign, Vec3& k) {
  Expansion here = expand(stencil, k);
  for (int iteration = 0; iteration < 40; ++iteration) {
    Vec3 step{};
    const bool newton = solve(here.hessian, here.gradient, step);
    bool gained = false;
    for (int method = newton ? 0 : 1; method < 2 && !gained; ++method) {
      for (std::size_t d = 0; d < 3; ++d) step[d] = method == 0 ? -step[d] : 0.1 * sign * here.gradient[d];
      for (int halving = 0; halving < (method == 0 ? 2 : 12) && !gained; ++halving) {
        const Vec3 trial{k[0] + step[0], k[1] + step[1], k[2] + step[2]};
        const Expansion there = expand(stencil, trial);
        if (sign * there.value > sign * here.value) {
          k = trial;
          here = there;
          gained = true;
        }
        for (double& component : step) component *= 0.5;
      }
    }
    if (!gained) break;
  }
  return here.value;
}

// Terms of weight zero have no effect, but their radius would refine the search: at 20 it takes seconds.
GridStencil without_zeros(GridStencil stencil) {
  std::erase_if(stencil.terms, [](const Term& term) { return term.weight == 0.0; });
  stencil.radius = 0;
  for (const Term& term : stencil.terms) {
    stencil.radius = std::max(stencil.radius, *std::max_element(term.offset.begin(), term.offset.end()));
  }
  return stencil;
}

bool on_the_axes(const GridStencil& stencil) {
  return std::all_of(stencil.terms.begin(), stencil.terms.end(),
                     [](const Term& term) { return std::count(term.offset.begin(), term.offset.end(), 0) >= 2; });
}

Vec3 folded_into_octant(Vec3 k) {
  for (double& component : k) component = std::abs(std::remainder(component, 2.0 * pi));
  return k;
}

// ---- points on the axes alone: s(k) = centre + F_x(kx) + F_y(ky) + F_z(kz), F_d(k) = 2 sum_m g_{d,m} cos(m k)
struct AxisRange {
  double min, max, at_min, at_max;
};

AxisRange axis_range(const std::vector<double>& g) {  // g[m], m >= 1
  const auto F = [&](double k) {                      // value, slope, curvature
    const Harmonics h(k, static_cast<int>(g.size()) - 1);
    Vec3 f{};
    for (std::size_t m = 1; m < g.size(); ++m) {
      const double n = static_cast<double>(m);
      f[0] += 2.0 * g[m] * h.c[m];
      f[1] -= 2.0 * g[m] * n * h.s[m];
      f[2] -= 2.0 * g[m] * n * n * h.c[m];
    }
    return f;
  };
  const int steps = 32 * static_cast<int>(g.size());
  AxisRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 0.0, 0.0};
  const auto take = [&](double value, double k) {
    if (value < range.min) range.min = value, range.at_min = k;
    if (value > range.max) range.max = value, range.at_max = k;
  };
  Vec3 before{};
  for (int i = 0; i <= steps; ++i) {
    double k = pi * i / steps;
    const Vec3 here = F(k);
    take(here[0], k);
    if (i > 0 && before[1] * here[1] < 0.0) {  // an extremum between the two: bisect the slope
      double low = pi * (i - 1) / steps, high = k;
      for (int halving = 0; halving < 40; ++halving) {
        k = 0.5 * (low + high);
        (F(k)[1] * before[1] > 0.0 ? low : high) = k;
      }
      take(F(k)[0], k);
    }
    before = here;
  }
  return range;
}

SymbolRange axes_range(const GridStencil& stencil) {
  SymbolRange range;
  range.min = range.max = stencil.centre;
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<double> g(static_cast<std::size_t>(stencil.radius) + 1, 0.0);
    for (const Term& term : stencil.terms) g[static_cast<std::size_t>(term.offset[d])] += term.weight;
    g[0] = 0.0;  // the terms of the other axes
    const AxisRange axis = axis_range(g);
    range.min += axis.min;
    range.max += axis.max;
    range.at_min[d] = folded_into_octant({axis.at_min, 0.0, 0.0})[0];
    range.at_max[d] = folded_into_octant({axis.at_max, 0.0, 0.0})[0];
  }
  return range;
}

// ---- the others: a scan, then every local extremum of the scan refined --------------------------------------------
// Symbols on a grid of (n+1)^3 wave vectors over the octant; of the wedge x >= y >= z alone when the axes are equal.
class Scan {
 public:
  Scan(const GridStencil& stencil, int n)
      : n_(n),
        wedge_only_(stencil.courant[0] == stencil.courant[1] && stencil.courant[1] == stencil.courant[2]),
        values_(wedge_only_ ? index(n, n, n) + 1 : (side() * side() * side())) {
    std::vector<std::vector<double>> cosine(static_cast<std::size_t>(stencil.radius) + 1);  // [a][i]: cos(a pi i / n)
    for (std::size_t a = 0; a < cosine.size(); ++a) {
      for (int i = 0; i <= n; ++i) cosine[a].push_back(std::cos(pi * (static_cast<int>(a) * i % (2 * n)) / n));
    }
    const auto c = [&cosine](int a, int i) { return cosine[static_cast<std::size_t>(a)][static_cast<std::size_t>(i)]; };
    std::vector<double> along_z(cosine.size());  // [a]: sum of the terms with offset a in z at this x and y
    for (int x = 0; x <= n; ++x) {
      for (int y = 0; y <= (wedge_only_ ? x : n); ++y) {
        std::fill(along_z.begin(), along_z.end(), 0.0);
        along_z[0] = stencil.centre;
        for (const Term& t : stencil.terms) {
          along_z[static_cast<std::size_t>(t.offset[2])] +=
              image_count(t) * t.weight * c(t.offset[0], x) * c(t.offset[1], y);
        }
        for (int z = 0; z <= (wedge_only_ ? y : n); ++z) {
          double value = 0.0;
          for (std::size_t a = 0; a < cosine.size(); ++a) value += along_z[a] * cosine[a][static_cast<std::size_t>(z)];
          values_[index(x, y, z)] = value;
        }
      }
    }
  }

  // Largest (sign 1) or smallest (-1) symbol over the zone and where.
  double extreme(const GridStencil& stencil, double sign, Vec3& where) const {
    double best = -std::numeric_limits<double>::infinity();
    for (int x = 0; x <= n_; ++x) {
      for (int y = 0; y <= (wedge_only_ ? x : n_); ++y) {
        for (int z = 0; z <= (wedge_only_ ? y : n_); ++z) {
          if (!is_local_extremum(x, y, z, sign)) continue;
          Vec3 k{pi * x / n_, pi * y / n_, pi * z / n_};
          const double value = sign * refine(stencil, sign, k);
          if (value > best) best = value, where = folded_into_octant(k);
        }
      }
    }
    return sign * best;
  }

 private:
  std::size_t side() const { return static_cast<std::size_t>(n_) + 1; }
  std::size_t index(int x, int y, int z) const {
    if (wedge_only_) {
      if (x < y) std::swap(x, y);
      if (y < z) std::swap(y, z);
      if (x < y) std::swap(x, y);
    }
    const auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y), l = static_cast<std::size_t>(z);
    return wedge_only_ ? i * (i + 1) * (i + 2) / 6 + j * (j + 1) / 2 + l : (i * side() + j) * side() + l;
  }
  bool is_local_extremum(int x, int y, int z, double sign) const {
    const double here = sign * values_[index(x, y, z)];
    for (int dx = -1; dx <= 1; ++dx) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dz = -1; dz <= 1; ++dz) {
          const int i = x + dx, j = y + dy, l = z + dz;
          if (i < 0 || j < 0 || l < 0 || i > n_ || j > n_ || l > n_) continue;  // mirror images: nothing new
          if (sign * values_[index(i, j, l)] > here) return false;
        }
      }
    }
    return true;
  }

  int n_;
  bool wedge_only_;
  std::vector<double> values_;
};

}  // namespace

namespace {

double value_of(const GridStencil& stencil, const QuickHarmonics& h) {
  double value = stencil.centre;
  for (const Term& term : stencil.terms)
    value += image_count(term) * term.weight * h.c(0, term) * h.c(1, term) * h.c(2, term);
  return value;
}

Vec3 gradient_of(const GridStencil& stencil, const QuickHarmonics& h) {
  Vec3 gradient{};
  for (const Term& term : stencil.terms) {
    const double weight = image_count(term) * term.weight;
    for (std::size_t d = 0; d < 3; ++d)
      gradient[d] += weight * h.slope(d, term) * h.c((d + 1) % 3, term) * h.c((d + 2) % 3, term);
  }
  return gradient;
}

}  // namespace

double symbol(const GridStencil& stencil, const Vec3& k) {
  if (stencil.radius > quick_radius) return expand(stencil, k).value;
  return value_of(stencil, QuickHarmonics(k, stencil.radius));
}

Vec3 symbol_gradient(const GridStencil& stencil, const Vec3& k) {
  if (stencil.radius > quick_radius) return expand(stencil, k).gradient;
  return gradient_of(stencil, QuickHarmonics(k, stencil.radius));
}

SymbolSlopes symbol_slopes(const GridStencil& stencil, const Vec3& k) {
  if (stencil.radius > quick_radius) {
    const Expansion all = expand(stencil, k);
    return {all.value, all.gradient};
  }
  const QuickHarmonics h(k, stencil.radius);
  return {value_of(stencil, h), gradient_of(stencil, h)};
}

SymbolRange symbol_range(const GridStencil& all) {
  const GridStencil stencil = without_zeros(all);
  if (on_the_axes(stencil)) return axes_range(stencil);
  const Scan scan(stencil, 16 * std::max(stencil.radius, 2));
  SymbolRange range;
  range.min = scan.extreme(stencil, -1.0, range.at_min);
  range.max = scan.extreme(stencil, 1.0, range.at_max);
  return range;
}

double courant_limit(const Stencil& stencil) {
  Stencil unlimited = stencil;  // the limit of the weights, not the claim of the entry
  unlimited.courant_limit = stencil.courant;
  const SymbolRange range = symbol_range(on_grid(unlimited, {stencil.courant, stencil.courant, stencil.courant}));
  if (range.max > 2.0 + 1e-12) {
    throw std::invalid_argument(stencil.name + ": S exceeds 2, so no Courant number is stable");
  }
  return stencil.courant * std::sqrt(4.0 / (2.0 - range.min));
}

}  // namespace fdtd

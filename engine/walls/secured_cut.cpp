#include "engine/walls/secured_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/error.hpp"

namespace fdtd {
namespace {

constexpr std::uint32_t wall = 0xffffffffU, whole_air = 0xfffffffeU;  // neighbours that are not in the list
constexpr double rounding = 1e-13;

// q(x) = sum of g_m R_m(x), R_m = (2 - 2 T_m(1 - x/2))/x: R_(m+1) = (2 - x) R_m - R_(m-1) + 2.
double flux_symbol(const std::vector<double>& weights, double x) {
  double before = 0.0, here = 1.0, sum = 0.0;
  for (const double g : weights) {
    sum += g * here;
    const double next = (2.0 - x) * here - before + 2.0;
    before = here;
    here = next;
  }
  return sum;
}

// q at x = 0, 4/n, ..., 4.
std::vector<double> flux_symbols(const std::vector<double>& weights) {
  constexpr int samples = 4096;
  std::vector<double> q;
  for (int i = 0; i <= samples; ++i) q.push_back(flux_symbol(weights, 4.0 * i / samples));
  return q;
}

// The line first + rest x/4 above q of the smallest `first` for which whole voxels need no more than `whole`. Where
// ripples of q near 0 forbid q(0), a little more does.
AxisBound bound_along(const std::vector<double>& q, double whole) {
  const auto rest = [&](double first) {
    double most = 0.0;
    for (std::size_t i = 1; i < q.size(); ++i)
      most = std::max(most, (q[i] - first) * static_cast<double>(q.size() - 1) / static_cast<double>(i));
    return most;
  };
  const double limit = whole * (1.0 + 1e-14);
  double low = q.front(), high = std::max(low, *std::max_element(q.begin(), q.end()));
  if (low + rest(low) > limit) {
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (middle + rest(middle) > limit ? low : high) = middle;
    }
    low = high;
  }
  return {low, rest(low), whole};
}

class CutNodes {
 public:
  CutNodes(const AirMask& air, const std::array<AxisBound, 3>& bounds) : air_(air), size_(air.size()), bounds_(bounds) {
    stride_ = {1, static_cast<std::uint64_t>(size_[0]),
               static_cast<std::uint64_t>(size_[0]) * static_cast<std::uint64_t>(size_[1])};
  }

  void take(const CutVoxels& cut) {
    for (const CutShare& one : cut.volumes) nodes_.push_back(one.node);
    for (std::size_t d = 0; d < 3; ++d)
      for (const CutShare& one : cut.passages[d]) nodes_.insert(nodes_.end(), {one.node, one.node + stride_[d]});
    list_with_neighbours();
    for (const CutShare& one : cut.volumes) mass_[index(one.node)] = static_cast<double>(one.share);
    for (std::size_t d = 0; d < 3; ++d)
      for (const CutShare& one : cut.passages[d]) up_[d][index(one.node)] = static_cast<double>(one.share);
    for (std::size_t d = 0; d < 3; ++d) each([&](std::size_t i) { weight_[d][i] = first_weight(i, d); });
  }

  void take(const SecuredCut& cut) {
    for (const NodeShare& one : cut.masses) nodes_.push_back(one.node);
    for (std::size_t d = 0; d < 3; ++d) {
      for (const NodeShare& one : cut.passages[d]) nodes_.insert(nodes_.end(), {one.node, one.node + stride_[d]});
      for (const NodeShare& one : cut.weights[d]) nodes_.push_back(one.node);
    }
    list_with_neighbours();
    for (const NodeShare& one : cut.masses) mass_[index(one.node)] = one.share;
    for (std::size_t d = 0; d < 3; ++d) {
      for (const NodeShare& one : cut.passages[d]) up_[d][index(one.node)] = one.share;
      for (const NodeShare& one : cut.weights[d]) weight_[d][index(one.node)] = one.share;
    }
  }

  void secure() {
    find_normals();
    for (int k = 0; k < 2; ++k) {
      drop_weights();
      lend();
    }
    close();
  }

  SecuredCut result() const {
    SecuredCut out;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (mass_[i] != 1.0) out.masses.push_back({nodes_[i], mass_[i]});
      for (std::size_t d = 0; d < 3; ++d) {
        if (above(i, d) != wall && up_[d][i] != 1.0) out.passages[d].push_back({nodes_[i], up_[d][i]});
        if (weight_[d][i] != 1.0) out.weights[d].push_back({nodes_[i], weight_[d][i]});
      }
    }
    return out;
  }

  Violation worst() const {
    constexpr double none = -std::numeric_limits<double>::infinity();
    Violation most{none, none};
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (std::size_t d = 0; d < 3; ++d) {
        most.masses = std::max(most.masses, need(i, d) - mass_[i]);
        for (const double open : {down(i, d), up_[d][i]})
          if (open > 0.0) most.passages = std::max(most.passages, weight_[d][i] - open);
      }
    }
    return most;
  }

 private:
  template <class Work>
  void each(const Work& work) const {
    const auto count = static_cast<std::int64_t>(nodes_.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) work(static_cast<std::size_t>(i));
  }

  std::array<int, 3> place(std::uint64_t node) const {
    return {static_cast<int>(node % stride_[1]), static_cast<int>(node % stride_[2] / stride_[1]),
            static_cast<int>(node / stride_[2])};
  }
  std::size_t index(std::uint64_t node) const {
    return static_cast<std::size_t>(std::lower_bound(nodes_.begin(), nodes_.end(), node) - nodes_.begin());
  }
  std::uint32_t above(std::size_t i, std::size_t d) const { return beside_[i][2 * d + 1]; }
  std::uint32_t below(std::size_t i, std::size_t d) const { return beside_[i][2 * d]; }

  // Cut voxels and their neighbours: farther ones neither lend nor lose.
  void list_with_neighbours() {
    const auto unique = [&] {
      std::sort(nodes_.begin(), nodes_.end());
      nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    };
    unique();
    if (!nodes_.empty() && nodes_.back() >= stride_[2] * static_cast<std::uint64_t>(size_[2]))
      throw std::invalid_argument("secure: a cut voxel is not in the grid");
    const std::size_t own = nodes_.size();
    for (std::size_t i = 0; i < own; ++i) {
      const auto at = place(nodes_[i]);
      for (std::size_t d = 0; d < 3; ++d) {
        for (const int way : {-1, 1}) {
          auto next = at;
          next[d] += way;
          if (air_(next[0], next[1], next[2]))
            nodes_.push_back(way > 0 ? nodes_[i] + stride_[d] : nodes_[i] - stride_[d]);
        }
      }
    }
    unique();
    if (nodes_.size() >= whole_air) throw std::length_error("secure: more than 2^32 nodes beside cut voxels");
    mass_.assign(nodes_.size(), 1.0);
    beside_.resize(nodes_.size());
    for (std::size_t d = 0; d < 3; ++d) {
      up_[d].assign(nodes_.size(), 0.0);
      weight_[d].assign(nodes_.size(), 1.0);
    }
    each([&](std::size_t i) {
      const auto at = place(nodes_[i]);
      for (std::size_t side = 0; side < 6; ++side) {
        const std::size_t d = side / 2;
        auto next = at;
        next[d] += side % 2 == 0 ? -1 : 1;
        std::uint32_t& to = beside_[i][side];
        to = wall;
        if (!air_(next[0], next[1], next[2])) continue;
        const std::uint64_t node = side % 2 == 0 ? nodes_[i] - stride_[d] : nodes_[i] + stride_[d];
        const std::size_t j = index(node);
        to = j < nodes_.size() && nodes_[j] == node ? static_cast<std::uint32_t>(j) : whole_air;
        if (side % 2 == 1) up_[d][i] = 1.0;
      }
    });
  }

  double down(std::size_t i, std::size_t d) const {
    const std::uint32_t j = below(i, d);
    return j == wall ? 0.0 : j == whole_air ? 1.0 : up_[d][j];
  }
  double weight_at(std::uint32_t j, std::size_t d) const { return j >= whole_air ? 1.0 : weight_[d][j]; }

  // The fold where a whole voxel ends at a wall on its face; the least passage where both are open.
  double first_weight(std::size_t i, std::size_t d) const {
    const double low = down(i, d), high = up_[d][i];
    if (low > 0.0 && high > 0.0) return std::min(low, high);
    return mass_[i] == 1.0 && std::max(low, high) == 1.0 ? 1.0 : 0.0;
  }

  double strength(double open, double weight, double other, std::size_t d) const {
    if (!(open > 0.0)) return 0.0;
    return (bounds_[d].first * open + bounds_[d].rest * std::min(open, 0.5 * (weight + other))) / bounds_[d].whole;
  }
  double need(std::size_t i, std::size_t d) const {
    if (!(bounds_[d].whole > 0.0)) return 0.0;
    const double here = weight_[d][i];
    return 0.5 * (strength(down(i, d), here, weight_at(below(i, d), d), d) +
                  strength(up_[d][i], here, weight_at(above(i, d), d), d));
  }
  double surplus(std::size_t i) const { return mass_[i] - std::max({need(i, 0), need(i, 1), need(i, 2)}); }

  // Squared components of the unit normal of the wall, from differences of passages, smoothed over the six neighbours.
  void find_normals() {
    std::vector<std::array<float, 3>> difference(nodes_.size());
    each([&](std::size_t i) {
      for (std::size_t d = 0; d < 3; ++d) difference[i][d] = static_cast<float>(up_[d][i] - down(i, d));
    });
    normal_.resize(nodes_.size());
    each([&](std::size_t i) {
      std::array<double, 3> sum{};
      for (std::size_t d = 0; d < 3; ++d) {
        sum[d] = static_cast<double>(difference[i][d]);
        for (const std::uint32_t j : beside_[i])
          if (j < whole_air) sum[d] += 0.25 * static_cast<double>(difference[j][d]);
      }
      const double square = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
      for (std::size_t d = 0; d < 3; ++d)
        normal_[i][d] = square > 0.0 ? static_cast<float>(sum[d] * sum[d] / square) : 0.0F;
    });
  }

  // No long legs at nodes whose own mass does not suffice for them, and at their neighbours.
  void drop_weights() {
    for (std::size_t d = 0; d < 3; ++d) {
      std::vector<char> short_of(nodes_.size(), 0);
      each([&](std::size_t i) { short_of[i] = mass_[i] < need(i, d) - rounding ? 1 : 0; });
      each([&](std::size_t i) {
        const auto is_short = [&](std::uint32_t j) { return j < whole_air && short_of[j] != 0; };
        if (short_of[i] != 0 || is_short(below(i, d)) || is_short(above(i, d))) weight_[d][i] = 0.0;
      });
    }
  }

  double open_to(std::size_t i, std::size_t side) const { return side % 2 == 0 ? down(i, side / 2) : up_[side / 2][i]; }

  void lend() {
    constexpr int rounds = 8;
    constexpr float aside = 0.01F;  // what neighbours along the wall lend, too
    const std::size_t count = nodes_.size();
    std::vector<double> extra(count), scale(count), change(count);
    for (int round = 0; round < rounds; ++round) {
      each([&](std::size_t i) { extra[i] = surplus(i); });
      const auto share = [&](std::size_t i, std::size_t side) {  // of the neighbour, in what i asks for
        const std::uint32_t j = beside_[i][side];
        if (j >= whole_air || extra[j] <= 0.0 || !(open_to(i, side) > 0.0)) return 0.0;
        return extra[j] * static_cast<double>(normal_[i][side / 2] + aside);
      };
      // `scale` of a node that lacks: what it asks for in each unit of its neighbours' shares; of a donor: what it can
      // give of what is asked.
      each([&](std::size_t i) {
        scale[i] = 0.0;
        if (extra[i] >= -rounding) return;
        double sum = 0.0;
        for (std::size_t side = 0; side < 6; ++side) sum += share(i, side);
        scale[i] = sum > 0.0 ? -extra[i] / sum : 0.0;
      });
      const auto asked = [&](std::size_t i, std::size_t side) { return scale[i] * share(i, side); };
      each([&](std::size_t j) {
        if (extra[j] <= 0.0) return;
        double sum = 0.0;
        for (std::size_t side = 0; side < 6; ++side) {
          const std::uint32_t i = beside_[j][side];
          if (i < whole_air && extra[i] < -rounding) sum += asked(i, side ^ 1U);
        }
        scale[j] = sum > extra[j] ? extra[j] / sum : 1.0;
        change[j] = -scale[j] * sum;
      });
      bool any = false;
      each([&](std::size_t i) {
        if (extra[i] > 0.0) return;
        change[i] = 0.0;
        if (extra[i] >= -rounding) return;
        for (std::size_t side = 0; side < 6; ++side) {
          const double wish = asked(i, side);
          if (wish > 0.0) change[i] += wish * scale[beside_[i][side]];
        }
      });
      for (std::size_t i = 0; i < count; ++i) {
        if (change[i] == 0.0) continue;
        mass_[i] += change[i];
        any = true;
      }
      if (!any) break;
    }
  }

  // What is still short: no long legs there, and smaller passages.
  void close() {
    constexpr int rounds = 60;
    std::vector<double> factor(nodes_.size());
    for (int round = 0; round < rounds; ++round) {
      bool any = false;
      for (std::size_t d = 0; d < 3; ++d) {
        std::fill(factor.begin(), factor.end(), 1.0);
        bool here = false;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
          const double wanted = need(i, d);
          if (mass_[i] >= wanted * (1.0 - rounding)) continue;
          factor[i] = round + 1 < rounds ? mass_[i] / wanted : 0.0;
          weight_[d][i] = 0.0;
          here = true;
        }
        if (!here) continue;
        any = true;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
          const std::uint32_t j = above(i, d);
          if (j == wall) continue;
          up_[d][i] *= std::min(factor[i], j == whole_air ? 1.0 : factor[j]);
          // A node outside the list keeps the passage that it shares with a neighbour: that neighbour is never short.
        }
        each([&](std::size_t i) {
          const double low = down(i, d), high = up_[d][i];
          weight_[d][i] = std::min(weight_[d][i], low > 0.0 && high > 0.0 ? std::min(low, high) : std::max(low, high));
        });
      }
      if (!any) return;
    }
  }

  const AirMask& air_;
  std::array<int, 3> size_;
  std::array<AxisBound, 3> bounds_;
  std::array<std::uint64_t, 3> stride_{};
  std::vector<std::uint64_t> nodes_;
  std::vector<std::array<std::uint32_t, 6>> beside_;
  std::vector<double> mass_;
  std::array<std::vector<double>, 3> up_, weight_;
  std::vector<std::array<float, 3>> normal_;
};

}  // namespace

std::vector<double> weights_along(const GridStencil& stencil, std::size_t axis) {
  std::vector<double> weights(static_cast<std::size_t>(stencil.radius), 0.0);
  for (const Term& term : stencil.terms)
    if (term.offset[axis] != 0) weights[static_cast<std::size_t>(term.offset[axis]) - 1] += term.weight;
  return weights;
}

std::array<AxisBound, 3> axis_bounds(const GridStencil& stencil) {
  std::array<AxisBound, 3> bounds;
  std::array<std::vector<double>, 3> q;
  double sum = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    q[d] = flux_symbols(weights_along(stencil, d));
    sum += q[d].back();
  }
  // At the limit of the Courant number the sum is 1 up to rounding.
  for (std::size_t d = 0; d < 3; ++d) bounds[d] = bound_along(q[d], q[d].back() / std::min(1.0, sum));
  return bounds;
}

bool within_bounds(const GridStencil& stencil) {
  constexpr double rounding_of_limit = 1e-8;
  const std::array<AxisBound, 3> bounds = axis_bounds(stencil);
  if (bounds[0].whole + bounds[1].whole + bounds[2].whole > 1.0 + rounding_of_limit) return false;
  for (std::size_t d = 0; d < 3; ++d) {
    const AxisBound& one = bounds[d];
    if (!(one.first + one.rest <= one.whole * (1.0 + 1e-13))) return false;
    const std::vector<double> q = flux_symbols(weights_along(stencil, d));
    if (*std::min_element(q.begin(), q.end()) < 0.0) return false;
  }
  return true;
}

SecuredCut secure(const AirMask& air, const CutVoxels& cut, const std::array<AxisBound, 3>& bounds) {
  CutNodes nodes(air, bounds);
  nodes.take(cut);
  nodes.secure();
  const Violation left = nodes.worst();
  constexpr double rounding = 1e-12;
  if (!(left.passages <= rounding && left.masses <= rounding))
    throw Error(Status::numerical,
                fmt::format("voxels that walls cut break the bounds of stability by {:.1g} and {:.1g}", left.passages,
                            left.masses),
                "please report the scene; another grid_spacing may avoid it");
  return nodes.result();
}

Violation violation(const AirMask& air, const SecuredCut& cut, const std::array<AxisBound, 3>& bounds) {
  CutNodes nodes(air, bounds);
  nodes.take(cut);
  return nodes.worst();
}

}  // namespace fdtd

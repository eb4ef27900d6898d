// Cut voxels under stencils that are sums over the axes: masses m_i of nodes, areas w of the passages between them, and
// weights phi_i of the long legs, 1 where nothing is cut (secured_cut.hpp).
//
// Along one axis the interior is P(A) = A q(A), A the second difference. Here it is K = M^-1 G^T W q(W^-1 B) G with
// B = G Phi G^T: the flux of a leg of one cell has the true area, and longer legs add second differences of differences,
// which vanish on fields that are linear, at cut voxels, too. With whole voxels W^-1 B = G G^T, and K is the fold of
// fold.cpp. q(Y) = sum of g_m R_m(Y) is computed by Chebyshev's recursion, R_(m+1) = (2 - Y) R_m - R_(m-1) + 2.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string>
#include <tuple>
#include <unordered_map>

#include "base/parallel_failure.hpp"
#include "engine/walls/cut/shared_nodes.hpp"
#include "engine/walls/inward_walls.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "engine/walls/rows.hpp"
#include "stencils/radial.hpp"

namespace fdtd {
namespace {

struct CutItem {
  std::uint64_t line;
  int at;
  double fraction;
};

// The fractions along axis d, by line u + n_u v and position on it.
std::vector<CutItem> by_line(const std::vector<NodeFraction>& fractions, const std::array<int, 3>& size,
                             std::size_t d) {
  const std::size_t u = d == 0 ? 1 : 0, v = d == 2 ? 1 : 2;
  const auto nx = static_cast<std::uint64_t>(size[0]), ny = static_cast<std::uint64_t>(size[1]);
  std::vector<CutItem> items;
  items.reserve(fractions.size());
  for (const NodeFraction& one : fractions) {
    const std::array<std::uint64_t, 3> at = {one.node % nx, one.node / nx % ny, one.node / nx / ny};
    items.push_back({at[u] + static_cast<std::uint64_t>(size[u]) * at[v], static_cast<int>(at[d]), one.fraction});
  }
  std::sort(items.begin(), items.end(),
            [](const CutItem& a, const CutItem& b) { return a.line != b.line ? a.line < b.line : a.at < b.at; });
  return items;
}

// One line of nodes, extended by `pad` wall nodes at both ends, so that windows need no bounds checks.
struct Line {
  std::vector<char> air;
  std::vector<double> mass, area, weight, end;  // area[i]: from i to i + 1; 0 into wall
};

// All that the row of a node depends on: everything within the stencil's reach along the line.
class Window {
 public:
  Window(const Line& line, std::size_t at, int reach) : line_(line), at_(at), reach_(reach) {}
  std::string key() const {
    std::string bytes;
    const auto put = [&bytes](double value) {
      std::array<char, sizeof(double)> raw{};
      std::memcpy(raw.data(), &value, sizeof(double));
      bytes.append(raw.data(), raw.size());
    };
    put(mass());
    for (int i = -reach_; i <= reach_; ++i) {
      bytes.push_back(air(i) ? 1 : 0);
      if (i < reach_) put(area(i));
      if (std::abs(i) < reach_) put(weight(i));
      if (std::abs(i) < 2) put(end(i));
    }
    return bytes;
  }
  bool air(int i) const { return line_.air[place(i)] != 0; }
  double mass() const { return line_.mass[at_]; }
  double area(int i) const { return line_.area[place(i)]; }
  double weight(int i) const { return line_.weight[place(i)]; }
  double end(int i) const { return line_.end[place(i)]; }
  // Whether anything here differs from free space.
  bool cut() const {
    if (mass() != 1.0) return true;
    for (int i = -reach_; i <= reach_; ++i) {
      if (!air(i) || (i < reach_ && area(i) != 1.0) || (std::abs(i) < reach_ && weight(i) != 1.0)) return true;
    }
    for (int i = -1; i <= 1; ++i)
      if (end(i) != 0.0) return true;
    return false;
  }

 private:
  std::size_t place(int i) const { return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at_) + i); }
  const Line& line_;
  std::size_t at_;
  int reach_;
};

// F = W sum of g_m R_m(W^-1 B) G e_0 at the passages (k, k+1), k = -reach..reach-1.
std::vector<double> fluxes(const Window& window, const std::vector<double>& weights, double bend) {
  const int reach = static_cast<int>(weights.size());
  const auto width = static_cast<std::size_t>(2 * reach);
  const auto index = [reach](int k) { return static_cast<std::size_t>(k + reach); };
  std::vector<double> source(width, 0.0), before(width, 0.0), next(width, 0.0), sum(width, 0.0);
  for (const int k : {-1, 0})
    if (window.area(k) != 0.0) source[index(k)] = k < 0 ? 1.0 : -1.0;
  std::vector<double> here = source;
  for (int m = 1; m <= reach; ++m) {
    for (int k = -m; k < m; ++k) sum[index(k)] += weights[static_cast<std::size_t>(m - 1)] * here[index(k)];
    if (m == reach) break;
    const auto value = [&](int k) { return k < -m || k >= m ? 0.0 : here[index(k)]; };
    for (int k = -m - 1; k <= m; ++k) {
      const double area = window.area(k);
      if (area == 0.0) continue;
      // B's row: second differences of differences, weighted at the two nodes of the passage.
      double bent = 0.0;
      if (k > -reach) bent += window.weight(k) * (value(k) - value(k - 1));
      if (k + 1 < reach) bent += window.weight(k + 1) * (value(k) - value(k + 1));
      next[index(k)] = 2.0 * (value(k) + source[index(k)]) - bent / area - before[index(k)];
    }
    std::swap(before, here);
    std::swap(here, next);
  }
  for (int k = -reach; k < reach; ++k) sum[index(k)] *= window.area(k);
  // bend G^T rho G: second differences of differences at the nodes beside.
  for (int i = -1; i <= 1 && reach > 1; ++i) {
    if (window.end(i) == 0.0) continue;
    const double bent = bend * window.end(i) * (source[index(i)] - source[index(i - 1)]);
    sum[index(i)] += bent;
    sum[index(i - 1)] -= bent;
  }
  return sum;
}

// The row minus the plain one, which reads wall as zero and reaches through walls.
std::vector<RowEntry> cut_row(const Window& window, const std::vector<double>& weights, double bend, std::size_t axis) {
  constexpr double rounding = 1e-15;
  const int reach = static_cast<int>(weights.size());
  const std::vector<double> flux = fluxes(window, weights, bend);
  const auto at_passage = [&](int k) {
    return k < -reach || k >= reach ? 0.0 : flux[static_cast<std::size_t>(k + reach)];
  };
  std::vector<RowEntry> entries;
  std::size_t own = 0;
  double rest = 0.0;  // what the row sums to, less the entries so far: constants must stay constant
  for (int i = -reach; i <= reach; ++i) {
    RowEntry entry;
    entry.offset[axis] = static_cast<std::int16_t>(i);
    if (i == 0) {
      own = entries.size();
      entries.push_back(entry);
      continue;
    }
    const double g = weights[static_cast<std::size_t>(std::abs(i) - 1)], plain = window.air(i) ? g : 0.0;
    entry.weight = (at_passage(i) - at_passage(i - 1)) / window.mass() - plain;
    rest += g - plain;
    if (std::abs(entry.weight) < rounding) continue;
    rest -= entry.weight;
    entries.push_back(entry);
  }
  entries[own].weight = rest;
  if (std::abs(rest) < rounding) entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(own));
  return entries;
}

// Corrections of some lines: rows, and which node has which.
struct Found {
  std::vector<std::vector<RowEntry>> rows;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> nodes;
  std::unordered_map<std::string, std::uint32_t> known;
};

// The lines of nodes along one axis.
class CutLines {
 public:
  CutLines(const AirMask& air, const SecuredCut& cut, std::size_t d, int pad)
      : air_(air),
        d_(d),
        u_(d == 0 ? 1 : 0),
        v_(d == 2 ? 1 : 2),
        size_(air.size()),
        pad_(static_cast<std::size_t>(pad)),
        masses_(by_line(cut.masses, size_, d)),
        areas_(by_line(cut.passages[d], size_, d)),
        weights_(by_line(cut.weights[d], size_, d)),
        ends_(by_line(cut.ends[d], size_, d)) {}
  std::size_t count() const { return static_cast<std::size_t>(size_[u_]) * static_cast<std::size_t>(size_[v_]); }
  std::size_t length() const { return static_cast<std::size_t>(size_[d_]); }
  // Node `at` of a line, x + nx (y + ny z).
  std::uint64_t node(std::size_t number, std::size_t at) const {
    std::array<std::uint64_t, 3> place{};
    place[u_] = number % static_cast<std::size_t>(size_[u_]);
    place[v_] = number / static_cast<std::size_t>(size_[u_]);
    place[d_] = at;
    return place[0] +
           static_cast<std::uint64_t>(size_[0]) * (place[1] + static_cast<std::uint64_t>(size_[1]) * place[2]);
  }
  Line read(std::size_t number) const {
    const std::size_t n = length(), all = n + 2 * pad_;
    std::array<int, 3> node{};
    node[u_] = static_cast<int>(number % static_cast<std::size_t>(size_[u_]));
    node[v_] = static_cast<int>(number / static_cast<std::size_t>(size_[u_]));
    Line line{std::vector<char>(all, 0), std::vector<double>(all, 1.0), std::vector<double>(all, 0.0),
              std::vector<double>(all, 1.0), std::vector<double>(all, 0.0)};
    for (std::size_t i = 0; i < n; ++i) {
      node[d_] = static_cast<int>(i);
      line.air[i + pad_] = air_(node[0], node[1], node[2]) ? 1 : 0;
    }
    for (std::size_t i = pad_; i < n + pad_; ++i)
      line.area[i] = line.air[i] != 0 && i + 1 < all && line.air[i + 1] != 0 ? 1.0 : 0.0;
    const auto put = [&](const std::vector<CutItem>& items, std::vector<double>& into) {
      const auto before = [](const CutItem& item, std::size_t l) { return item.line < l; };
      for (auto at = std::lower_bound(items.begin(), items.end(), number, before);
           at != items.end() && at->line == number; ++at)
        into[static_cast<std::size_t>(at->at) + pad_] = at->fraction;
    };
    put(masses_, line.mass);
    put(areas_, line.area);
    put(weights_, line.weight);
    put(ends_, line.end);
    return line;
  }

 private:
  const AirMask& air_;
  std::size_t d_, u_, v_;
  std::array<int, 3> size_;
  std::size_t pad_;
  std::vector<CutItem> masses_, areas_, weights_, ends_;
};

class Axis {
 public:
  Axis(const GridStencil& stencil, const AirMask& air, const SecuredCut& cut, std::size_t d)
      : d_(d),
        reach_(stencil.radius),
        lines_(air, cut, d, stencil.radius),
        weights_(weights_along(stencil, d)),
        bend_(axis_bounds(stencil)[d].bend) {}
  std::size_t lines() const { return lines_.count(); }

  void work(std::size_t number, Found& found) const {
    const Line line = lines_.read(number);
    const auto pad = static_cast<std::size_t>(reach_);
    for (std::size_t i = 0; i < lines_.length(); ++i) {
      if (line.air[i + pad] == 0) continue;
      const Window window(line, i + pad, reach_);
      if (!window.cut()) continue;
      const auto [known, is_new] = found.known.try_emplace(window.key(), static_cast<std::uint32_t>(found.rows.size()));
      if (is_new) found.rows.push_back(cut_row(window, weights_, bend_, d_));
      if (!found.rows[known->second].empty()) found.nodes.emplace_back(lines_.node(number, i), known->second);
    }
  }

 private:
  std::size_t d_;
  int reach_;
  CutLines lines_;
  std::vector<double> weights_;  // of m = 1, 2, ...
  double bend_;
};

// The lines' corrections; patterns are numbered in order of first use, independent of the number of threads.
NearWall walls_along(const Axis& axis, int nx) {
  constexpr std::size_t lines_a_range = 1024;
  const std::size_t lines = axis.lines();
  std::vector<Found> found_by_range((lines + lines_a_range - 1) / lines_a_range);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t s = 0; s < found_by_range.size(); ++s) {
    failure.guard([&] {
      for (std::size_t l = s * lines_a_range; l < std::min(lines, (s + 1) * lines_a_range); ++l)
        axis.work(l, found_by_range[s]);
    });
  }
  failure.rethrow();
  NearWall walls;
  std::unordered_map<std::string, std::uint32_t> known;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> nodes;
  for (Found& found : found_by_range) {
    std::vector<const std::string*> key_of(found.rows.size());
    for (const auto& [key, row] : found.known) key_of[row] = &key;
    std::vector<std::uint32_t> pattern_of(found.rows.size());
    for (std::size_t r = 0; r < found.rows.size(); ++r) {
      const auto [at, is_new] =
          known.try_emplace(*key_of[r], static_cast<std::uint32_t>(walls.pattern_begin.size() - 1));
      pattern_of[r] = at->second;
      if (!is_new) continue;
      walls.entries.insert(walls.entries.end(), found.rows[r].begin(), found.rows[r].end());
      walls.pattern_begin.push_back(walls.entries.size());
    }
    for (const auto& [node, row] : found.nodes) nodes.emplace_back(node, pattern_of[row]);
    found = {};
  }
  std::sort(nodes.begin(), nodes.end());
  for (const auto& [node, pattern] : nodes) append_segment(walls, {node, 1, pattern}, static_cast<std::uint64_t>(nx));
  return walls;
}

// Rows of links: c (u_j - u_i)/m_i at both ends.
NearWall link_walls(const GridStencil& stencil, const AirMask& air, const SecuredCut& cut) {
  const std::array<AxisBound, 3> bounds = axis_bounds(stencil);
  const auto nx = static_cast<std::uint64_t>(air.size()[0]), ny = static_cast<std::uint64_t>(air.size()[1]);
  const auto mass = [&](std::uint64_t node) {
    const auto found = std::ranges::lower_bound(cut.masses, node, {}, &NodeFraction::node);
    return found != cut.masses.end() && found->node == node ? found->fraction : 1.0;
  };
  struct End {
    std::uint64_t node, to;
    double strength;
  };
  std::vector<End> ends;
  for (const CutLink& one : cut.links) {
    const double strength = bounds[one.axis].link * static_cast<double>(one.fraction);
    ends.push_back({one.node, one.to, strength});
    ends.push_back({one.to, one.node, strength});
  }
  std::stable_sort(ends.begin(), ends.end(),
                   [](const End& a, const End& b) { return std::tie(a.node, a.to) < std::tie(b.node, b.to); });
  const auto between = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int16_t>(static_cast<std::int64_t>(b) - static_cast<std::int64_t>(a));
  };
  NearWall walls;
  PatternBook book(walls);
  for (std::size_t i = 0; i < ends.size();) {
    const std::uint64_t node = ends[i].node;
    const double m = mass(node);
    std::vector<RowEntry> row;
    double sum = 0.0;
    for (; i < ends.size() && ends[i].node == node; ++i) {
      const std::uint64_t to = ends[i].to;
      RowEntry entry;
      entry.offset = {between(node % nx, to % nx), between(node / nx % ny, to / nx % ny),
                      between(node / nx / ny, to / nx / ny)};
      entry.weight = ends[i].strength / m;
      sum += entry.weight;
      if (!row.empty() && row.back().offset == entry.offset)
        row.back().weight += entry.weight;
      else
        row.push_back(entry);
    }
    RowEntry own;
    own.weight = -sum;
    const auto after = [](const RowEntry& one) {  // in order of z, y, x
      return std::tie(one.offset[2], one.offset[1], one.offset[0]) > std::tuple(0, 0, 0);
    };
    row.insert(std::ranges::find_if(row, after), own);
    append_segment(walls, {node, 1, book.number(row)}, nx);
  }
  walls.node_count = count_nodes(walls.segments);
  return walls;
}

}  // namespace

SecuredCut secured_for(const GridStencil& stencil, const AirMask& air, const CutVoxels& cut,
                       const PlanePartition& partition) {
  return secure(air, cut, is_sum_over_axes(stencil) ? axis_bounds(stencil) : product_bounds, partition);
}

NearWall cut_walls(const GridStencil& stencil, const AirMask& air, const CutVoxels& cut,
                   std::vector<MovedWall>* moved) {
  return cut_walls(stencil, air, cut, secured_for(stencil, air, cut), moved);
}

NearWall cut_walls(const GridStencil& stencil, const AirMask& air, const CutVoxels& cut, const SecuredCut& secured,
                   std::vector<MovedWall>* moved) {
  const int nx = air.size()[0];
  const bool sum_over_axes = is_sum_over_axes(stencil);
  NearWall walls;
  if (sum_over_axes) {
    walls = walls_along(Axis(stencil, air, secured, 0), nx);
    for (const std::size_t d : {1U, 2U})
      walls = joined(std::move(walls), walls_along(Axis(stencil, air, secured, d), nx));
    if (!secured.links.empty()) walls = joined(std::move(walls), link_walls(stencil, air, secured));
  } else {
    walls = cut_product_walls(stencil, air, secured);
  }
  if (moved != nullptr) {
    const double fraction = sum_over_axes                 ? inward_fraction
                            : stencil.radius == 1         ? 0.0
                            : has_radial_weights(stencil) ? inward_fraction_of_radial
                                                          : inward_fraction_of_products;
    const std::vector<MovedWall> inward = fraction > 0.0 ? moved_inward(air, cut, fraction) : std::vector<MovedWall>{};
    moved->clear();
    std::merge(secured.moved.begin(), secured.moved.end(), inward.begin(), inward.end(), std::back_inserter(*moved),
               [](const MovedWall& a, const MovedWall& b) { return a.from < b.from; });
  }
  for (const NodeFraction& one : secured.masses) walls.masses.push_back({one.node, one.fraction});
  return walls;
}

}  // namespace fdtd

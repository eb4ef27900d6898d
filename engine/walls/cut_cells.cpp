// Run folding with cut voxels: volumes m_i of nodes and areas w_ij of the passages between them, 1 where nothing is
// cut.
//
// Along one axis d let L be the runs' Laplacian, (L u)_i = sum over its neighbours j of w_ij (u_i - u_j), and
// A_d = M^-1 L. With whole voxels it is the Neumann Laplacian of fold.cpp, and S is the same function of it: centre +
// sum over axes and m of 2 g_m T_m(1 - A_d/2), T_m Chebyshev's polynomials. A_d is symmetric in the inner product of
// the volumes M, which is the same for every axis, and so is S. If 4M - L >= 0 along every run, A_d has its spectrum in
// [0, 4] as the Laplacian has, and S, a sum over axes, lies within the bounds of its interior: the proof for whole
// voxels (docs/explanation/walls.md, section 2) holds unchanged. The energy is that of the M inner product; constants
// are kept, since L 1 = 0. Volumes may be smaller than 1 without a smaller time step.
//
// 4M - L is tridiagonal: it is >= 0 if its pivots are, p_i = b_i - w_i, b_i = 4 m_i - w_(i-1) - w_(i-1)^2 / p_(i-1). A
// uniform run has p_i > w_i, and p_i falls towards w_i. So areas are limited from both ends of the run to its middle,
// each to the largest value that keeps p_i >= w_i and leaves the next node half of what it requests; where both sides
// meet, both pivots are at least the passage's area, and so is their product at least its square.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>

#include "engine/walls/rows.hpp"
#include "scenes/parallel_failure.hpp"

namespace fdtd {
namespace {

constexpr double steps = 64.0;  // areas that must shrink become multiples of 1/64: equal walls have equal rows

// Whole passages stay whole where the proof permits it.
double largest_area(double asked, double limit) {
  return asked <= limit ? asked : std::max(0.0, std::floor(steps * limit) / steps);
}

struct CutItem {
  std::uint64_t line;
  int at;
  float share;
};

// The shares along axis d, by line u + n_u v and position on it.
std::vector<CutItem> by_line(const std::vector<CutShare>& shares, const std::array<int, 3>& size, std::size_t d) {
  const std::size_t u = d == 0 ? 1 : 0, v = d == 2 ? 1 : 2;
  const auto nx = static_cast<std::uint64_t>(size[0]), ny = static_cast<std::uint64_t>(size[1]);
  std::vector<CutItem> items;
  items.reserve(shares.size());
  for (const CutShare& one : shares) {
    const std::array<std::uint64_t, 3> at = {one.node % nx, one.node / nx % ny, one.node / nx / ny};
    items.push_back({at[u] + static_cast<std::uint64_t>(size[u]) * at[v], static_cast<int>(at[d]), one.share});
  }
  std::sort(items.begin(), items.end(),
            [](const CutItem& a, const CutItem& b) { return a.line != b.line ? a.line < b.line : a.at < b.at; });
  return items;
}

// One line of nodes, extended by `pad` wall nodes at both ends, so that windows need no bounds checks.
struct Line {
  std::vector<char> air;
  std::vector<double> volume, area;  // area[i]: from i to i + 1; 0 into wall
};

// All that the row of a node depends on: everything within the stencil's reach along the line.
class Window {
 public:
  Window(const Line& line, std::size_t at, int reach) : line_(line), at_(at), reach_(reach) {}
  std::string key() const {
    std::string bytes;
    const auto put = [&bytes](double value) {
      const auto narrow = static_cast<float>(value);
      std::array<char, sizeof(float)> raw{};
      std::memcpy(raw.data(), &narrow, sizeof(float));
      bytes.append(raw.data(), raw.size());
    };
    for (int i = -reach_; i <= reach_; ++i) {
      put(air(i) ? volume(i) : 0.0);
      put(area(i));
    }
    return bytes;
  }
  bool air(int i) const { return line_.air[place(i)] != 0; }
  double volume(int i) const { return line_.volume[place(i)]; }
  double area(int i) const { return line_.area[place(i)]; }
  // Whether anything here differs from free space.
  bool cut() const {
    for (int i = -reach_; i <= reach_; ++i) {
      if (!air(i) || volume(i) != 1.0 || (i < reach_ && area(i) != 1.0)) return true;
    }
    return false;
  }

 private:
  std::size_t place(int i) const { return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at_) + i); }
  const Line& line_;
  std::size_t at_;
  int reach_;
};

// Row e_0^T times T_m(1 - A/2), m = 0, 1, ...: two rows of Chebyshev's recursion over the window.
class ChebyshevRow {
 public:
  ChebyshevRow(const Window& window, int reach) : window_(window), reach_(reach), older_(width(), 0.0), row_(older_) {
    row_[middle()] = 1.0;
  }
  void advance() {
    std::vector<double> next(width(), 0.0);
    const double factor = first_ ? 1.0 : 2.0;
    for (int i = -reach_; i <= reach_; ++i) {
      const double here = row_[index(i)];
      if (here == 0.0) continue;
      const double up = i < reach_ ? window_.area(i) : 0.0, down = i > -reach_ ? window_.area(i - 1) : 0.0;
      const double half = 0.5 / window_.volume(i);
      next[index(i)] += factor * here * (1.0 - half * (up + down));
      if (up != 0.0) next[index(i + 1)] += factor * here * half * up;
      if (down != 0.0) next[index(i - 1)] += factor * here * half * down;
    }
    if (!first_)
      for (std::size_t i = 0; i < width(); ++i) next[i] -= older_[i];
    first_ = false;
    older_ = std::move(row_);
    row_ = std::move(next);
  }
  double operator[](int i) const { return row_[index(i)]; }

 private:
  std::size_t width() const { return static_cast<std::size_t>(2 * reach_ + 1); }
  std::size_t middle() const { return static_cast<std::size_t>(reach_); }
  std::size_t index(int i) const { return static_cast<std::size_t>(i + reach_); }
  const Window& window_;
  int reach_;
  bool first_ = true;
  std::vector<double> older_, row_;
};

// The row minus the plain one, which reads wall as zero and reaches through walls.
std::vector<RowEntry> cut_row(const Window& window, const std::vector<double>& weights, std::size_t axis) {
  const int reach = static_cast<int>(weights.size());
  std::vector<double> sum(static_cast<std::size_t>(2 * reach + 1), 0.0);
  ChebyshevRow row(window, reach);
  for (int m = 1; m <= reach; ++m) {
    row.advance();
    const double weight = weights[static_cast<std::size_t>(m - 1)];
    for (int i = -m; i <= m; ++i) {
      const double plain = std::abs(i) == m && window.air(i) ? 1.0 : 0.0;
      sum[static_cast<std::size_t>(i + reach)] += weight * (2.0 * row[i] - plain);
    }
  }
  std::vector<RowEntry> entries;
  for (int i = -reach; i <= reach; ++i) {
    RowEntry entry{{}, sum[static_cast<std::size_t>(i + reach)]};
    entry.offset[axis] = static_cast<std::int16_t>(i);
    if (entry.weight != 0.0) entries.push_back(entry);
  }
  return entries;
}

// Corrections of some lines: rows, and which node has which.
struct Found {
  std::vector<std::vector<RowEntry>> rows;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> nodes;
  std::unordered_map<std::string, std::uint32_t> known;
};

// The lines of nodes along one axis, with the given volumes and the limited areas.
class CutLines {
 public:
  CutLines(const AirMask& air, const CutVoxels& cut, std::size_t d, int pad)
      : air_(air),
        d_(d),
        u_(d == 0 ? 1 : 0),
        v_(d == 2 ? 1 : 2),
        size_(air.size()),
        pad_(static_cast<std::size_t>(pad)),
        volumes_(by_line(cut.volumes, size_, d)),
        areas_(by_line(cut.passages[d], size_, d)) {}

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
  // Lines that contain cut voxels, in order.
  std::vector<std::size_t> cut() const {
    std::vector<std::size_t> numbers;
    for (const auto* items : {&volumes_, &areas_})
      for (const CutItem& item : *items) numbers.push_back(item.line);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }
  Line read(std::size_t number) const {
    const std::size_t n = length();
    std::array<int, 3> node{};
    node[u_] = static_cast<int>(number % static_cast<std::size_t>(size_[u_]));
    node[v_] = static_cast<int>(number / static_cast<std::size_t>(size_[u_]));
    Line line{std::vector<char>(n + 2 * pad_, 0), std::vector<double>(n + 2 * pad_, 1.0),
              std::vector<double>(n + 2 * pad_, 0.0)};
    for (std::size_t i = 0; i < n; ++i) {
      node[d_] = static_cast<int>(i);
      line.air[i + pad_] = air_(node[0], node[1], node[2]) ? 1 : 0;
    }
    for (std::size_t i = pad_; i < n + pad_; ++i) line.area[i] = line.air[i] != 0 && line.air[i + 1] != 0 ? 1.0 : 0.0;
    const auto put = [&](const std::vector<CutItem>& items, std::vector<double>& into) {
      const auto before = [](const CutItem& item, std::size_t l) { return item.line < l; };
      for (auto at = std::lower_bound(items.begin(), items.end(), number, before);
           at != items.end() && at->line == number; ++at)
        into[static_cast<std::size_t>(at->at) + pad_] = static_cast<double>(at->share);
    };
    put(volumes_, line.volume);
    put(areas_, line.area);
    for (std::size_t i = pad_; i < n + pad_;) {
      std::size_t end = i;
      while (line.air[end] != 0) ++end;
      if (end > i + 1) keep(line, i, end);
      i = end + 1;
    }
    return line;
  }

 private:
  static void keep(Line& line, std::size_t begin, std::size_t end) {
    const auto from = [](auto& list, std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
    std::vector<double> areas(from(line.area, begin), from(line.area, end - 1));
    keep_spectrum({from(line.volume, begin), from(line.volume, end)}, areas);
    std::copy(areas.begin(), areas.end(), from(line.area, begin));
  }

  const AirMask& air_;
  std::size_t d_, u_, v_;
  std::array<int, 3> size_;
  std::size_t pad_;
  std::vector<CutItem> volumes_, areas_;
};

class Axis {
 public:
  Axis(const GridStencil& stencil, const AirMask& air, const CutVoxels& cut, std::size_t d)
      : d_(d), reach_(stencil.radius), lines_(air, cut, d, stencil.radius) {
    weights_.assign(static_cast<std::size_t>(reach_), 0.0);
    for (const Term& term : stencil.terms)
      if (term.offset[d] != 0) weights_[static_cast<std::size_t>(term.offset[d]) - 1] += term.weight;
  }
  std::size_t lines() const { return lines_.count(); }

  void work(std::size_t number, Found& found) const {
    const Line line = lines_.read(number);
    const auto pad = static_cast<std::size_t>(reach_);
    for (std::size_t i = 0; i < lines_.length(); ++i) {
      if (line.air[i + pad] == 0) continue;
      const Window window(line, i + pad, reach_);
      if (!window.cut()) continue;
      const auto [known, is_new] = found.known.try_emplace(window.key(), static_cast<std::uint32_t>(found.rows.size()));
      if (is_new) found.rows.push_back(cut_row(window, weights_, d_));
      if (!found.rows[known->second].empty()) found.nodes.emplace_back(lines_.node(number, i), known->second);
    }
  }

 private:
  std::size_t d_;
  int reach_;
  CutLines lines_;
  std::vector<double> weights_;  // of m = 1, 2, ...
};

// The lines' corrections; patterns are numbered in order of first use, independent of the number of threads.
NearWall walls_along(const Axis& axis, int nx) {
  constexpr std::size_t lines_a_share = 1024;
  const std::size_t lines = axis.lines();
  std::vector<Found> shares((lines + lines_a_share - 1) / lines_a_share);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t s = 0; s < shares.size(); ++s) {
    failure.guard([&] {
      for (std::size_t l = s * lines_a_share; l < std::min(lines, (s + 1) * lines_a_share); ++l)
        axis.work(l, shares[s]);
    });
  }
  failure.rethrow();
  NearWall walls;
  std::unordered_map<std::string, std::uint32_t> known;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> nodes;
  for (Found& share : shares) {
    std::vector<const std::string*> key_of(share.rows.size());
    for (const auto& [key, row] : share.known) key_of[row] = &key;
    std::vector<std::uint32_t> pattern_of(share.rows.size());
    for (std::size_t r = 0; r < share.rows.size(); ++r) {
      const auto [at, is_new] =
          known.try_emplace(*key_of[r], static_cast<std::uint32_t>(walls.pattern_begin.size() - 1));
      pattern_of[r] = at->second;
      if (!is_new) continue;
      walls.entries.insert(walls.entries.end(), share.rows[r].begin(), share.rows[r].end());
      walls.pattern_begin.push_back(walls.entries.size());
    }
    for (const auto& [node, row] : share.nodes) nodes.emplace_back(node, pattern_of[row]);
    share = {};
  }
  std::sort(nodes.begin(), nodes.end());
  for (const auto& [node, pattern] : nodes) append_segment(walls, {node, 1, pattern}, static_cast<std::uint64_t>(nx));
  return walls;
}

}  // namespace

void keep_spectrum(const std::vector<double>& volumes, std::vector<double>& areas) {
  // b_i, then p_i: the rest of node i's 4 m_i after the areas before it, counted from one end.
  const auto walk = [&](std::size_t count, const auto& node, const auto& passage) {
    double left = 4.0 * volumes[node(0)];
    for (std::size_t i = 0; i < count; ++i) {
      const double next = 4.0 * volumes[node(i + 1)];
      const double asked_next = i + 1 < areas.size() ? std::min(areas[passage(i + 1)], 0.5 * next) : 0.0;
      const double room = next - asked_next;
      double& area = areas[passage(i)];
      area = largest_area(area, std::min(0.5 * left, room * left / (left + room)));
      left = area > 0.0 ? next - area - area * area / (left - area) : next;
    }
    return left;
  };
  if (areas.empty()) return;
  const std::size_t last = areas.size() - 1, middle = areas.size() / 2;  // the passage where both sides meet
  const double low = walk(
      middle, [](std::size_t i) { return i; }, [](std::size_t i) { return i; });
  const double high = walk(
      last - middle, [&](std::size_t i) { return last + 1 - i; }, [&](std::size_t i) { return last - i; });
  areas[middle] = largest_area(areas[middle], 0.5 * std::min(low, high));
}

CutVoxels within_spectrum(const AirMask& air, const CutVoxels& cut) {
  CutVoxels kept;
  kept.volumes = cut.volumes;
  for (std::size_t d = 0; d < 3; ++d) {
    const CutLines lines(air, cut, d, 1);
    for (const std::size_t number : lines.cut()) {
      const Line line = lines.read(number);
      for (std::size_t i = 0; i + 1 < lines.length(); ++i) {
        if (line.air[i + 1] == 0 || line.air[i + 2] == 0 || line.area[i + 1] == 1.0) continue;
        kept.passages[d].push_back({lines.node(number, i), static_cast<float>(line.area[i + 1])});
      }
    }
    std::sort(kept.passages[d].begin(), kept.passages[d].end(),
              [](const CutShare& a, const CutShare& b) { return a.node < b.node; });
  }
  return kept;
}

NearWall cut_walls(const GridStencil& stencil, const AirMask& air, const CutVoxels& cut) {
  const int nx = air.size()[0];
  const bool sum_over_axes =
      std::all_of(stencil.terms.begin(), stencil.terms.end(), [](const Term& term) { return image_count(term) == 2; });
  NearWall walls;
  if (sum_over_axes) {
    walls = walls_along(Axis(stencil, air, cut, 0), nx);
    for (const std::size_t d : {1U, 2U}) walls = joined(std::move(walls), walls_along(Axis(stencil, air, cut, d), nx));
  } else {
    walls = cut_product_walls(stencil, air, cut);
  }
  for (const CutShare& one : cut.volumes) walls.masses.push_back({one.node, static_cast<double>(one.share)});
  return walls;
}

}  // namespace fdtd

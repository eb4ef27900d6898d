// Cut voxels for stencils with points off the axes: the theory of cut_cells.cpp and of fold.cpp combined.
//
// With masses M and passages for which 4M - L_d >= 0 (secured_cut.hpp) every axis has its A_d = M^-1 L_d, symmetric in
// the inner product of M with its spectrum in [0, 4]; so X_d = 1 - A_d/2 is a symmetric contraction there, as folding is where voxels are whole. The fold by (a,
// b, c) becomes the product of the axes' Chebyshev polynomials T_a(X_x) T_b(X_y) T_c(X_z), averaged over the orders of
// the axes, and S the same polynomial of the X_d as with whole voxels. The certificate (WallProof::all_mask) bounds
// that polynomial over all triples of symmetric contractions: -2 <= S <= 2 in the M inner product, at the interior's
// Courant number. Constants are kept, since L_d 1 = 0.
//
// Surplus of stiffness. On a linear field A_d u is not 0 at a cut voxel, only the sum over the axes is. The terms of
// second order in the A_d, lambda^2/12 sum of A_d^2 but for a multiple of (sum of A_d)^2 in every isotropic stencil,
// stiffen it there. So S has the term e sum of A_d E_d A_d besides, E_d = 1 at nodes whose passages along d differ,
// e a fraction of lambda^2/12 (cut_surplus_fraction, less of radial sets). It raises S; 2 remains the bound, since E_d <= 1
// and S + e sum of A_d^2 <= 2 by the certificate (stencils/design/certificate.py --surplus). Stencils of radius 1 do not reach that far, and their surplus
// is small beside their dispersion.
//
// A row is e_0^T S over a cube of the stencil's radius. Rows at oblique walls are nearly all different.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/parallel_failure.hpp"
#include "engine/walls/cut/cut_table.hpp"
#include "engine/walls/mirror_walk.hpp"
#include "engine/walls/rows.hpp"
#include "stencils/radial.hpp"

namespace fdtd {
namespace {

constexpr double rounding = 1e-15;  // of sums of products of weights; smaller entries are zero

// A cube of voxels: positions (i, j, k), 0..2 radius along each axis, the node in the middle.
class Cube {
 public:
  explicit Cube(int radius) : radius_(radius), width_(2 * radius + 1) {
    const auto n = static_cast<std::size_t>(width_ * width_ * width_);
    volume_.resize(n);
    for (auto& areas : area_) areas.resize(n);
  }
  int radius() const { return radius_; }
  int width() const { return width_; }
  std::size_t index(const Voxel& at) const {
    return static_cast<std::size_t>((at[2] * width_ + at[1]) * width_ + at[0]);
  }

  // `marks`: where voxels around the node are cut.
  void gather(const AirMask& air, const CutTable& cut, const Neighbourhood& marks, const Voxel& node) {
    static const CutTable::Entry whole;
    std::size_t at = 0;
    for (int k = 0; k < width_; ++k) {
      for (int j = 0; j < width_; ++j) {
        const int y = node[1] + j - radius_, z = node[2] + k - radius_;
        const std::uint64_t here = air.bits(node[0] - radius_, y, z);
        const std::uint64_t along_y = j + 1 < width_ ? air.bits(node[0] - radius_, y + 1, z) : 0;
        const std::uint64_t along_z = k + 1 < width_ ? air.bits(node[0] - radius_, y, z + 1) : 0;
        for (int i = 0; i < width_; ++i, ++at) {
          const auto is = [i](std::uint64_t bits) { return (bits >> i & 1U) != 0U; };
          volume_[at] = area_[0][at] = area_[1][at] = area_[2][at] = 0.0;
          if (!is(here)) continue;
          const Voxel v = {node[0] + i - radius_, y, z};
          const CutTable::Entry& entry = marks(i - radius_, j - radius_, k - radius_) ? cut(v) : whole;
          volume_[at] = entry.volume;
          if (i + 1 < width_ && is(here >> 1)) area_[0][at] = entry.passages[0];
          if (is(along_y)) area_[1][at] = entry.passages[1];
          if (is(along_z)) area_[2][at] = entry.passages[2];
        }
      }
    }
  }
  bool air(const Voxel& at) const { return volume_[index(at)] != 0.0; }
  double volume(const Voxel& at) const { return volume_[index(at)]; }
  // Area of the passage from `at` to the next position along axis d.
  double area(const Voxel& at, std::size_t d) const { return area_[d][index(at)]; }

 private:
  int radius_, width_;
  std::vector<double> volume_;  // 0: wall
  std::array<std::vector<double>, 3> area_;
};

// Rows e^T T_m(X_d), m = 0..radius, from the middle of every line through the cube.
class AxisRows {
 public:
  AxisRows(const Cube& cube, std::size_t d) : cube_(cube), d_(d), u_((d + 1) % 3), v_((d + 2) % 3) {
    const auto w = static_cast<std::size_t>(cube.width());
    rows_.resize(w * w * static_cast<std::size_t>(cube.radius() + 1) * w);
  }
  // The row of order m from the line through `at`, one entry for each position along it.
  const double* row(const Voxel& at, int m) const { return rows_.data() + begin(at, m); }

  void fill() {
    Voxel at{};
    for (at[u_] = 0; at[u_] < cube_.width(); ++at[u_])
      for (at[v_] = 0; at[v_] < cube_.width(); ++at[v_]) fill_line(at);
  }

 private:
  std::size_t begin(const Voxel& at, int m) const {
    const auto w = static_cast<std::size_t>(cube_.width()), orders = static_cast<std::size_t>(cube_.radius() + 1);
    const std::size_t line = static_cast<std::size_t>(at[u_]) * w + static_cast<std::size_t>(at[v_]);
    return (line * orders + static_cast<std::size_t>(m)) * w;
  }
  void fill_line(Voxel at) {
    const auto w = static_cast<std::size_t>(cube_.width()), middle = static_cast<std::size_t>(cube_.radius());
    at[d_] = cube_.radius();
    double* const rows = rows_.data() + begin(at, 0);
    std::fill(rows, rows + w * (middle + 1), 0.0);
    rows[middle] = 1.0;
    if (!cube_.air(at)) return;
    for (std::size_t m = 1; m <= middle; ++m) {  // T_m = 2 X T_(m-1) - T_(m-2)
      const double factor = m == 1 ? 1.0 : 2.0;
      const double* const last = rows + (m - 1) * w;
      double* const next = rows + m * w;
      for (std::size_t i = 0; i < w; ++i) {
        if (last[i] == 0.0) continue;
        at[d_] = static_cast<int>(i);
        const double half = 0.5 / cube_.volume(at), up = half * cube_.area(at, d_);
        --at[d_];
        const double down = i > 0 ? half * cube_.area(at, d_) : 0.0;
        next[i] += factor * last[i] * (1.0 - up - down);
        if (i + 1 < w) next[i + 1] += factor * last[i] * up;
        if (i > 0) next[i - 1] += factor * last[i] * down;
      }
      for (std::size_t i = 0; m > 1 && i < w; ++i) next[i] -= (rows + (m - 2) * w)[i];
    }
  }

  const Cube& cube_;
  std::size_t d_, u_, v_;
  std::vector<double> rows_;
};

// Computes rows whose surroundings contain cut voxels.
class ProductRow {
 public:
  explicit ProductRow(const GridStencil& stencil)
      : stencil_(stencil),
        surplus_fraction_(has_radial_weights(stencil) ? cut_surplus_fraction_of_radial : cut_surplus_fraction),
        cube_(stencil.radius),
        along_{AxisRows(cube_, 0), {cube_, 1}, {cube_, 2}} {
    const int orders = stencil.radius + 1;
    weights_.assign(static_cast<std::size_t>(orders * orders * orders), 0.0);
    for (const Term& term : stencil.terms) weights_[weight_index(term.offset)] = term.weight * image_count(term) / 6.0;
    sum_.resize(static_cast<std::size_t>(cube_.width() * cube_.width() * cube_.width()));
    coefficient_.resize(static_cast<std::size_t>(orders));
  }
  ProductRow(const ProductRow&) = delete;
  ProductRow& operator=(const ProductRow&) = delete;

  std::vector<RowEntry> operator()(const AirMask& air, const CutTable& cut, const Neighbourhood& marks,
                                   const Voxel& node) {
    static constexpr std::array<std::array<std::size_t, 3>, 6> orders = {
        {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}}};
    cube_.gather(air, cut, marks, node);
    for (AxisRows& rows : along_) rows.fill();
    std::fill(sum_.begin(), sum_.end(), 0.0);
    for (const auto& order : orders) add_products(order);
    for (std::size_t d = 0; d < 3 && cube_.radius() > 1; ++d) take_surplus_away(d);
    take_plain_away();
    return entries();
  }

 private:
  std::size_t weight_index(const Voxel& offset) const {
    const int orders = stencil_.radius + 1;
    return static_cast<std::size_t>((offset[2] * orders + offset[1]) * orders + offset[0]);
  }
  // Sum over a, b, c of weight times e^T T_a T_b T_c, axis by axis: for each line along r that the first two axes lead
  // to, first the coefficients of its rows.
  void add_products(const std::array<std::size_t, 3>& order) {
    const auto [p, q, r] = order;
    const int radius = cube_.radius(), width = cube_.width();
    const std::array<int, 3> stride = {1, width, width * width};
    const Voxel middle = {radius, radius, radius};
    Voxel to = middle;
    for (to[p] = 0; to[p] < width; ++to[p]) {
      for (to[q] = 0; to[q] < width; ++to[q]) {
        to[r] = radius;
        if (!find_coefficients(order, to)) continue;
        to[r] = 0;
        double* const sum = sum_.data() + cube_.index(to);
        for (int m = 0; m <= radius; ++m) {
          const double coefficient = coefficient_[static_cast<std::size_t>(m)];
          const double* const row = along_[r].row(to, m);
          for (int k = radius - m; k <= radius + m; ++k) sum[k * stride[r]] += coefficient * row[k];
        }
      }
    }
  }
  // Of the line along order[2] through `to`; whether any is not 0.
  bool find_coefficients(const std::array<std::size_t, 3>& order, const Voxel& to) {
    const auto [p, q, r] = order;
    const int radius = cube_.radius();
    const Voxel middle = {radius, radius, radius};
    std::fill(coefficient_.begin(), coefficient_.end(), 0.0);
    Voxel at = middle, term{};
    at[p] = to[p];
    bool any = false;
    for (term[p] = std::abs(to[p] - radius); term[p] <= radius; ++term[p]) {
      const double first = along_[p].row(middle, term[p])[to[p]];
      if (first == 0.0) continue;
      for (term[q] = std::abs(to[q] - radius); term[q] <= radius; ++term[q]) {
        const double second = first * along_[q].row(at, term[q])[to[q]];
        if (second == 0.0) continue;
        any = true;
        for (term[r] = 0; term[r] <= radius; ++term[r])
          coefficient_[static_cast<std::size_t>(term[r])] += second * weights_[weight_index(term)];
      }
    }
    return any;
  }
  // Adds the row of A_d E_d A_d, times the fraction of lambda^2/12.
  void take_surplus_away(std::size_t d) {
    const double fraction = surplus_fraction_ * stencil_.courant[d] * stencil_.courant[d] / 12.0;
    const int radius = cube_.radius();
    Voxel at = {radius, radius, radius};
    const auto along = [&](int i) {
      Voxel v = at;
      v[d] = radius + i;
      return v;
    };
    // (A_d u)_i = own u_i - down u_(i-1) - up u_(i+1), entry k = i - 1, i, i + 1.
    const auto entry = [&](int i, int k) {
      const double mass = cube_.volume(along(i)), up = cube_.area(along(i), d) / mass,
                   down = cube_.area(along(i - 1), d) / mass;
      return k == i ? up + down : k < i ? -down : -up;
    };
    for (int i = -1; i <= 1; ++i) {
      if (!cube_.air(along(i)) || !uneven(along(i), d)) continue;
      const double to = entry(0, i) * fraction;
      if (to == 0.0) continue;
      for (int k = i - 1; k <= i + 1; ++k)
        if (cube_.air(along(k))) sum_[cube_.index(along(k))] += to * entry(i, k);
    }
  }
  // Whether a linear field has second differences of fluxes along axis d here.
  bool uneven(Voxel at, std::size_t d) const {
    const double up = cube_.area(at, d), mass = cube_.volume(at);
    --at[d];
    const double down = cube_.area(at, d);
    const bool whole = mass == 1.0 && (up == 0.0 || up == 1.0) && (down == 0.0 || down == 1.0);
    return up != down && !whole;
  }
  // The plain row reads wall as zero and reaches through walls.
  void take_plain_away() {
    for (const Term& term : stencil_.terms) {
      for (int sign = 0; sign < 8; ++sign) {
        Voxel at{};
        bool distinct = true;
        for (std::size_t d = 0; d < 3; ++d) {
          const bool minus = (sign >> d & 1) != 0;
          distinct = distinct && !(minus && term.offset[d] == 0);
          at[d] = cube_.radius() + (minus ? -term.offset[d] : term.offset[d]);
        }
        if (distinct && cube_.air(at)) sum_[cube_.index(at)] -= term.weight;
      }
    }
  }
  std::vector<RowEntry> entries() const {
    std::vector<RowEntry> out;
    for (std::size_t i = 0; i < sum_.size(); ++i) {
      if (std::abs(sum_[i]) < rounding) continue;
      const int n = static_cast<int>(i), w = cube_.width();
      const Voxel at = {n % w, n / w % w, n / (w * w)};
      RowEntry entry{{}, sum_[i]};
      for (std::size_t d = 0; d < 3; ++d) entry.offset[d] = static_cast<std::int16_t>(at[d] - cube_.radius());
      out.push_back(entry);
    }
    return out;
  }

  const GridStencil& stencil_;
  double surplus_fraction_;
  Cube cube_;
  std::array<AxisRows, 3> along_;
  std::vector<double> weights_;  // by orders (a, b, c): for one order of the axes, all images of a point
  std::vector<double> sum_, coefficient_;
};

// The nodes that have a correction, in stretches along x.
class Stretches {
 public:
  Stretches(const GridStencil& stencil, const AirMask& air, const SecuredCut& cut)
      : stencil_(stencil), air_(air), cut_(air.size(), cut), marks_(cut_.marks()), reach_(cube_window(stencil.radius)) {
    // Where marks are in reach no kind is needed: their voxels count as wall here, and form stretches of their own.
    AirMask unmarked = air;
    std::vector<AirMask::Run> runs;
    const auto [nx, ny, nz] = air.size();
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) {
        marks_.runs(y, z, runs);
        for (const AirMask::Run& run : runs)
          for (int x = run.begin; x < run.end; ++x) unmarked.set(x, y, z, false);
      }
    }
    scan_ = scan_nodes(unmarked, cube_window(stencil.radius));
    const std::size_t scanned = scan_.stretches.size();
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) {
        marks_.runs(y, z, runs);
        for (const AirMask::Run& run : runs)
          scan_.stretches.push_back(
              {scan_.places.number({run.begin, y, z}), static_cast<std::uint32_t>(run.end - run.begin), 0});
      }
    }
    std::inplace_merge(scan_.stretches.begin(), scan_.stretches.begin() + static_cast<std::ptrdiff_t>(scanned),
                       scan_.stretches.end(), [](const Stretch& a, const Stretch& b) { return a.first < b.first; });
  }
  std::size_t count() const { return scan_.stretches.size(); }

  void work(std::size_t begin, std::size_t end, NearWall& walls) const {
    ProductRow product(stencil_);
    PatternBook book(walls);
    Neighbourhood around(reach_), marks(reach_);
    const Neighbourhood unmarked(reach_);
    std::unordered_map<std::uint32_t, std::vector<RowEntry>> folded;  // by kind
    const auto nx = static_cast<std::uint64_t>(air_.size()[0]);
    for (std::size_t s = begin; s < end; ++s) {
      const Stretch& stretch = scan_.stretches[s];
      for (std::uint32_t i = 0; i < stretch.length; ++i) {
        const std::uint64_t number = stretch.first + i;
        const Voxel node = scan_.places.at(number);
        marks.gather(marks_, node);
        if (marks == unmarked) {
          const auto [known, is_new] = folded.try_emplace(stretch.kind);
          if (is_new) {
            around.gather(air_, node);
            known->second = folded_row(stencil_.terms, around).entries;
          }
          if (!known->second.empty()) append_segment(walls, {number, 1, book.number(known->second)}, nx);
        } else if (const auto row = product(air_, cut_, marks, node); !row.empty()) {
          append_segment(walls, {number, 1, book.number(row)}, nx);
        }
      }
    }
  }

 private:
  static Window cube_window(int reach) { return {{-reach, -reach, -reach}, {reach, reach, reach}}; }

  const GridStencil& stencil_;
  const AirMask& air_;
  CutTable cut_;
  const AirMask& marks_;
  Window reach_;
  WallScan scan_;
};

}  // namespace

NearWall cut_product_walls(const GridStencil& stencil, const AirMask& air, const SecuredCut& cut) {
  constexpr std::size_t stretches_a_range = 2048;
  const Stretches stretches(stencil, air, cut);
  std::vector<NearWall> by_range((stretches.count() + stretches_a_range - 1) / stretches_a_range);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t s = 0; s < by_range.size(); ++s) {
    failure.guard([&] {
      stretches.work(s * stretches_a_range, std::min(stretches.count(), (s + 1) * stretches_a_range), by_range[s]);
    });
  }
  failure.rethrow();
  // Patterns are numbered in order of first use, independent of the number of threads.
  NearWall walls;
  PatternBook book(walls);
  for (NearWall& own : by_range) {
    std::vector<std::uint32_t> number;
    for (std::size_t p = 0; p + 1 < own.pattern_begin.size(); ++p)
      number.push_back(book.number({own.entries.begin() + static_cast<std::ptrdiff_t>(own.pattern_begin[p]),
                                    own.entries.begin() + static_cast<std::ptrdiff_t>(own.pattern_begin[p + 1])}));
    for (const WallSegment& segment : own.segments)
      append_segment(walls, {segment.node, segment.length, number[segment.pattern]},
                     static_cast<std::uint64_t>(air.size()[0]));
    own = {};
  }
  walls.node_count = count_nodes(walls.segments);
  return walls;
}

}  // namespace fdtd

// Fields of B sources side by side in memory, u[node][B], and their steps: air, corrections beside walls, boundary nodes.
// A trial on AVX-512 (joint_sources.cpp), f32, one thread; groups of coupled sites at edges are left out.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/joint_vectors.hpp"
#include "engine/plan/law_in_precision.hpp"
#include "engine/plan/plan.hpp"

namespace fdtd::bench {

constexpr int slab = 4;  // planes

template <int B>
class Fields {
 public:
  explicit Fields(const Plan& plan) : plan_(plan), margin_(plan.stencil.radius + 1) {
    const auto [nx, ny, nz] = plan.grid.size;
    row_ = nx + 2 * margin_;
    plane_ = row_ * (ny + 2 * margin_);
    const auto whole = static_cast<std::size_t>(plane_ * (nz + 2 * margin_ + slab));
    for (auto& field : field_) field = std::make_unique<Array<V<B>>>(whole);
    make_rows();
    make_walls();
    leggy_ = plan.stencil.family == Family::leggy;
    if (!leggy_) make_sums();
  }

  // Parts that steps leave out, to tell them apart: walls need corrections.
  enum class Parts { air, corrections, all };

  // 2 u1 - u0 over both fields, as often.
  void triad(std::int64_t steps) {
    const auto [nx, ny, nz] = plan_.grid.size;
    for (std::int64_t n = 0; n < steps; ++n) {
      V<B>* const u0 = field_[0]->data();
      const V<B>* const u1 = field_[1]->data();
      for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
          for (std::ptrdiff_t x = place(0, y, z), end = x + nx; x < end; ++x) u0[x] = 2.0F * u1[x] - u0[x];
      std::swap(field_[0], field_[1]);
    }
  }
  double corrected_entries() const { return corrected_; }

  // Steps; lane b of every node of a source gets drive[n] scaled by 1 + b/16.
  void advance(std::int64_t steps, const std::vector<float>& drive, Parts parts = Parts::all) {
    corrects_ = parts != Parts::air;
    for (std::int64_t n = 0; n < steps; ++n) {
      V<B>* const u0 = field_[0]->data();
      march(field_[1]->data(), u0);
      if (n < static_cast<std::int64_t>(drive.size())) send(drive[static_cast<std::size_t>(n)], u0);
      if (parts == Parts::all) update_walls(u0);
      std::swap(field_[0], field_[1]);
      std::swap(q_[0], q_[1]);
    }
  }
  void silence() {
    for (auto* const array : {&field_[0], &field_[1], &q_[0], &q_[1], &states_}) (*array)->clear();
  }

  // u of lane `lane` at a node of the plan.
  float value(std::uint64_t node, int lane) { return field_[1]->data()[place(node)][lane]; }
  float scale(int lane) const { return 1.0F + static_cast<float>(lane) / 16.0F; }

 private:
  std::ptrdiff_t place(int x, int y, int z) const {
    return x + margin_ + row_ * (y + margin_) + plane_ * (z + margin_);
  }
  std::ptrdiff_t place(std::uint64_t node) const {
    const auto nx = static_cast<std::uint64_t>(plan_.grid.size[0]), ny = static_cast<std::uint64_t>(plan_.grid.size[1]);
    return place(static_cast<int>(node % nx), static_cast<int>(node / nx % ny), static_cast<int>(node / nx / ny));
  }

  void make_rows() {
    const auto [nx, ny, nz] = plan_.grid.size;
    const NearWall& near = plan_.near_wall;
    pattern_begin_ = near.pattern_begin;
    for (const RowEntry& entry : near.entries) {
      offsets_.push_back(entry.offset[0] + row_ * entry.offset[1] + plane_ * entry.offset[2]);
      weights_.push_back(static_cast<float>(entry.weight));
    }
    std::map<std::pair<int, int>, std::vector<Segment>> by_row;  // z, y
    for (const WallSegment& one : near.segments) {
      const std::uint64_t row = one.node / static_cast<std::uint64_t>(nx);
      const auto y = static_cast<int>(row % static_cast<std::uint64_t>(ny)),
                 z = static_cast<int>(row / static_cast<std::uint64_t>(ny));
      by_row[{z, y}].push_back({place(one.node), static_cast<std::ptrdiff_t>(one.length), one.pattern});
      corrected_ += static_cast<double>(one.length) *
                    static_cast<double>(pattern_begin_[one.pattern + 1] - pattern_begin_[one.pattern]);
    }
    // Blocks of rows whose planes in use fill half of the second-level cache.
    const double row_bytes = static_cast<double>(row_) * 4.0 * B;
    const int block = std::clamp(
        static_cast<int>(5e5 / (row_bytes * (slab + 2 * plan_.stencil.radius))) - 2 * plan_.stencil.radius, 4, ny);
    for (int from = 0; from < ny; from += block)
      for (int z = 0; z < nz; z += slab)
        for (int y = from; y < std::min(ny, from + block); ++y) {
          int first = nx, last = -1;
          for (int k = 0; k < slab && z + k < nz; ++k)
            for (int x = 0; x < nx; ++x)
              if (plan_.air(x, y, z + k)) first = std::min(first, x), last = std::max(last, x);
          if (last < 0) continue;
          if (B < 16 && (last + 1 - first) % 2 != 0) ++last;  // into the margin, or a wall
          for (int k = 0; k < slab; ++k) {
            for (int x = first; x <= last; ++x)
              if (x >= nx || z + k >= nz || !plan_.air(x, y, z + k)) solid_.push_back(place(x, y, z + k));
            const auto of_row = by_row.find({z + k, y});
            if (of_row != by_row.end()) segments_.insert(segments_.end(), of_row->second.begin(), of_row->second.end());
          }
          rows_.push_back({place(first, y, z), last + 1 - first, solid_.size(), segments_.size()});
        }
  }

  void make_walls() {
    const Boundary& walls = plan_.boundary;
    std::vector<double> admittances;
    for (const WallLaw& law : walls.laws) {
      laws_.push_back(coefficients_of<float>(law_in<float>(law), branches_));
      admittances.push_back(admittance_of(law_in<float>(law)));
    }
    const std::array<std::ptrdiff_t, 3> stride = {1, row_, plane_};
    std::map<std::uint32_t, std::uint32_t> known;  // taps by law
    std::size_t states = 0;
    for (std::size_t i = 0; i < walls.nodes.size(); ++i) {
      const std::uint32_t first = walls.sites[walls.site_begin[i]].law;
      const auto [at, fresh] = known.emplace(first, static_cast<std::uint32_t>(taps_.size()));
      if (fresh) {
        const WallLaw law = law_in<float>(walls.laws[first]);
        Taps& made = taps_.emplace_back();
        const auto square = static_cast<float>(1.0 / squared_norm_of_taps(law));
        for (const double tap : law.taps) {
          made.tap.push_back(static_cast<float>(tap));
          made.part.push_back(static_cast<float>(tap) * square);
        }
        made.step = law.inward * stride[static_cast<std::size_t>(law.axis)];
      }
      const NodeCoefficients<double> rule = coefficients_of_node(walls, i, admittances);
      nodes_.push_back({place(walls.nodes[i]),
                        static_cast<std::uint32_t>(sites_.size()),
                        static_cast<std::uint32_t>(sites_.size()) + walls.site_begin[i + 1] - walls.site_begin[i],
                        at->second,
                        {static_cast<float>(rule.Q), static_cast<float>(rule.scale), static_cast<float>(rule.loss)}});
      for (std::uint32_t s = walls.site_begin[i]; s < walls.site_begin[i + 1]; ++s) {
        sites_.push_back({walls.sites[s].law, static_cast<float>(walls.sites[s].weight)});
        states += walls.laws[walls.sites[s].law].branches.size();
      }
    }
    states_ = std::make_unique<Array<V<B>>>(2 * states + 1);
    for (auto& q : q_) q = std::make_unique<Array<V<B>>>(nodes_.size() + 1);
  }

  void make_sums() {
    std::map<std::array<int, 3>, RowSum> classes;
    for (const Term& term : plan_.stencil.terms) {
      const auto [a, b, c] = term.offset;
      // Rows of equal weights at all shifts share a sum: mirror images, and y and z exchanged.
      const std::array<int, 3> key = {std::min(b, c), std::max(b, c), 0};
      RowSum& sum = classes[key];
      if (sum.rows.empty()) {
        std::vector<std::ptrdiff_t> rows;
        for (const auto& [y, z] : {std::pair(key[0], key[1]), std::pair(key[1], key[0])})
          for (const int sy : {-1, 1})
            for (const int sz : {-1, 1}) rows.push_back(sy * y * row_ + sz * z * plane_);
        std::ranges::sort(rows);
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        sum.rows = std::move(rows);
      }
      sum.weight.resize(std::max(sum.weight.size(), static_cast<std::size_t>(a) + 1));
      sum.weight[static_cast<std::size_t>(a)] = static_cast<float>(term.weight);
    }
    RowSum& own = classes[{0, 0, 0}];
    if (own.weight.empty()) own.weight.resize(1), own.rows = {0};
    own.weight[0] = static_cast<float>(plan_.stencil.centre);
    for (auto& [key, sum] : classes) sums_.push_back(sum);
  }

  static constexpr std::ptrdiff_t together = 16 / B;  // nodes
  static Wide load(const V<B>* p) { return *reinterpret_cast<const Wide*>(p); }
  static void store(V<B>* p, Wide value) { *reinterpret_cast<Wide*>(p) = value; }
  static Wide fused(float w, Wide x, Wide sum) {
    return (Wide)_mm512_fmadd_ps(_mm512_set1_ps(w), (__m512)x, (__m512)sum);
  }

  // In the order of engine/vector/isa/leggy.hpp.
  template <int M>
  void march_leggy(const V<B>* u1, V<B>* u0) {
    float g[3 * M];
    for (int i = 0; i < 3 * M; ++i) g[i] = static_cast<float>(plan_.stencil.terms[static_cast<std::size_t>(i)].weight);
    const auto centre = static_cast<float>(plan_.stencil.centre);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const V<B>* p = u1 + rows_[r].at;
      V<B>* out = u0 + rows_[r].at;
      const std::ptrdiff_t ahead = r + 4 < rows_.size() ? rows_[r + 4].at - rows_[r].at : 0;
      for (std::ptrdiff_t x = 0; x < rows_[r].nodes; x += together, p += together, out += together) {
#pragma GCC unroll 4
        for (int k = 0; k < slab; ++k) {
          __builtin_prefetch(out + ahead + k * plane_, 1, 3);
          __builtin_prefetch(p + ahead + (M + k) * plane_, 0, 3);
        }
        Wide window[slab + 2 * M], z[slab], y[slab];
#pragma GCC unroll 16
        for (int k = 0; k < slab + 2 * M; ++k) window[k] = load(p + (k - M) * plane_);
#pragma GCC unroll 8
        for (int m = 1; m <= M; ++m)
#pragma GCC unroll 4
          for (int k = 0; k < slab; ++k) {
            const Wide both = window[k + M - m] + window[k + M + m];
            z[k] = m == 1 ? g[2] * both : fused(g[3 * m - 1], both, z[k]);
          }
#pragma GCC unroll 8
        for (int m = 1; m <= M; ++m)
#pragma GCC unroll 4
          for (int k = 0; k < slab; ++k) {
            const V<B>* const q = p + k * plane_;
            const Wide both = load(q - m * row_) + load(q + m * row_);
            y[k] = m == 1 ? g[1] * both : fused(g[3 * m - 2], both, y[k]);
          }
#pragma GCC unroll 4
        for (int k = 0; k < slab; ++k) {
          const V<B>* const q = p + k * plane_;
          Wide sum = load(q) * centre;
#pragma GCC unroll 8
          for (int m = 1; m <= M; ++m) sum = fused(g[3 * m - 3], load(q - m) + load(q + m), sum);
          store(out + k * plane_, (sum + (y[k] + z[k])) - load(out + k * plane_));
        }
      }
      finish(r, u1, u0);
    }
  }

  // Row by row: first the shared sums of a row, then what all shifts make of them.
  void march_sums(const V<B>* u1, V<B>* u0) {
    const int R = plan_.stencil.radius;
    const std::ptrdiff_t length = plan_.grid.size[0] + 2 * R + 2 * together;
    if (!sum_rows_) sum_rows_ = std::make_unique<Array<V<B>>>(sums_.size() * static_cast<std::size_t>(length));
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const std::ptrdiff_t ahead = r + 4 < rows_.size() ? rows_[r + 4].at - rows_[r].at : 0;
      for (int k = 0; k < slab; ++k) {
        const V<B>* const p = u1 + rows_[r].at + k * plane_;
        V<B>* const out = u0 + rows_[r].at + k * plane_;
        for (std::size_t c = 0; c < sums_.size(); ++c) {
          V<B>* const s = sum_rows_->data() + static_cast<std::ptrdiff_t>(c) * length + R;
          const auto reach = static_cast<std::ptrdiff_t>(sums_[c].weight.size()) - 1;
          const std::ptrdiff_t* const rows = sums_[c].rows.data();
          const std::size_t count = sums_[c].rows.size();
          for (std::ptrdiff_t x = -reach; x < rows_[r].nodes + reach; x += together) {
            Wide sum = load(p + x + rows[0]);
            for (std::size_t i = 1; i < count; ++i) sum += load(p + x + rows[i]);
            store(s + x, sum);
          }
        }
        for (std::ptrdiff_t x = 0; x < rows_[r].nodes; x += together) {
          __builtin_prefetch(out + x + ahead, 1, 3);
          __builtin_prefetch(p + x + ahead + R * plane_, 0, 3);
          Wide sum{};
          for (std::size_t c = 0; c < sums_.size(); ++c) {
            const V<B>* const s = sum_rows_->data() + static_cast<std::ptrdiff_t>(c) * length + R + x;
            const float* const w = sums_[c].weight.data();
            sum = fused(w[0], load(s), sum);
            const auto reach = static_cast<std::ptrdiff_t>(sums_[c].weight.size()) - 1;
            for (std::ptrdiff_t m = 1; m <= reach; ++m) sum = fused(w[m], load(s - m) + load(s + m), sum);
          }
          store(out + x, sum - load(out + x));
        }
      }
      finish(r, u1, u0);
    }
  }

  // Clears and corrects a marched row, which is still in the first-level cache.
  void finish(std::size_t row, const V<B>* u1, V<B>* u0) const {
    const RowOfSlab none{};
    const RowOfSlab& before = row > 0 ? rows_[row - 1] : none;
    for (std::size_t i = before.solid_end; i < rows_[row].solid_end; ++i) u0[solid_[i]] = V<B>{};
    if (!corrects_) return;
    for (std::size_t i = before.segment_end; i < rows_[row].segment_end; ++i) correct(segments_[i], u1, u0);
  }

  void march(const V<B>* u1, V<B>* u0) {
    if (!leggy_) return march_sums(u1, u0);
    switch (plan_.stencil.terms.size() / 3) {
      case 1:
        return march_leggy<1>(u1, u0);
      case 2:
        return march_leggy<2>(u1, u0);
      case 3:
        return march_leggy<3>(u1, u0);
      case 4:
        return march_leggy<4>(u1, u0);
      default:
        throw Error(Status::scene, "a leggy stencil of more than four legs is not compiled here");
    }
  }

  void correct(const Segment& one, const V<B>* u1, V<B>* u0) const {
    const std::uint64_t begin = pattern_begin_[one.pattern], end = pattern_begin_[one.pattern + 1];
    for (std::ptrdiff_t x = one.at; x < one.at + one.nodes; ++x) {
      V<B> sum = u0[x];
      for (std::uint64_t e = begin; e < end; ++e) sum += weights_[e] * u1[x + offsets_[e]];
      u0[x] = sum;
    }
  }

  void send(float f, V<B>* u0) const {
    const Tap& source = plan_.sources[0];
    for (std::size_t i = 0; i < source.nodes.size(); ++i) {
      const auto at = std::ranges::find(plan_.near_wall.masses, source.nodes[i], &NodeMass::node);
      const double mass = at != plan_.near_wall.masses.end() ? at->mass : 1.0;
      const double gain = plan_.drive_scale * source.weights[i] * static_cast<double>(f) / mass;
      for (int b = 0; b < B; ++b)
        u0[place(source.nodes[i])][b] += static_cast<float>(gain * static_cast<double>(scale(b)));
    }
  }

  void update_walls(V<B>* u0) {
    V<B>*state = states_->data(), *q = q_[0]->data();
    using D = typename DoublesOf<B>::Of;
    D lost{};
    for (const WallNode& node : nodes_) {
      const Taps& taps = taps_[node.taps];
      V<B>* const u = u0 + node.at;
      V<B> start = taps.tap[0] * u[0];
      for (std::size_t j = 1; j < taps.tap.size(); ++j)
        start += taps.tap[j] * u[static_cast<std::ptrdiff_t>(j) * taps.step];
      V<B> known{};
      V<B>* at = state;
      for (std::uint32_t s = node.site_begin; s < node.site_end; ++s) {
        const LawCoefficients<float>& law = laws_[sites_[s].law];
        known += sites_[s].weight * Equation::known_flow(law, sums_of(law, at));
        at += 2 * (law.branch_end - law.branch_begin);
      }
      const V<B> before = *q;
      V<B> after = Equation::node_after(node.rule, before, start, known);
      const V<B> half_moved = (after - before) * 0.5F;
      for (std::uint32_t s = node.site_begin; s < node.site_end; ++s) {
        const LawCoefficients<float>& law = laws_[sites_[s].law];
        const V<B> p = Equation::pressure(law, sums_of(law, state), half_moved);
        const float weight = sites_[s].weight;
        for (std::uint32_t i = law.branch_begin; i < law.branch_end; ++i, state += 2) {
          BranchValues<V<B>> now{state[0], state[1]};
          Equation::step(branches_[i], Equation::pull(branches_[i], now), p, weight, now,
                         [&](double E, V<B> power) { lost += E * __builtin_convertvector(power, D); });
          state[0] = now.V, state[1] = now.G;
        }
      }
      if (taps.tap.size() == 1) {
        u[0] = after;
      } else {
        const V<B> change = after - start;
        for (std::size_t j = 0; j < taps.tap.size(); ++j) {
          V<B>& here = u[static_cast<std::ptrdiff_t>(j) * taps.step];
          here += taps.part[j] * change;
          after = j == 0 ? taps.tap[0] * here : after + taps.tap[j] * here;
        }
      }
      *q++ = after;
    }
    for (int b = 0; b < B; ++b) lost_ += lost[b];
  }

  BranchSums<V<B>> sums_of(const LawCoefficients<float>& law, const V<B>* at) const {
    BranchSums<V<B>> sums{};
    for (std::uint32_t i = law.branch_begin; i < law.branch_end; ++i, at += 2) {
      const BranchValues<V<B>> now{at[0], at[1]};
      const V<B> pull = Equation::pull(branches_[i], now);
      if (i == law.branch_begin)
        sums = Equation::first(branches_[i], pull, now);
      else
        Equation::add(sums, branches_[i], pull, now);
    }
    return sums;
  }

  const Plan& plan_;
  std::ptrdiff_t margin_, row_ = 0, plane_ = 0;
  bool leggy_ = true;
  std::unique_ptr<Array<V<B>>> field_[2], q_[2], states_, sum_rows_;  // q: the taps' sums of both fields
  std::vector<RowOfSlab> rows_;
  std::vector<std::ptrdiff_t> solid_;
  std::vector<Segment> segments_;
  std::vector<std::uint64_t> pattern_begin_;
  std::vector<std::ptrdiff_t> offsets_;
  std::vector<float> weights_;
  std::vector<LawCoefficients<float>> laws_;
  std::vector<BranchCoefficients<float>> branches_;
  std::vector<Taps> taps_;
  std::vector<WallNode> nodes_;
  std::vector<Site> sites_;
  std::vector<RowSum> sums_;
  double lost_ = 0.0, corrected_ = 0.0;
  bool corrects_ = true;
};

}  // namespace fdtd::bench

#include "engine/cuda/sites.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <unordered_map>

#include "engine/error.hpp"

namespace fdtd::cuda {
namespace {

constexpr auto block = static_cast<std::uint32_t>(site_threads);

const WallLaw& first_law(const Boundary& boundary, std::size_t node) {
  return boundary.laws[boundary.sites[boundary.site_begin[node]].law];
}

double beta_of(const LawBranch& b) { return 1.0 / (b.D + b.E / 2.0 + b.F / 4.0); }

double beta_sum(const WallLaw& law) {
  double sum = 0.0;
  for (const LawBranch& b : law.branches) sum += beta_of(b);
  return sum;
}

template <class T>
LawRule<T> rule_of(const WallLaw& law, std::vector<BranchRule<T>>& branches) {
  LawRule<T> rule{};
  rule.branch_begin = static_cast<std::uint32_t>(branches.size());
  for (const LawBranch& b : law.branches) {
    branches.push_back(
        {static_cast<T>(beta_of(b)), static_cast<T>(b.D - b.E / 2.0 - b.F / 4.0), static_cast<T>(b.F), b.D, b.E, b.F});
  }
  rule.branch_end = static_cast<std::uint32_t>(branches.size());
  const double beta = beta_sum(law), series = 1.0 / (1.0 + law.inertance * beta);
  rule.A_part = static_cast<T>(series);
  rule.W_part = static_cast<T>(law.inertance * beta * series);
  rule.inertance = static_cast<T>(law.inertance);
  rule.series = static_cast<T>(series);
  rule.exact_inertance = law.inertance;
  return rule;
}

template <class T>
class Packer {
 public:
  Packer(const Boundary& boundary, const Layout& layout, const std::vector<std::uint32_t>& pattern)
      : boundary_(boundary), layout_(layout), pattern_(pattern) {
    for (const WallLaw& law : boundary.laws) {
      out_.laws.push_back(rule_of<T>(law, out_.branches));
      if (law.taps.size() > max_taps) {
        throw Error(Status::resource, "walls that read more than 4 nodes are not made for the GPU",
                    "take --device cpu");
      }
    }
    first_claim_.reserve(boundary.nodes.size());
    std::uint64_t claims = 0;
    for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
      first_claim_.push_back(claims);
      claims += first_law(boundary, i).taps.size();
    }
  }

  SiteTables<T> pack() {
    std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> by_laws;
    std::vector<std::uint32_t> laws;
    std::vector<std::uint32_t>* group = nullptr;
    std::vector<std::uint32_t> laws_before;
    for (std::size_t i = 0; i < boundary_.nodes.size(); ++i) {
      laws.clear();
      for (std::uint32_t s = boundary_.site_begin[i]; s < boundary_.site_begin[i + 1]; ++s)
        laws.push_back(boundary_.sites[s].law);
      if (group == nullptr || laws != laws_before) group = &by_laws[laws];
      group->push_back(static_cast<std::uint32_t>(i));
      laws_before = laws;
    }
    for (const auto& [key, nodes] : by_laws) {
      // Offsets within a group are 32 bits.
      for (std::size_t begin = 0, end = 0; begin < nodes.size(); begin = end) {
        const std::int64_t base = layout_.offset(boundary_.nodes[nodes[begin]]);
        while (end < nodes.size() && layout_.offset(boundary_.nodes[nodes[end]]) - base <=
                                         std::int64_t{std::numeric_limits<std::uint32_t>::max()})
          ++end;
        add_group(key, {nodes.data() + begin, end - begin});
      }
    }
    return std::move(out_);
  }

 private:
  void add_group(const std::vector<std::uint32_t>& laws, std::span<const std::uint32_t> nodes) {
    const WallLaw& law = first_law(boundary_, nodes[0]);
    SiteGroup<T> g{};
    g.first_block = static_cast<std::uint32_t>(out_.group_of_block.size());
    g.count = static_cast<std::uint32_t>(nodes.size());
    g.stride = (g.count + block - 1) / block * block;
    g.sites = static_cast<std::uint32_t>(laws.size());
    for (const std::uint32_t l : laws) g.branches += static_cast<std::uint32_t>(boundary_.laws[l].branches.size());
    g.laws = static_cast<std::uint32_t>(out_.law_list.size());
    out_.law_list.insert(out_.law_list.end(), laws.begin(), laws.end());
    g.tap_count = static_cast<std::uint32_t>(law.taps.size());
    g.row_values = 3 + g.sites;
    g.base = layout_.offset(boundary_.nodes[nodes[0]]);
    g.step = law.inward * (law.axis == 0 ? 1 : law.axis == 1 ? layout_.row : layout_.plane);
    g.node = out_.node_offset.size();
    g.state = out_.states;
    g.values = out_.row_value.size();
    g.patterns = out_.row_pattern.size();
    double square = 0.0;
    for (std::size_t j = 0; j < law.taps.size(); ++j) {
      g.tap[j] = static_cast<T>(law.taps[j]);
      square += law.taps[j] * law.taps[j];
    }
    g.inverse_square = static_cast<T>(1.0 / square);
    out_.group_of_block.insert(out_.group_of_block.end(), g.stride / block,
                               static_cast<std::uint32_t>(out_.groups.size()));
    out_.states += std::uint64_t{g.branches} * g.stride;
    add_nodes(g, nodes, laws, square);
    out_.groups.push_back(g);
  }

  void add_nodes(const SiteGroup<T>& g, std::span<const std::uint32_t> nodes, const std::vector<std::uint32_t>& laws,
                 double square) {
    std::vector<double> stiffness;  // dW+/d(u+ - u-) of the laws, times two
    for (const std::uint32_t l : laws) {
      const double beta = beta_sum(boundary_.laws[l]);
      stiffness.push_back(beta / (1.0 + boundary_.laws[l].inertance * beta));
    }
    std::unordered_map<std::string, std::uint32_t> rows;
    std::vector<T> values(g.row_values);
    std::vector<std::uint32_t> patterns(g.tap_count);
    std::string key, key_before;
    std::uint32_t row = 0;
    for (const std::uint32_t i : nodes) {
      const double share = boundary_.inverse_mass.empty() ? square : square * boundary_.inverse_mass[i];
      double Q = 0.0;
      for (std::size_t s = 0; s < laws.size(); ++s) {
        const double weight = boundary_.sites[boundary_.site_begin[i] + s].weight;
        values[3 + s] = static_cast<T>(weight);
        Q += share * weight * stiffness[s] / 4.0;
      }
      values[0] = static_cast<T>(Q);
      values[1] = static_cast<T>(1.0 / (1.0 + Q));
      values[2] = static_cast<T>(share / (1.0 + Q) / 2.0);
      for (std::size_t j = 0; j < g.tap_count; ++j) patterns[j] = pattern_[first_claim_[i] + j];
      key.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
      key.append(reinterpret_cast<const char*>(patterns.data()), patterns.size() * sizeof(std::uint32_t));
      if (rows.empty() || key != key_before) {
        const auto [known, fresh] = rows.try_emplace(key, static_cast<std::uint32_t>(rows.size()));
        if (fresh) {
          out_.row_value.insert(out_.row_value.end(), values.begin(), values.end());
          out_.row_pattern.insert(out_.row_pattern.end(), patterns.begin(), patterns.end());
        }
        row = known->second;
        key_before = key;
      }
      out_.node_offset.push_back(static_cast<std::uint32_t>(layout_.offset(boundary_.nodes[i]) - g.base));
      out_.node_row.push_back(row);
      out_.member.push_back(i);
    }
    const std::size_t end = g.node + g.stride;
    out_.node_offset.resize(end, 0);
    out_.node_row.resize(end, 0);
    out_.member.resize(end, no_member);
  }

  const Boundary& boundary_;
  const Layout& layout_;
  const std::vector<std::uint32_t>& pattern_;
  std::vector<std::uint64_t> first_claim_;  // of a boundary node
  SiteTables<T> out_;
};

// function(place in the groups' order, place in the State)
template <class T, class Function>
void each_state(const SiteTables<T>& tables, const Boundary& boundary, const Function& function) {
  for (const SiteGroup<T>& g : tables.groups) {
    for (std::uint32_t i = 0; i < g.count; ++i) {
      const std::uint64_t first = boundary.branch_begin[boundary.site_begin[tables.member[g.node + i]]];
      for (std::uint32_t b = 0; b < g.branches; ++b) function(g.state + std::uint64_t{b} * g.stride + i, first + b);
    }
  }
}

}  // namespace

std::vector<Claim> claims_of(const Boundary& boundary, const Layout& layout) {
  const std::array<std::int64_t, 3> stride = {1, layout.size[0], std::int64_t{layout.size[0]} * layout.size[1]};
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
    const WallLaw& law = first_law(boundary, i);
    for (std::size_t j = 0; j < law.taps.size(); ++j) {
      const std::int64_t node = static_cast<std::int64_t>(boundary.nodes[i]) +
                                static_cast<std::int64_t>(j) * law.inward * stride[static_cast<std::size_t>(law.axis)];
      claims.push_back({static_cast<std::uint64_t>(node), claims.size(), no_pattern});
    }
  }
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) { return a.node < b.node; });
  return claims;
}

template <class T>
SiteTables<T> pack_sites(const Boundary& boundary, const Layout& layout, const std::vector<std::uint32_t>& pattern) {
  return Packer<T>(boundary, layout, pattern).pack();
}

template <class T>
void SiteTables<T>::gather(const Boundary& boundary, const T* grouped, T* canonical) const {
  each_state(*this, boundary, [&](std::uint64_t from, std::uint64_t to) { canonical[to] = grouped[from]; });
}

template <class T>
void SiteTables<T>::scatter(const Boundary& boundary, const T* canonical, T* grouped) const {
  each_state(*this, boundary, [&](std::uint64_t to, std::uint64_t from) { grouped[to] = canonical[from]; });
}

template struct SiteTables<float>;
template struct SiteTables<double>;
template SiteTables<float> pack_sites(const Boundary&, const Layout&, const std::vector<std::uint32_t>&);
template SiteTables<double> pack_sites(const Boundary&, const Layout&, const std::vector<std::uint32_t>&);

}  // namespace fdtd::cuda

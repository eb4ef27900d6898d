#include "engine/cuda/walls/boundary_groups.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <unordered_map>

#include "base/error.hpp"
#include "engine/plan/coupled_walls.hpp"
#include "engine/plan/law_in_precision.hpp"

namespace fdtd::cuda {
namespace {

constexpr auto block = static_cast<std::uint32_t>(boundary_threads);

// A node's values, equal for most nodes of a wall.
template <class T>
struct Rows {
  std::vector<T> values;  // row_values each
  std::vector<std::uint32_t> of_node, count;
};

template <class T>
class Packer {
 public:
  Packer(const Boundary& boundary, const Layout& layout, std::uint32_t min_face_nodes)
      : boundary_(boundary), layout_(layout), min_face_nodes_(min_face_nodes) {
    for (const WallLaw& law : boundary.laws) {
      if (law.taps.size() > max_taps) {
        throw Error(Status::resource, "walls that read more than 8 nodes are not made for the GPU",
                    "take --device cpu");
      }
      out_.laws.push_back(coefficients_of<T>(law, out_.branches));
      admittances_.push_back(admittance_in<T>(law));
    }
  }

  BoundaryTables<T> pack() {
    std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> by_kind;  // column, whether coupled, laws
    const std::vector<bool> coupled = coupled_nodes(boundary_);
    std::vector<std::uint32_t> kind, kind_before;
    std::vector<std::uint32_t>* nodes = nullptr;
    for (std::size_t i = 0; i < boundary_.nodes.size(); ++i) {
      kind.assign(1, coupled[i] ? 0 : column_of(i));
      kind.push_back(coupled[i] ? 1 : 0);
      for (std::uint32_t s = boundary_.site_begin[i]; s < boundary_.site_begin[i + 1]; ++s)
        kind.push_back(boundary_.sites[s].law);
      if (nodes == nullptr || kind != kind_before) nodes = &by_kind[kind];
      nodes->push_back(static_cast<std::uint32_t>(i));
      kind_before = kind;
    }
    const auto add = [&](bool without_columns, bool is_coupled) {
      for (const auto& [key, members] : by_kind)
        if ((key[0] == 0) == without_columns && (key[1] == 1) == is_coupled) add_kind(group_of(key), members);
      return static_cast<std::uint32_t>(out_.group_of_block.size());
    };
    out_.general_blocks = add(false, false);
    out_.long_blocks = add(true, false) - out_.general_blocks;
    add(true, true);
    return std::move(out_);
  }

 private:
  // How many nodes the taps read, or none where they are more than a column holds.
  std::uint32_t column_of(std::size_t node) const {
    const std::size_t taps = boundary_.laws[boundary_.sites[boundary_.site_begin[node]].law].taps.size();
    return taps > max_column ? 0 : static_cast<std::uint32_t>(taps);
  }

  using Nodes = std::span<const std::uint32_t>;

  // All that the kind's groups share.
  BoundaryGroup<T> group_of(const std::vector<std::uint32_t>& kind) {
    constexpr int before_laws = 2;
    const WallLaw& law = boundary_.laws[kind[before_laws]];
    BoundaryGroup<T> g{};
    g.sites = static_cast<std::uint32_t>(kind.size() - before_laws);
    for (auto l = kind.begin() + before_laws; l != kind.end(); ++l)
      g.branches += static_cast<std::uint32_t>(boundary_.laws[*l].branches.size());
    g.laws = static_cast<std::uint32_t>(out_.law_list.size());
    out_.law_list.insert(out_.law_list.end(), kind.begin() + before_laws, kind.end());
    g.tap_count = static_cast<std::uint32_t>(law.taps.size());
    g.column = kind[0];
    g.is_coupled = kind[1] == 1;
    g.row_values = 3 + g.sites;
    g.step = law.inward * (law.axis == 0 ? 1 : law.axis == 1 ? layout_.row : layout_.plane);
    for (std::size_t j = 0; j < law.taps.size(); ++j) g.tap[j] = static_cast<T>(law.taps[j]);
    g.inverse_square = static_cast<T>(1.0 / squared_norm_of_taps(law));
    return g;
  }

  // A group for every row that many nodes have, and one for the others.
  void add_kind(const BoundaryGroup<T>& like, Nodes nodes) {
    const Rows<T> rows = rows_of(like, nodes);
    std::vector<bool> alike(rows.count.size());
    for (std::size_t row = 0; row < alike.size(); ++row)
      alike[row] = !like.is_coupled && like.sites == 1 && like.branches <= max_face_branches &&
                   rows.count[row] >= min_face_nodes_;
    std::map<std::uint32_t, std::vector<std::size_t>> faces;
    std::vector<std::size_t> others;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const std::uint32_t row = rows.of_node[n];
      (alike[row] ? faces[row] : others).push_back(n);
    }
    for (const auto& [row, members] : faces) add_groups(like, nodes, members, rows, true);
    add_groups(like, nodes, others, rows, false);
  }

  // Offsets within a group are 32 bits.
  void add_groups(const BoundaryGroup<T>& like, Nodes nodes, const std::vector<std::size_t>& members,
                  const Rows<T>& rows, bool is_face) {
    for (std::size_t begin = 0, end = 0; begin < members.size(); begin = end) {
      const std::int64_t base = layout_.offset(boundary_.nodes[nodes[members[begin]]]);
      while (end < members.size() && layout_.offset(boundary_.nodes[nodes[members[end]]]) - base <=
                                         std::int64_t{std::numeric_limits<std::uint32_t>::max()})
        ++end;
      BoundaryGroup<T> g = like;
      g.base = base;
      g.is_face = is_face;
      add_group(g, nodes, {members.data() + begin, end - begin}, rows);
    }
  }

  void add_group(BoundaryGroup<T> g, Nodes nodes, std::span<const std::size_t> members, const Rows<T>& rows) {
    g.first_block = static_cast<std::uint32_t>(out_.group_of_block.size());
    g.count = static_cast<std::uint32_t>(members.size());
    g.stride = (g.count + block - 1) / block * block;
    g.node = out_.node_offset.size();
    g.state = out_.states;
    g.values = out_.row_value.size();
    out_.group_of_block.insert(out_.group_of_block.end(), g.stride / block,
                               static_cast<std::uint32_t>(out_.groups.size()));
    out_.states += std::uint64_t{g.branches} * g.stride;
    std::unordered_map<std::uint32_t, std::uint32_t> own;  // the kind's number of a row -> the group's
    for (const std::size_t n : members) {
      const std::uint32_t i = nodes[n], row = rows.of_node[n];
      const auto [known, fresh] = own.try_emplace(row, static_cast<std::uint32_t>(own.size()));
      if (fresh) {
        const auto values = rows.values.begin() + static_cast<std::ptrdiff_t>(std::size_t{row} * g.row_values);
        out_.row_value.insert(out_.row_value.end(), values, values + g.row_values);
      }
      out_.node_offset.push_back(static_cast<std::uint32_t>(layout_.offset(boundary_.nodes[i]) - g.base));
      out_.node_row.push_back(known->second);
      out_.member.push_back(i);
    }
    const std::size_t end = g.node + g.stride;
    out_.node_offset.resize(end, 0);
    out_.node_row.resize(end, 0);
    out_.member.resize(end, no_member);
    if (g.is_face) make_face(g);
    out_.groups.push_back(g);
  }

  void make_face(BoundaryGroup<T>& g) const {
    Face<T>& face = g.face;
    face.law = out_.laws[out_.law_list[g.laws]];
    std::copy_n(out_.branches.begin() + face.law.branch_begin, g.branches, face.branch);
    std::copy_n(out_.row_value.begin() + static_cast<std::ptrdiff_t>(g.values), 4, face.value);
  }

  Rows<T> rows_of(const BoundaryGroup<T>& g, Nodes nodes) const {
    Rows<T> rows;
    rows.of_node.reserve(nodes.size());
    std::unordered_map<std::string, std::uint32_t> known_rows;
    std::vector<T> values(g.row_values);
    std::string key, key_before;
    std::uint32_t row = 0;
    for (const std::uint32_t i : nodes) {
      const NodeCoefficients<double> of_node = coefficients_of_node(boundary_, i, admittances_);
      values[0] = static_cast<T>(of_node.Q);
      values[1] = static_cast<T>(of_node.scale);
      values[2] = static_cast<T>(of_node.loss);
      for (std::uint32_t s = 0; s < g.sites; ++s)
        values[3 + s] = static_cast<T>(boundary_.sites[boundary_.site_begin[i] + s].weight);
      key.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
      if (known_rows.empty() || key != key_before) {
        const auto [known, fresh] = known_rows.try_emplace(key, static_cast<std::uint32_t>(known_rows.size()));
        if (fresh) {
          rows.values.insert(rows.values.end(), values.begin(), values.end());
          rows.count.push_back(0);
        }
        row = known->second;
        key_before = key;
      }
      rows.of_node.push_back(row);
      ++rows.count[row];
    }
    return rows;
  }

  const Boundary& boundary_;
  const Layout& layout_;
  std::uint32_t min_face_nodes_;
  std::vector<double> admittances_;  // of the laws
  BoundaryTables<T> out_;
};

// function(place in the groups' order, place in the State)
template <class T, class Function>
void each_state(const BoundaryTables<T>& tables, const Boundary& boundary, const Function& function) {
  for (const BoundaryGroup<T>& g : tables.groups) {
    for (std::uint32_t i = 0; i < g.count; ++i) {
      const std::uint64_t first = boundary.branch_begin[boundary.site_begin[tables.member[g.node + i]]];
      for (std::uint32_t b = 0; b < g.branches; ++b) function(g.state + std::uint64_t{b} * g.stride + i, first + b);
    }
  }
}

}  // namespace

template <class T>
BoundaryTables<T> pack_boundary(const Boundary& boundary, const Layout& layout, std::uint32_t min_face_nodes) {
  return Packer<T>(boundary, layout, min_face_nodes).pack();
}

template <class T>
void BoundaryTables<T>::gather(const Boundary& boundary, const T* grouped, T* canonical) const {
  each_state(*this, boundary, [&](std::uint64_t from, std::uint64_t to) { canonical[to] = grouped[from]; });
}

template <class T>
void BoundaryTables<T>::scatter(const Boundary& boundary, const T* canonical, T* grouped) const {
  each_state(*this, boundary, [&](std::uint64_t to, std::uint64_t from) { grouped[to] = canonical[from]; });
}

template struct BoundaryTables<float>;
template struct BoundaryTables<double>;
template BoundaryTables<float> pack_boundary(const Boundary&, const Layout&, std::uint32_t);
template BoundaryTables<double> pack_boundary(const Boundary&, const Layout&, std::uint32_t);

}  // namespace fdtd::cuda

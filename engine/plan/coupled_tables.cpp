#include "engine/plan/coupled_tables.hpp"

#include <algorithm>
#include <map>

#include "engine/plan/law_in_precision.hpp"

namespace fdtd {
namespace {

// The key of a kind of group: geometry, then law and weight at every place.
std::vector<double> key_of(const Boundary& boundary, const CoupledGroup& group) {
  std::vector<double> key;
  for (const CoupledWall& wall : group.walls) {
    key.insert(key.end(), {static_cast<double>(wall.axis), static_cast<double>(wall.inward),
                           static_cast<double>(wall.rows), static_cast<double>(wall.lanes)});
    for (const std::uint32_t node : wall.site) {
      if (node == no_member) {
        key.insert(key.end(), {-1.0, 0.0});
        continue;
      }
      const BoundarySite& site = boundary.sites[boundary.site_begin[node]];
      key.insert(key.end(), {static_cast<double>(site.law), site.weight});
    }
  }
  return key;
}

template <class T>
class Maker {
 public:
  Maker(const Boundary& boundary, const std::array<int, 3>& size) : boundary_(boundary), size_(size) {
    for (const WallLaw& law : boundary.laws) {
      laws_.push_back(coefficients_of<T>(law, branches_));
      admittances_.push_back(admittance_in<T>(law));
    }
  }

  CoupledTables<T> make() {
    std::map<std::vector<double>, std::uint32_t> known;
    for (std::size_t g = 0; g < boundary_.groups(); ++g) {
      const CoupledGroup group = coupled_group(boundary_, g, size_);
      const auto [place, is_new] =
          known.try_emplace(key_of(boundary_, group), static_cast<std::uint32_t>(out_.kinds.size()));
      if (is_new) out_.kinds.push_back(kind_of(group));
      out_.kind.push_back(place->second);
      out_.origin.push_back(group.origin);
      for (const CoupledWall& wall : group.walls)
        out_.sites.insert(out_.sites.end(), wall.site.begin(), wall.site.end());
      out_.site_begin.push_back(out_.sites.size());
    }
    return std::move(out_);
  }

 private:
  CoupledKindTable<T> kind_of(const CoupledGroup& group) const {
    CoupledKindTable<T> kind;
    std::array<std::vector<double>, 3> responses;
    for (std::size_t w = 0; w < group.walls.size(); ++w) kind.walls.push_back(wall_of(group.walls[w], responses[w]));
    const std::vector<double> inverse = coupling_inverse(group, responses);
    const auto n = static_cast<std::size_t>(coupled_unknowns(static_cast<int>(group.walls.size())));
    for (std::size_t column = 0; column < n; ++column)
      for (std::size_t row = 0; row < n; ++row) kind.inverse.push_back(static_cast<T>(inverse[row * n + column]));
    find_own(group, kind);
    return kind;
  }

  void find_own(const CoupledGroup& group, CoupledKindTable<T>& kind) const {
    constexpr std::size_t lanes = coupled_lanes;
    const bool corner = group.walls.size() == 3;
    const auto depth = [&](std::size_t w) { return w < group.walls.size() ? group.walls[w].taps.size() : 1; };
    const auto has = [&](std::size_t w, std::size_t row, std::size_t lane) {
      return group.walls[w].site[row * lanes + lane] != no_member;
    };
    kind.own.assign(lanes * lanes * (corner ? lanes : 1), 0);
    for (std::size_t k = 0; k < depth(2); ++k)
      for (std::size_t j = 0; j < depth(1); ++j)
        for (std::size_t i = 0; i < depth(0); ++i) {
          const bool own = has(0, k, j) || has(1, k, i) || (corner && has(2, j, i));
          kind.own[i + lanes * (j + lanes * k)] = own ? 1 : 0;
          kind.whole = kind.whole && own;
        }
  }

  CoupledWallTable<T> wall_of(const CoupledWall& wall, std::vector<double>& responses) const {
    constexpr std::size_t lanes = coupled_lanes;
    CoupledWallTable<T> table;
    table.axis = wall.axis, table.inward = wall.inward, table.rows = wall.rows;
    table.taps = static_cast<int>(wall.taps.size());
    std::ranges::transform(wall.taps, table.tap.begin(), [](double tap) { return static_cast<T>(tap); });
    table.law.assign(wall.site.size(), no_member);
    responses.assign(wall.site.size(), 0.0);
    for (std::size_t place = 0; place < wall.site.size(); ++place) {
      if (wall.site[place] == no_member) continue;
      const std::uint32_t law = boundary_.sites[boundary_.site_begin[wall.site[place]]].law;
      table.law[place] = law;
      const double square = squared_norm_of_taps(boundary_.laws[law]);
      table.square = static_cast<T>(square), table.inverse_square = static_cast<T>(1.0 / square);
      table.branches = std::max(table.branches, static_cast<int>(boundary_.laws[law].branches.size()));
    }
    const auto branches = static_cast<std::size_t>(table.branches);
    table.constants.assign(wall.site.size() * coupled_constants, T{});
    table.rules.assign(wall.site.size() * branches * coupled_rules, T{});
    table.E.assign(wall.site.size() * branches, 0.0);
    for (std::size_t place = 0; place < wall.site.size(); ++place) {
      const std::size_t row = place / lanes, lane = place % lanes;
      const auto constant = [&](CoupledConstant which) -> T& {
        return table.constants[(row * coupled_constants + static_cast<std::size_t>(which)) * lanes + lane];
      };
      constant(CoupledConstant::scale) = T{1};
      if (wall.site[place] == no_member) continue;
      const std::uint32_t node = wall.site[place];
      responses[place] = coupled_response(boundary_, node, admittances_);
      const NodeCoefficients<double> of_node = coefficients_of_node(boundary_, node, admittances_);
      const LawCoefficients<T>& law = laws_[table.law[place]];
      constant(CoupledConstant::Q) = static_cast<T>(of_node.Q);
      constant(CoupledConstant::scale) = static_cast<T>(of_node.scale);
      constant(CoupledConstant::loss) = static_cast<T>(of_node.loss);
      constant(CoupledConstant::weight) = static_cast<T>(boundary_.sites[boundary_.site_begin[node]].weight);
      constant(CoupledConstant::response) = static_cast<T>(responses[place]);
      constant(CoupledConstant::A_part) = law.A_part;
      constant(CoupledConstant::W_part) = law.W_part;
      constant(CoupledConstant::inertance) = law.inertance;
      constant(CoupledConstant::series) = law.series;
      for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b) {
        const BranchCoefficients<T>& branch = branches_[b];
        const std::size_t at = row * branches + (b - law.branch_begin);
        T* rule = table.rules.data() + at * coupled_rules * lanes + lane;
        each_coefficient([&](T value) { *rule = value, rule += lanes; }, branch);
        table.E[at * lanes + lane] = branch.exact.E;
      }
    }
    return table;
  }

  const Boundary& boundary_;
  std::array<int, 3> size_;
  std::vector<LawCoefficients<T>> laws_;
  std::vector<BranchCoefficients<T>> branches_;
  std::vector<double> admittances_;
  CoupledTables<T> out_;
};

}  // namespace

template <class T>
CoupledTables<T> coupled_tables(const Boundary& boundary, const std::array<int, 3>& size) {
  return Maker<T>(boundary, size).make();
}

template CoupledTables<float> coupled_tables(const Boundary&, const std::array<int, 3>&);
template CoupledTables<double> coupled_tables(const Boundary&, const std::array<int, 3>&);

}  // namespace fdtd

#include "engine/cuda/walls/coupled_tables.hpp"

#include <algorithm>

namespace fdtd::cuda {
namespace {

template <class T>
CoupledKind<T> kind_of(const CoupledKindTable<T>& table, const Layout& layout) {
  CoupledKind<T> kind{};
  kind.walls = static_cast<std::uint32_t>(table.walls.size());
  for (std::size_t w = 0; w < table.walls.size(); ++w) {
    const CoupledWallTable<T>& wall = table.walls[w];
    kind.taps[w] = static_cast<std::uint32_t>(wall.taps);
    kind.rows[w] = static_cast<std::uint32_t>(wall.rows);
    kind.step[w] = wall.inward * (wall.axis == 0 ? 1 : wall.axis == 1 ? layout.row : layout.plane);
    std::ranges::copy(wall.tap, kind.tap[w]);
  }
  for (std::size_t n = 0; n < table.own.size(); ++n)
    if (table.own[n] != 0)
      kind.own[n / (coupled_row * coupled_row)][n / coupled_row % coupled_row] |=
          static_cast<std::uint8_t>(1U << n % coupled_row);
  return kind;
}

}  // namespace

template <class T>
CoupledArrays<T> pack_coupled(const Boundary& boundary, const std::array<int, 3>& size, const BoundaryTables<T>& sites,
                              const Layout& layout) {
  const CoupledTables<T> tables = coupled_tables<T>(boundary, size);
  CoupledArrays<T> out;
  if (tables.kind.empty()) return out;
  std::vector<std::uint32_t> place(boundary.nodes.size(), no_member);
  for (std::uint32_t at = 0; at < sites.member.size(); ++at)
    if (sites.member[at] != no_member) place[sites.member[at]] = at;
  for (const CoupledKindTable<T>& table : tables.kinds) {
    out.kinds.push_back(kind_of(table, layout));
    out.kinds.back().inverse = out.inverse.size();
    out.inverse.insert(out.inverse.end(), table.inverse.begin(), table.inverse.end());
  }
  for (const std::uint32_t walls : {2U, 3U}) {
    for (std::size_t g = 0; g < tables.kind.size(); ++g) {
      if (out.kinds[tables.kind[g]].walls != walls) continue;
      ++(walls == 2 ? out.edges : out.corners);
      out.kind.push_back(tables.kind[g]);
      out.origin.push_back(layout.offset(tables.origin[g]));
      out.place_begin.push_back(out.place.size());
      for (std::uint64_t s = tables.site_begin[g]; s < tables.site_begin[g + 1]; ++s)
        out.place.push_back(tables.sites[s] == no_member ? no_member : place[tables.sites[s]]);
    }
  }
  return out;
}

template CoupledArrays<float> pack_coupled(const Boundary&, const std::array<int, 3>&, const BoundaryTables<float>&,
                                           const Layout&);
template CoupledArrays<double> pack_coupled(const Boundary&, const std::array<int, 3>&, const BoundaryTables<double>&,
                                            const Layout&);

}  // namespace fdtd::cuda

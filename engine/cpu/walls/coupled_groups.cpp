#include "engine/cpu/walls/coupled_groups.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/error.hpp"

namespace fdtd::cpu {
namespace {

static_assert(group_lanes == coupled_lanes);
constexpr std::size_t lanes = group_lanes;

// Values of the sites of wall w of a group that is alone, of a strip, of a block. Of a strip: the places in front of the
// other wall.
template <class T>
std::size_t row_sites(const CoupledKind<T>& kind, int w) {
  if (kind.along_x) return static_cast<std::size_t>(kind.wall[1 - w].taps) * strip_groups<T>;
  if (kind.in_blocks) return static_cast<std::size_t>(block_groups) * block_lanes;
  return static_cast<std::size_t>(kind.wall[w].rows) * lanes;
}

}  // namespace

template <class T>
CoupledGroups<T>::CoupledGroups(const Boundary& boundary, const Layout& layout, Reach reach)
    : boundary_(boundary), tables_(coupled_tables<T>(boundary, layout.size)), reach_(reach) {
  const std::array<std::ptrdiff_t, 3> stride = {1, layout.row, layout.plane};
  for (const CoupledKindTable<T>& table : tables_.kinds) {
    CoupledKind<T> kind{};
    kind.walls = static_cast<int>(table.walls.size());
    kind.along_x = table.walls.size() == 2 && table.walls[0].axis != 0;
    kind.in_blocks = reach == Reach::within_tile && table.walls.size() == 2 && !kind.along_x && table.whole &&
                     table.walls[0].taps <= block_lanes && table.walls[1].taps <= block_lanes;
    kind.inverse = table.inverse.data();
    kind.own = table.whole ? nullptr : table.own.data();
    for (std::size_t w = 0; w < table.walls.size(); ++w) {
      const CoupledWallTable<T>& wall = table.walls[w];
      kind.wall[w] = {.step = wall.inward * stride[static_cast<std::size_t>(wall.axis)],
                      .taps = wall.taps,
                      .rows = wall.rows,
                      .branches = wall.branches,
                      .square = wall.square,
                      .inverse_square = wall.inverse_square,
                      .tap = wall.tap.data(),
                      .constants = wall.constants.data(),
                      .rules = wall.rules.data(),
                      .E = wall.E.data()};
    }
    kinds_.push_back(kind);
  }
  std::vector<std::size_t> tile_of_group;
  std::vector<std::uint64_t> groups, in_tile;
  const auto nx = static_cast<std::uint64_t>(layout.size[0]), ny = static_cast<std::uint64_t>(layout.size[1]);
  for (std::size_t g = 0; g < tables_.origin.size(); ++g) {
    const std::uint64_t row = tables_.origin[g] / nx;
    std::array<int, 3> far = {0, static_cast<int>(row % ny), static_cast<int>(row / ny)};
    const std::size_t tile = layout.tile_of(far[1], far[2]);
    int taps = 1;
    for (const CoupledWallTable<T>& wall : tables_.kinds[tables_.kind[g]].walls) {
      far[static_cast<std::size_t>(wall.axis)] += wall.inward * (wall.taps - 1);
      taps = std::max(taps, wall.taps);
    }
    if ((layout.tile_of(far[1], far[2]) == tile) != (reach == Reach::within_tile)) continue;
    max_taps_read_ = std::max(max_taps_read_, taps);
    groups.push_back(g);
    tile_of_group.push_back(tile);
  }
  const ByTile by_tile(tile_of_group, layout.tiles.size());
  for (std::size_t tile = 0; tile < layout.tiles.size(); ++tile) {
    in_tile.clear();
    for (std::size_t i = by_tile.begin[tile]; i < by_tile.begin[tile + 1]; ++i)
      in_tile.push_back(groups[by_tile.items[i]]);
    place(in_tile, layout);
    tile_begin_.push_back(placed_.size());
    unit_begin_.push_back(units_.size());
    tile_q_.push_back(q_length_);
    tile_state_.push_back(state_length_);
  }
  lost_.assign(placed_.size(), 0.0);
  const auto values = [](std::size_t count) {
    return Values(static_cast<T*>(allocate_memory(count * sizeof(T)).release()));
  };
  for (Values& q : q_) q = values(q_length_);
  state_ = values(state_length_);
}

// The groups of a tile, in an order that slabs do not change: those along x of one kind side by side are strips.
template <class T>
void CoupledGroups<T>::place(std::vector<std::uint64_t>& groups, const Layout& layout) {
  std::ranges::sort(groups, {}, [&](std::uint64_t g) {
    const CoupledKind<T>& kind = kinds_[tables_.kind[g]];
    return std::tuple(kind.along_x, tables_.origin[g], kind.walls, kind.wall[0].step, kind.wall[1].step);
  });
  const std::size_t first_unit = units_.size();
  for (std::size_t i = 0; i < groups.size();) {
    const std::uint32_t kind = tables_.kind[groups[i]];
    const std::uint64_t origin = tables_.origin[groups[i]];
    const bool strip = kinds_[kind].along_x;
    std::uint32_t count = 1;
    while (strip && count < strip_groups<T> && i + count < groups.size() && tables_.kind[groups[i + count]] == kind &&
           tables_.origin[groups[i + count]] == origin + count)
      ++count;
    const auto index = static_cast<std::uint32_t>(placed_.size());
    placed_.push_back({kind, count, members_.size(), layout.offset(origin), 0, 0});
    members_.insert(members_.end(), groups.begin() + static_cast<std::ptrdiff_t>(i),
                    groups.begin() + static_cast<std::ptrdiff_t>(i + count));
    i += count;
    // The block that this group continues.
    const std::ptrdiff_t next = tables_.kinds[kind].walls.back().axis == 1 ? layout.plane : layout.row;
    const auto block =
        std::find_if(units_.begin() + static_cast<std::ptrdiff_t>(first_unit), units_.end(), [&](const Unit& unit) {
          const Placed& last = placed_[unit.groups[unit.count - 1]];
          return kinds_[kind].in_blocks && unit.count < block_groups && last.kind == kind &&
                 last.origin + next == placed_[index].origin;
        });
    if (block != units_.end()) {
      placed_[index].q = placed_[block->groups[0]].q + block->count * block_lanes;
      placed_[index].state = placed_[block->groups[0]].state + block->count * block_lanes;
      block->groups[block->count++] = index;
      continue;
    }
    units_.push_back({{index}, 1, next});
    if (strip || kinds_[kind].in_blocks) {  // on whole cache lines
      q_length_ = (q_length_ + strip_groups<T> - 1) / strip_groups<T> * strip_groups<T>;
      state_length_ = (state_length_ + strip_groups<T> - 1) / strip_groups<T> * strip_groups<T>;
    }
    placed_[index].q = q_length_;
    placed_[index].state = state_length_;
    for (int w = 0; w < kinds_[kind].walls; ++w) {
      const std::size_t sites = row_sites(kinds_[kind], w);
      q_length_ += sites;
      state_length_ += branch_state_size * sites * static_cast<std::size_t>(kinds_[kind].wall[w].branches);
    }
  }
}

template <class T>
double CoupledGroups<T>::update_tile(std::size_t tile, const RowFunctions<T>& functions, int parity, T* u0,
                                     double lost) {
  for (std::size_t i = unit_begin_[tile]; i < unit_begin_[tile + 1]; ++i) {
    const Unit& unit = units_[i];
    std::array<double, block_groups> of_block{};
    const Coupled<T> coupled = view(unit, parity, u0, of_block.data());
    const double alone = functions.update_coupled(coupled);
    if (!coupled.kind->in_blocks) of_block[0] = alone;
    for (std::uint32_t g = 0; g < unit.count; ++g) lost_[unit.groups[g]] = of_block[g];
  }
  for (std::size_t g = tile_begin_[tile]; g < tile_begin_[tile + 1]; ++g) lost += lost_[g];
  return lost;
}

template <class T>
template <class Function>
void CoupledGroups<T>::each_site(const Placed& p, const Function& function) const {
  const bool strip = kinds_[p.kind].along_x, block = kinds_[p.kind].in_blocks;
  const std::vector<CoupledWallTable<T>>& walls = tables_.kinds[p.kind].walls;
  for (std::size_t member = 0; member < p.count; ++member) {
    std::size_t state = p.state, q = p.q, place = tables_.site_begin[members_[p.first + member]];
    for (std::size_t w = 0; w < walls.size(); ++w) {
      const CoupledWallTable<T>& wall = walls[w];
      const std::size_t apart = strip   ? strip_groups<T>
                                : block ? row_sites(kinds_[p.kind], 0)
                                        : lanes,
                        of_row = branch_state_size * apart * static_cast<std::size_t>(wall.branches);
      for (std::size_t i = 0; i < wall.places(); ++i, ++place) {
        if (wall.law[i] == no_member) continue;
        const std::size_t at = strip ? i * of_row + member : i / lanes * of_row + i % lanes;
        function(tables_.sites[place], wall.law[i], state + at, apart, q + (strip ? i * apart + member : i));
      }
      q += row_sites(kinds_[p.kind], static_cast<int>(w));
      state += of_row * (strip ? static_cast<std::size_t>(walls[1 - w].taps) : wall.places() / lanes);
    }
  }
}

template <class T>
void CoupledGroups<T>::read(const RowFunctions<T>& functions, T* u, int parity) const {
  for (const Unit& unit : units_) functions.read_coupled(view(unit, parity, u, nullptr));
}

template <class T>
std::vector<std::size_t> CoupledGroups<T>::ranges(std::size_t begin, std::size_t end, int parts) const {
  const auto count = static_cast<std::size_t>(parts);
  std::vector<std::size_t> first(count + 1, end);
  std::size_t group = begin;
  for (std::size_t part = 0; part < count; ++part) {
    while (group < end && q_end(group) - q_end(begin) < (q_end(end) - q_end(begin)) * part / count) ++group;
    first[part] = group;
  }
  return first;
}

// As measured: a group of an edge along x takes a third of one along y or z that is alone.
template <class T>
double CoupledGroups<T>::cost(std::size_t tile) const {
  double sum = 0.0;
  for (std::size_t i = unit_begin_[tile]; i < unit_begin_[tile + 1]; ++i) {
    const CoupledKind<T>& kind = kinds_[placed_[units_[i].groups[0]].kind];
    const double each = kind.along_x || kind.in_blocks ? 1.0 : 3.0;
    for (int w = 0; w < kind.walls; ++w) sum += each * static_cast<double>(row_sites(kind, w));
  }
  return sum;
}

template <class T>
double CoupledGroups<T>::stored(std::size_t tile) const {
  double sum = 0.0;
  for (std::size_t g = tile_begin_[tile]; g < tile_begin_[tile + 1]; ++g) {
    each_site(placed_[g], [&](std::uint32_t node, std::uint32_t which, std::size_t at, std::size_t apart, std::size_t) {
      const WallLaw& law = boundary_.laws[which];
      SiteEnergy energy;
      for (const LawBranch& branch : law.branches) {
        energy.add(branch, each_made([](const T* value) { return static_cast<double>(*value); },
                                     values_apart<const T*>(&state_[at], static_cast<std::ptrdiff_t>(apart))));
        at += branch_state_size * apart;
      }
      sum += 0.5 * boundary_.sites[boundary_.site_begin[node]].weight * energy.total(law.inertance);
    });
  }
  return sum;
}

template <class T>
WallRow::Reads CoupledGroups<T>::read_nodes() const {
  WallRow::Reads reads;
  for (const Placed& p : placed_)
    each_site(p, [&](std::uint32_t node, std::uint32_t, std::size_t, std::size_t, std::size_t q) {
      reads.nodes.push_back({q, node});
    });
  std::ranges::sort(reads.nodes, {}, &ReadNode::q);
  reads.part_begin = tile_q_;
  if (reach_ == Reach::within_tile) return reads;
  reads.part_begin.clear();
  for (std::size_t group = 0; group <= placed_.size(); ++group) reads.part_begin.push_back(q_end(group));
  return reads;
}

template <class T>
void CoupledGroups<T>::reset(std::size_t tile) {
  for (Values& q : q_) std::fill(q.get() + tile_q_[tile], q.get() + tile_q_[tile + 1], T{});
  std::fill(state_.get() + tile_state_[tile], state_.get() + tile_state_[tile + 1], T{});
}

template <class T>
void CoupledGroups<T>::save(BranchValues<std::vector<std::byte>>& branches) const {
  const std::uint64_t states = boundary_.branch_begin.back();
  each_value([&](std::vector<std::byte>& values) { values.resize(states * sizeof(T)); }, branches);
  for (const Placed& p : placed_) {
    each_site(p, [&](std::uint32_t node, std::uint32_t law, std::size_t at, std::size_t apart, std::size_t) {
      std::uint64_t place = boundary_.branch_begin[boundary_.site_begin[node]];
      for (std::size_t b = 0; b < boundary_.laws[law].branches.size(); ++b, ++place, at += branch_state_size * apart) {
        each_value([&](std::vector<std::byte>& to,
                       const T* from) { std::memcpy(to.data() + place * sizeof(T), from, sizeof(T)); },
                   branches, values_apart<const T*>(&state_[at], static_cast<std::ptrdiff_t>(apart)));
      }
    });
  }
}

template <class T>
void CoupledGroups<T>::restore(const BranchValues<std::vector<std::byte>>& branches) {
  each_value(
      [&](const std::vector<std::byte>& values) {
        if (values.size() != boundary_.branch_begin.back() * sizeof(T))
          throw Error(Status::file, "the state's wall branches do not fit the plan");
      },
      branches);
  for (const Placed& p : placed_) {
    each_site(p, [&](std::uint32_t node, std::uint32_t law, std::size_t at, std::size_t apart, std::size_t) {
      std::uint64_t place = boundary_.branch_begin[boundary_.site_begin[node]];
      for (std::size_t b = 0; b < boundary_.laws[law].branches.size(); ++b, ++place, at += branch_state_size * apart) {
        each_value([&](const std::vector<std::byte>& from,
                       T* to) { std::memcpy(to, from.data() + place * sizeof(T), sizeof(T)); },
                   branches, values_apart(&state_[at], static_cast<std::ptrdiff_t>(apart)));
      }
    });
  }
}

template class CoupledGroups<float>;
template class CoupledGroups<double>;

}  // namespace fdtd::cpu

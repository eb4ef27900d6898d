#include "engine/cpu/walls/boundary_batches.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "engine/plan/coupled_walls.hpp"
#include "engine/plan/law_in_precision.hpp"

namespace fdtd::cpu {
namespace {

constexpr std::uint64_t padding = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t group = batch_group;

// The pieces of the group of `count` nodes from the first-th; none where they are too many.
std::array<GroupPiece, max_pieces> pieces_of(const std::vector<std::int32_t>& offsets, std::size_t first,
                                             std::uint32_t count) {
  std::array<GroupPiece, max_pieces> pieces{};
  std::size_t many = 0;
  for (std::uint32_t l = 0; l < count; ++l) {
    const std::int32_t from = offsets[first + l] - static_cast<std::int32_t>(l);
    if (many == 0 || pieces[many - 1].from != from) {
      if (many == pieces.size()) return {};
      pieces[many++] = {from, 0};
    }
    pieces[many - 1].lanes |= 1U << l;
  }
  return pieces;
}

}  // namespace

template <class T>
BoundaryBatches<T>::BoundaryBatches(const Boundary& boundary, const Layout& layout, Reach reach) {
  std::vector<double> admittances;
  for (const WallLaw& law : boundary.laws) {
    laws_.push_back(coefficients_of<T>(law, branches_));
    admittances.push_back(admittance_in<T>(law));
  }
  states_ = boundary.branch_begin.back();
  const auto nx = static_cast<std::uint64_t>(layout.size[0]), ny = static_cast<std::uint64_t>(layout.size[1]);
  std::vector<std::size_t> tile_of_node;
  for (const std::uint64_t node : boundary.nodes) tile_of_node.push_back(layout.tile_of(node));
  const ByTile by_tile(tile_of_node, layout.tiles.size());
  const std::vector<bool> coupled = coupled_nodes(boundary);
  Kinds known;
  for (std::size_t tile = 0; tile < layout.tiles.size(); ++tile) {
    std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> by_laws;
    for (std::size_t i = by_tile.begin[tile]; i < by_tile.begin[tile + 1]; ++i) {
      const std::size_t next = by_tile.items[i];
      if (coupled[next]) continue;  // coupled_groups.hpp
      const std::uint64_t row = boundary.nodes[next] / nx;
      const WallLaw& law = boundary.laws[boundary.sites[boundary.site_begin[next]].law];
      const int far = law.inward * (static_cast<int>(law.taps.size()) - 1);  // the last tap, along the axis
      const std::size_t last = layout.tile_of(static_cast<int>(row % ny) + (law.axis == 1 ? far : 0),
                                              static_cast<int>(row / ny) + (law.axis == 2 ? far : 0));
      if ((last == tile) != (reach == Reach::within_tile)) continue;
      std::vector<std::uint32_t> laws;
      for (std::uint32_t s = boundary.site_begin[next]; s < boundary.site_begin[next + 1]; ++s)
        laws.push_back(boundary.sites[s].law);
      by_laws[laws].push_back(next);
    }
    for (const auto& [laws, nodes] : by_laws) place(tile, nodes, boundary, admittances, layout, known);
    tile_begin_.push_back(placed_.size());
  }
  law_lists_.close(), node_.close(), pieces_.close(), constants_.close();
  kinds_.resize(known.size());
  for (const auto& [kind, at] : known) kinds_[at] = view(kind);
  const auto values = [](std::size_t count) {
    return Values(static_cast<T*>(allocate_memory(count * sizeof(T)).release()));
  };
  for (Values& q : q_) q = values(q_length_);
  state_ = values(branch_state_size * order_.size());
  find_spans(layout);
}

template <class T>
void BoundaryBatches<T>::find_spans(const Layout& layout) {
  static_assert(tile_rows == tile_edge);
  tile_step_ = tile_edge * layout.row;
  const auto columns = static_cast<std::size_t>(layout.columns);
  span_.assign(layout.tiles.size(), 1);
  for (std::size_t tile = layout.tiles.size(); tile-- > 0;) {
    if ((tile + 1) % columns == 0 || in_tile(tile) != in_tile(tile + 1)) continue;
    const auto here = placed_.begin() + static_cast<std::ptrdiff_t>(tile_begin_[tile]);
    const auto next = placed_.begin() + static_cast<std::ptrdiff_t>(tile_begin_[tile + 1]);
    if (std::equal(here, next, next, [](const Placed& a, const Placed& b) { return a.kind == b.kind; }))
      span_[tile] = span_[tile + 1] + 1;
  }
}

template <class T>
void BoundaryBatches<T>::place(std::size_t tile, const std::vector<std::size_t>& nodes, const Boundary& boundary,
                               const std::vector<double>& admittances, const Layout& layout, Kinds& known) {
  const std::uint32_t first = boundary.site_begin[nodes[0]], sites = boundary.site_begin[nodes[0] + 1] - first;
  const std::ptrdiff_t origin = layout.first_of(layout.tiles[tile]);
  Kind kind{};
  kind.count = static_cast<std::uint32_t>(nodes.size());
  kind.stride = static_cast<std::uint32_t>((nodes.size() + group - 1) / group * group);
  kind.sites = sites;
  std::vector<std::uint32_t> laws;
  for (std::uint32_t s = first; s < first + sites; ++s) laws.push_back(boundary.sites[s].law);
  kind.laws = law_lists_.keep(laws);
  kind.branches = static_cast<std::uint32_t>(boundary.branch_begin[first + sites] - boundary.branch_begin[first]);
  std::vector<std::int32_t> offsets(kind.stride, 0);
  const std::size_t state = order_.size();
  order_.resize(state + std::size_t{kind.branches} * kind.stride, padding);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::ptrdiff_t offset = layout.offset(boundary.nodes[nodes[i]]) - origin;
    if (offset > std::numeric_limits<std::int32_t>::max() - group) {
      throw Error(Status::resource, "six planes of this room have more nodes than walls count in a tile",
                  "a coarser grid, or the room rotated so that its longest side is along z");
    }
    offsets[i] = static_cast<std::int32_t>(offset);
    const std::uint64_t begin = boundary.branch_begin[boundary.site_begin[nodes[i]]];
    for (std::uint32_t b = 0; b < kind.branches; ++b)
      order_[state + (i / group * kind.branches + b) * group + i % group] = begin + b;
  }
  const WallLaw& law = boundary.laws[boundary.sites[first].law];
  if (law.taps.size() > max_taps) throw Error(Status::resource, "walls read at most eight nodes");
  const std::int32_t apart = law.axis == 0 && law.taps.size() > 1 ? across_x : scattered;
  const std::int32_t wide = law.taps.size() > 4 ? 8 : 4;  // values of a row that a wall across x reads and writes
  const auto in_row = [&](std::size_t i) {
    const auto x = static_cast<int>(boundary.nodes[nodes[i]] % static_cast<std::uint64_t>(layout.size[0]));
    return wide == 4 || (law.inward > 0 ? x + wide <= layout.size[0] : x + 1 >= wide);
  };
  std::vector<GroupPiece> of_groups;
  for (std::uint32_t i = 0; i < kind.stride; i += group) {
    const bool whole = i + group <= kind.count;
    const bool side_by_side = whole && offsets[i + group - 1] - offsets[i] == group - 1;  // nodes ascend
    bool separate = whole;                                                                // no node reads another
    for (std::size_t k = i + 1; k < i + group && separate; ++k) separate = offsets[k] - offsets[k - 1] >= wide;
    for (std::size_t k = i; k < i + group && separate; ++k) separate = in_row(k);
    std::array<GroupPiece, max_pieces> pieces{};
    if (!side_by_side && !(separate && apart == across_x))
      pieces = pieces_of(offsets, i, std::min(group, kind.count - i));
    of_groups.insert(of_groups.end(), pieces.begin(), pieces.end());
    offsets.push_back(side_by_side ? offsets[i] : pieces[0].lanes != 0 ? in_pieces : separate ? apart : scattered);
  }
  kind.pieces = pieces_.keep(of_groups);
  kind.node = node_.keep(offsets);
  kind.step = law.inward * (law.axis == 0 ? 1 : law.axis == 1 ? layout.row : layout.plane);
  kind.tap_count = static_cast<std::uint32_t>(law.taps.size());
  max_taps_read_ = std::max(max_taps_read_, static_cast<int>(law.taps.size()));
  std::vector<T> taps;
  for (const double tap : law.taps) taps.push_back(static_cast<T>(tap));
  kind.taps = constants_.keep(taps);
  kind.inverse_square = static_cast<T>(1.0 / squared_norm_of_taps(law));
  place_constants(kind, nodes, boundary, admittances);
  placed_.push_back({known.try_emplace(kind, static_cast<std::uint32_t>(known.size())).first->second, origin, q_length_,
                     branch_state_size * state});
  q_length_ += kind.stride;
}

// Stores the constants of all nodes, or of one group where they are the same, as in most of a wall.
template <class T>
void BoundaryBatches<T>::place_constants(Kind& p, const std::vector<std::size_t>& nodes, const Boundary& boundary,
                                         const std::vector<double>& admittances) {
  const std::size_t kinds = 3 + std::size_t{p.sites};
  std::vector<T> all(kinds * p.stride, T{});
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::size_t node = nodes[i];
    for (std::uint32_t s = 0; s < p.sites; ++s)
      all[(3 + std::size_t{s}) * p.stride + i] = static_cast<T>(boundary.sites[boundary.site_begin[node] + s].weight);
    const NodeCoefficients<double> of_node = coefficients_of_node(boundary, node, admittances);
    all[i] = static_cast<T>(of_node.Q);
    all[p.stride + i] = static_cast<T>(of_node.scale);
    all[2 * std::size_t{p.stride} + i] = static_cast<T>(of_node.loss);
  }
  bool uniform = true;
  std::vector<T> one;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const T* const values = all.data() + kind * p.stride;
    uniform = uniform && std::all_of(values, values + p.count, [&](T value) { return value == values[0]; });
    one.insert(one.end(), group, values[0]);
  }
  p.constants = uniform ? group : p.stride;
  p.constant = constants_.keep(uniform ? one : all);
}

template <class T>
BatchKind<T> BoundaryBatches<T>::view(const Kind& p) const {
  const T* const constants = constants_.all().data() + p.constant;
  const std::int32_t* const node = node_.all().data() + p.node;
  return {.count = p.count,
          .stride = p.stride,
          .sites = p.sites,
          .branches = p.branches,
          .laws = law_lists_.all().data() + p.laws,
          .node = node,
          .run = node + p.stride,
          .pieces = pieces_.all().data() + p.pieces,
          .constant_step = p.constants == p.stride ? static_cast<std::ptrdiff_t>(group) : 0,
          .constant_stride = static_cast<std::ptrdiff_t>(p.constants),
          .Q = constants,
          .scale = constants + p.constants,
          .loss = constants + 2 * std::size_t{p.constants},
          .weight = constants + 3 * std::size_t{p.constants},
          .taps = constants_.all().data() + p.taps,
          .tap_count = p.tap_count,
          .step = p.step,
          .inverse_square = p.inverse_square};
}

template <class T>
void BoundaryBatches<T>::update(std::size_t begin, std::size_t end, const RowFunctions<T>& functions, int parity, T* u0,
                                double* dissipated) {
  for (std::size_t tile = begin; tile < end;) {
    const std::size_t tiles = std::min<std::size_t>(span_[tile], end - tile);
    const std::size_t first = tile_begin_[tile], last = tile_begin_[tile + 1];
    double* const of_tile = dissipated + (tile - begin);
    if (first < last) std::fill(of_tile, of_tile + tiles, 0.0);
    for (std::size_t i = first; i < last; ++i) {
      Batch<T> together = batch(placed_[i], parity, u0);
      if (tiles > 1) {
        const Placed& next = placed_[i + last - first];  // the same batch of the next tile
        together.tiles = static_cast<std::ptrdiff_t>(tiles);
        together.u_step = tile_step_;
        together.branches_step = static_cast<std::ptrdiff_t>(next.state - placed_[i].state);
        together.q_step = static_cast<std::ptrdiff_t>(next.q - placed_[i].q);
      }
      functions.update_boundary(together, laws_.data(), branches_.data(), of_tile);
    }
    tile += tiles;
  }
}

template <class T>
double BoundaryBatches<T>::update_batch(std::size_t index, const RowFunctions<T>& functions, int parity, T* u0) {
  double dissipated = 0.0;
  functions.update_boundary(batch(placed_[index], parity, u0), laws_.data(), branches_.data(), &dissipated);
  return dissipated;
}

// Prefetches the first groups of the first batches: hardware prefetching follows a longer batch, and the update of
// tiles that are updated together prefetches the next ones.
template <class T>
void BoundaryBatches<T>::prefetch(std::size_t begin, std::size_t end, int parity) const {
  constexpr std::size_t most = 512 / sizeof(T);
  const T* const q = q_[static_cast<std::size_t>(parity)].get();
  for (std::size_t tile = begin; tile < end;) {
    const std::size_t tiles = std::min<std::size_t>(span_[tile], end - tile);
    const std::size_t first = tile + std::min<std::size_t>(tiles, tiles_ahead);
    for (std::size_t i = tile_begin_[tile]; i < tile_begin_[first]; ++i) {
      const Placed& p = placed_[i];
      prefetch_lines(state_.get() + p.state, state_.get() + std::min(state_end(i + 1), p.state + most));
      prefetch_lines(q + p.q, q + std::min(q_end(i + 1), p.q + most));
    }
    tile += tiles;
  }
}

template <class T>
void BoundaryBatches<T>::read(const T* u, int parity) {
  for (const Placed& p : placed_) {
    const BatchKind<T>& b = kinds_[p.kind];
    T* const q = q_[static_cast<std::size_t>(parity)].get() + p.q;
    for (std::uint32_t k = 0; k < b.count; ++k) {
      const T* const at = u + p.origin + b.node[k];
      T sum = b.taps[0] * at[0];
      for (std::uint32_t j = 1; j < b.tap_count; ++j) sum += b.taps[j] * at[j * b.step];
      q[k] = sum;
    }
  }
}

// The node of a state's place is that of its first branch.
template <class T>
WallRow::Reads BoundaryBatches<T>::read_nodes(const Boundary& boundary) const {
  const auto owner = [](const auto& begins, auto index) {
    return std::ranges::upper_bound(begins, index) - begins.begin() - 1;
  };
  WallRow::Reads reads;
  for (const Placed& p : placed_) {
    reads.part_begin.push_back(p.q);
    const BatchKind<T>& kind = kinds_[p.kind];
    for (std::uint32_t k = 0; k < kind.count; ++k) {
      const std::size_t first =
          p.state / branch_state_size + std::size_t{k / group} * kind.branches * group + k % group;
      const auto site = static_cast<std::uint32_t>(owner(boundary.branch_begin, order_[first]));
      reads.nodes.push_back({p.q + k, static_cast<std::uint32_t>(owner(boundary.site_begin, site))});
    }
  }
  reads.part_begin.push_back(q_length_);
  return reads;
}

template <class T>
std::vector<std::size_t> BoundaryBatches<T>::ranges(std::size_t begin, std::size_t end, int parts) const {
  const auto count = static_cast<std::size_t>(parts);
  std::vector<std::size_t> first(count + 1, end);
  std::size_t batch = begin;
  for (std::size_t part = 0; part < count; ++part) {
    while (batch < end && q_end(batch) - q_end(begin) < (q_end(end) - q_end(begin)) * part / count) ++batch;
    first[part] = batch;
  }
  return first;
}

template <class T>
double BoundaryBatches<T>::cost(std::size_t tile) const {
  double sum = 0.0;
  for (std::size_t i = tile_begin_[tile]; i < tile_begin_[tile + 1]; ++i) {
    const BatchKind<T>& b = kinds_[placed_[i].kind];
    sum += 10.0 + b.count * (2.0 + 1.5 * b.branches);
    for (std::uint32_t g = 0; g < b.stride / group; ++g) sum += b.run[g] < 0 ? 2.0 * group : 0.0;
  }
  return sum;
}

template <class T>
double BoundaryBatches<T>::stored(std::size_t tile) const {
  double sum = 0.0;
  for (std::size_t i = tile_begin_[tile]; i < tile_begin_[tile + 1]; ++i) {
    const BatchKind<T>& kind = kinds_[placed_[i].kind];
    for (std::uint32_t k = 0; k < kind.count; ++k) {
      const std::uint32_t g = k / group;
      const T* at = state_.get() + placed_[i].state + std::size_t{g} * kind.branches * branch_values + k % group;
      for (std::uint32_t s = 0; s < kind.sites; ++s) {
        const std::uint32_t law = kind.laws[s];
        SiteEnergy energy;
        for (std::uint32_t b = laws_[law].branch_begin; b < laws_[law].branch_end; ++b, at += branch_values)
          energy.add(branches_[b].exact,
                     each_made([](const T* value) { return static_cast<double>(*value); }, values_apart(at, group)));
        const std::ptrdiff_t constant = s * kind.constant_stride + (kind.constant_step > 0 ? k : k % group);
        sum += 0.5 * static_cast<double>(kind.weight[constant]) * energy.total(laws_[law].exact_inertance);
      }
    }
  }
  return sum;
}

template <class T>
void BoundaryBatches<T>::reset(std::size_t tile) {
  const std::size_t begin = tile_begin_[tile], end = tile_begin_[tile + 1];
  for (Values& q : q_) std::fill(q.get() + q_end(begin), q.get() + q_end(end), T{});
  std::fill(state_.get() + state_end(begin), state_.get() + state_end(end), T{});
}

template <class T>
void BoundaryBatches<T>::save(BranchValues<std::vector<std::byte>>& branches) const {
  each_value([&](std::vector<std::byte>& values) { values.resize(states_ * sizeof(T)); }, branches);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (order_[i] == padding) continue;
    each_value([&](std::vector<std::byte>& to,
                   const T* from) { std::memcpy(to.data() + order_[i] * sizeof(T), from, sizeof(T)); },
               branches, values_apart<const T*>(state_.get() + place_of(i), group));
  }
}

template <class T>
void BoundaryBatches<T>::restore(const BranchValues<std::vector<std::byte>>& branches) {
  each_value(
      [&](const std::vector<std::byte>& values) {
        if (values.size() != states_ * sizeof(T))
          throw Error(Status::file, "the state's wall branches do not fit the plan");
      },
      branches);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (order_[i] == padding) continue;
    each_value([&](const std::vector<std::byte>& from,
                   T* to) { std::memcpy(to, from.data() + order_[i] * sizeof(T), sizeof(T)); },
               branches, values_apart(state_.get() + place_of(i), group));
  }
}

template class BoundaryBatches<float>;
template class BoundaryBatches<double>;

}  // namespace fdtd::cpu

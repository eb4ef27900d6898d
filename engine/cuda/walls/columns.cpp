#include "engine/cuda/walls/columns.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/error.hpp"

namespace fdtd::cuda {
namespace {

const WallLaw& first_law(const Boundary& boundary, std::size_t node) {
  return boundary.laws[boundary.sites[boundary.site_begin[node]].law];
}

// Nodes as bits, and how many come before each.
class NodeSet {
 public:
  explicit NodeSet(std::size_t nodes) : words_(nodes / 64 + 1) {}
  void add(std::uint64_t node) { words_[node / 64] |= std::uint64_t{1} << (node % 64); }
  bool has(std::uint64_t node) const { return (words_[node / 64] >> (node % 64) & 1U) != 0; }
  void number() {
    before_.reserve(words_.size());
    std::uint64_t count = 0;
    for (const std::uint64_t word : words_) {
      before_.push_back(count);
      count += static_cast<std::uint64_t>(std::popcount(word));
    }
  }
  std::uint64_t number_of(std::uint64_t node) const {
    const std::uint64_t below = words_[node / 64] & ((std::uint64_t{1} << (node % 64)) - 1);
    return before_[node / 64] + static_cast<std::uint64_t>(std::popcount(below));
  }

 private:
  std::vector<std::uint64_t> words_, before_;
};

}  // namespace

Columns columns_of(const Boundary& boundary, const AirMask& air, int radius, const Layout& layout) {
  const std::array<std::int64_t, 3> stride = {1, layout.size[0], std::int64_t{layout.size[0]} * layout.size[1]};
  const auto node_behind = [&](std::size_t i, const WallLaw& law, std::size_t j) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(boundary.nodes[i]) +
                                      static_cast<std::int64_t>(j) * law.inward *
                                          stride[static_cast<std::size_t>(law.axis)]);
  };
  NodeSet taken(static_cast<std::size_t>(layout.nodes()));
  for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
    const WallLaw& law = first_law(boundary, i);
    if (law.taps.size() > max_taps) {
      throw Error(Status::resource, "walls that read more than 8 nodes are not made for the GPU", "take --device cpu");
    }
    if (law.taps.size() > max_column) continue;
    for (std::size_t j = 0; j < law.taps.size(); ++j) taken.add(node_behind(i, law, j));
  }
  // Behind the taps: air, in no other column.
  const auto free_behind = [&](std::size_t i, const WallLaw& law, std::size_t j) {
    std::array<int, 3> at{};
    for (std::size_t d = 0; d < 3; ++d)
      at[d] = static_cast<int>(static_cast<std::int64_t>(boundary.nodes[i]) / stride[d] % layout.size[d]);
    at[static_cast<std::size_t>(law.axis)] += static_cast<int>(j) * law.inward;
    return air(at[0], at[1], at[2]) && !taken.has(node_behind(i, law, j));
  };
  Columns columns;
  columns.length.reserve(boundary.nodes.size());
  const auto reach = static_cast<std::size_t>(std::min(radius, max_column));
  std::size_t count = 0;
  for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
    const WallLaw& law = first_law(boundary, i);
    std::size_t length = law.taps.size() > max_column ? 0 : law.taps.size();
    while (length > 1 && length < reach && free_behind(i, law, length)) taken.add(node_behind(i, law, length++));
    columns.length.push_back(static_cast<std::uint8_t>(length));
    count += length;
  }
  // Each node has one owner: its place in the order of nodes is the number of owned nodes before it.
  taken.number();
  columns.owned_nodes.resize(count);
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
    for (std::size_t j = 0; j < columns.length[i]; ++j) {
      const std::uint64_t node = node_behind(i, first_law(boundary, i), j);
      columns.owned_nodes[taken.number_of(node)] = {node, place++, no_pattern};
    }
  }
  return columns;
}

}  // namespace fdtd::cuda

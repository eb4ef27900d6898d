#include "engine/cpu/walls/wall_row.hpp"

#include <algorithm>
#include <map>

#include "engine/backend/wall_correlation.hpp"

namespace fdtd::cpu {
namespace {

// The laws of every node's sites, by number: equal ones have the same.
std::vector<std::uint32_t> law_lists(const Boundary& boundary) {
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::vector<std::uint32_t> list_of, laws;
  list_of.reserve(boundary.nodes.size());
  for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
    laws.clear();
    for (std::uint32_t s = boundary.site_begin[i]; s < boundary.site_begin[i + 1]; ++s)
      laws.push_back(boundary.sites[s].law);
    list_of.push_back(known.try_emplace(laws, static_cast<std::uint32_t>(known.size())).first->second);
  }
  return list_of;
}

}  // namespace

WallRow::WallRow(const Boundary& boundary, const std::array<Reads, kinds>& reads) {
  const std::vector<std::uint32_t> list_of = law_lists(boundary);
  std::vector<std::uint32_t> next;  // place, by list of laws
  for (const std::uint32_t list : list_of) {
    if (next.size() < std::size_t{list} + 2) next.resize(std::size_t{list} + 2, 0);
    ++next[std::size_t{list} + 1];
  }
  for (std::size_t list = 1; list < next.size(); ++list) next[list] += next[list - 1];
  nodes_.assign(boundary.nodes.size(), no_wall_node);
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const auto& [nodes, begin] = reads[kind];
    std::size_t part = 0;
    for (const ReadNode& read : nodes) {
      for (; part < begin.size() && begin[part] <= read.q; ++part) part_begin_[kind].push_back(runs_[kind].size());
      const std::uint32_t place = next[list_of[read.node]]++;
      nodes_[place] = read.node;
      const bool opens = part > 0 && part_begin_[kind].back() == runs_[kind].size();
      if (!opens) {
        Run& run = runs_[kind].back();
        if (run.q + run.count == read.q && run.place + run.count == place) {
          ++run.count;
          continue;
        }
      }
      runs_[kind].push_back({read.q, place, 1});
    }
    part_begin_[kind].resize(begin.size(), runs_[kind].size());
  }
}

}  // namespace fdtd::cpu

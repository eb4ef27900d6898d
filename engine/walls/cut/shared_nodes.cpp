#include "engine/walls/cut/shared_nodes.hpp"

#include <algorithm>
#include <limits>

namespace fdtd {
namespace {

using Planes = std::array<int, 2>;

std::uint64_t nodes_a_plane(const AirMask& air) {
  return static_cast<std::uint64_t>(air.size()[0]) * static_cast<std::uint64_t>(air.size()[1]);
}

}  // namespace

CutVoxels SharedNodes::listed(const CutVoxels& cut, const AirMask& air, const PlanePartition& partition) {
  const auto [begin, end] = partition.planes(air.size()[2]);
  const std::uint64_t in_plane = nodes_a_plane(air),
                      first = in_plane * static_cast<std::uint64_t>(std::max(0, begin - planes_beyond)),
                      last = in_plane * static_cast<std::uint64_t>(std::min(air.size()[2], end + planes_beyond));
  const auto some = [&](const std::vector<CutFraction>& all) {
    return std::vector<CutFraction>(std::ranges::lower_bound(all, first, {}, &CutFraction::node),
                                    std::ranges::lower_bound(all, last, {}, &CutFraction::node));
  };
  CutVoxels near{some(cut.volumes), {some(cut.passages[0]), some(cut.passages[1]), some(cut.passages[2])}, {}};
  for (const CutLink& one : cut.links)
    if (one.to >= first && one.node < last) near.links.push_back(one);
  return near;
}

SharedNodes::SharedNodes(const AirMask& air, CutNodes& nodes, const PlanePartition& partition)
    : air_(air), nodes_(nodes), partition_(partition) {
  const std::size_t count = nodes_.count();
  own_end_ = count;
  if (partition_.whole()) return;
  const int planes = air.size()[2];
  const Planes own = partition_.planes(planes);
  const std::uint64_t in_plane = nodes_a_plane(air);
  own_begin_ = nodes_.from(in_plane * static_cast<std::uint64_t>(own[0]));
  own_end_ = std::max(own_begin_, nodes_.from(in_plane * static_cast<std::uint64_t>(own[1])));
  const auto plane = [&](std::size_t i) { return static_cast<int>(nodes_.node(i) / in_plane); };
  const auto beside = [&](int z, int border) {
    return border > 0 && border < planes && z >= border - planes_beyond && z < border + planes_beyond;
  };
  const auto near_border = [&](std::size_t i) { return beside(plane(i), own[0]) || beside(plane(i), own[1]); };
  for (std::size_t i = own_begin_; i < own_end_; ++i)
    if (near_border(i)) near_.push_back(static_cast<std::uint32_t>(i));
  in_lines_.assign(count, 0);
  for (const CutRun& run : nodes_.runs_along(2)) {
    const std::vector<std::uint32_t> at = nodes_.nodes_of(run, 2);
    const auto elsewhere = [&](std::uint32_t i) { return !this->own(i) || near_border(i); };
    if (std::ranges::any_of(at, elsewhere))
      for (const std::uint32_t i : at) in_lines_[i] = 1;
  }
  // Lines in blocks, blocks in batches that are the same at all processes.
  constexpr std::uint64_t blocks = 4096, nodes_a_batch = 1U << 16U;
  const auto block = [&](std::size_t i) {
    return static_cast<std::size_t>(nodes_.node(i) % in_plane * blocks / in_plane);
  };
  std::vector<std::uint32_t> here(blocks, 0);
  for (std::size_t i = own_begin_; i < own_end_; ++i)
    if (in_lines_[i] != 0) ++here[block(i)];
  const std::vector<std::uint32_t> all = gathered(here, partition_);
  std::vector<std::size_t> batch_of(blocks);
  std::uint64_t sum = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    std::uint64_t nodes_here = 0;
    for (std::size_t p = b; p < all.size(); p += blocks) nodes_here += all[p];
    if (batches_ == 0 || sum + nodes_here > nodes_a_batch) ++batches_, sum = 0;
    sum += nodes_here;
    batch_of[b] = batches_ - 1;
  }
  of_batch_.resize(batches_);
  for (std::size_t i = own_begin_; i < own_end_; ++i)
    if (in_lines_[i] != 0) of_batch_[batch_of[block(i)]].push_back(static_cast<std::uint32_t>(i));
}

std::vector<CutRun> SharedNodes::runs_along(std::size_t d) const {
  std::vector<CutRun> runs = nodes_.runs_along(d);
  if (d == 2 && !partition_.whole()) std::erase_if(runs, [&](const CutRun& run) { return in_lines_[run.first] != 0; });
  return runs;
}

CutNodes SharedNodes::gathered_lines(std::size_t batch) const {
  std::vector<CutNodes::LineNode> mine;
  for (const std::uint32_t i : of_batch_[batch]) mine.push_back(nodes_.line_node(i));
  return {air_, nodes_.bounds(), gathered(mine, partition_)};
}

bool SharedNodes::pass_masses(const std::vector<double>& change) {
  bool any = false;
  for (std::size_t i = own_begin_; i < own_end_; ++i) any = any || change[i] != 0.0;
  if (partition_.whole()) return any;
  std::vector<NodeFraction> mine;
  for (const std::uint32_t i : near_)
    if (change[i] != 0.0) mine.push_back({nodes_.node(i), nodes_.mass[i]});
  for (const NodeFraction& one : gathered(mine, partition_)) {
    const std::size_t i = nodes_.find(one.node);
    if (i != nodes_.count()) nodes_.mass[i] = one.fraction;
  }
  return std::ranges::count(gathered(std::vector<char>{static_cast<char>(any ? 1 : 0)}, partition_), 1) > 0;
}

Violation SharedNodes::worst() {
  if (partition_.whole()) return nodes_.worst();
  Violation most{-std::numeric_limits<double>::infinity(), 0.0};
  const auto take = [&](const Violation& one) {
    most.passages = std::max(most.passages, one.passages);
    most.masses = std::max(most.masses, one.masses);
  };
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t i = own_begin_; i < own_end_; ++i) most.passages = std::max(most.passages, nodes_.too_wide(i, d));
    for (const CutRun& run : runs_along(d))
      if (own(run.first)) most.masses = std::max(most.masses, nodes_.missing(run, d));
  }
  each_lines([&](CutNodes& lines, const auto&) { take(lines.worst()); });
  for (const Violation& one : gathered(std::vector<Violation>{most}, partition_)) take(one);
  return most;
}

}  // namespace fdtd

#include "engine/voxels/cut/passed_parts.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/parallel_sort.hpp"

namespace fdtd {
namespace {

using Stored = CutCells::Stored;

void sort_by_node(std::vector<PassedParts::PassedFraction>& list) {
  std::stable_sort(
      list.begin(), list.end(),
      [](const PassedParts::PassedFraction& a, const PassedParts::PassedFraction& b) { return a.node < b.node; });
}

}  // namespace

PassedParts::PassedParts(const CutCells& cells, const std::array<double, 3>& face_areas) : cells_(cells) {
  const double volume = std::sqrt(face_areas[0] * face_areas[1] * face_areas[2]);
  for (std::size_t d = 0; d < 3; ++d) spacing_[d] = volume / face_areas[d];
  find_parts();
  find_nodes();
  for (const Passed& one : parts_) {
    if (!one.has_node || !cells_.is_own(one.node)) continue;
    const CutCells::Part& part = cells_.part_of(*one.cell, one.part);
    if (static_cast<double>(part.volume) >= min_volume)
      volumes_.push_back({one.node, static_cast<double>(part.volume)});
    add_walls(cells_.layer_of(*one.cell), part, one.node, face_areas, walls_);
  }
  sort_by_node(volumes_);
  pass_passages_on();
}

void PassedParts::find_parts() {
  for (const CutCells::Layer& layer : cells_.layers()) {
    for (const Stored& cell : layer.cells) {
      for (std::uint32_t p = cell.part_begin; p < cell.part_end; ++p) {
        const auto part = static_cast<std::uint8_t>(p - cell.part_begin);
        if (layer.parts[p].belongs == CutCells::Belongs::room && part != cell.node)
          parts_.push_back({&cell, part, false, 0});
      }
    }
  }
}

// The node that a piece of a face leads to: of the part beyond it, or what that has passed itself on to.
bool PassedParts::leads_to(const Stored& cell, const FacePiece& piece, std::uint64_t& node) const {
  const CutCells::Cell to = next_cell(cell.at, piece.side);
  if (!cells_.inside(to)) return false;
  const Stored* const other = cells_.find(to);
  if (other == nullptr) {
    if (!cells_.in_grid(to) || !cells_.centre_in_room(to)) return false;
    node = cells_.node_of(to);
    return true;
  }
  const std::uint8_t part = other->part[across(piece.side, piece.point)];
  if (other->node == part) {
    node = cells_.node_of(to);
    return true;
  }
  const auto key = [](const Passed& s) { return std::tie(s.cell->at[2], s.cell->at[1], s.cell->at[0], s.part); };
  const auto found = std::lower_bound(parts_.begin(), parts_.end(), Passed{other, part, false, 0},
                                      [&](const Passed& a, const Passed& b) { return key(a) < key(b); });
  if (found == parts_.end() || found->cell != other || found->part != part || !found->has_node) return false;
  node = found->node;
  return true;
}

// In rounds: a part may have no way to a node but through another such part.
void PassedParts::find_nodes() {
  constexpr int rounds = 4;
  for (int round = 0; round < rounds; ++round) {
    // One byte a part, so that threads write to separate memory.
    std::vector<char> found(parts_.size(), 0);
    std::vector<std::uint64_t> node_of(parts_.size());
    const auto count = static_cast<std::int64_t>(parts_.size());
#pragma omp parallel for schedule(dynamic, 256) if (count > 16384)
    for (std::int64_t n = 0; n < count; ++n) {
      const auto s = static_cast<std::size_t>(n);
      const Passed& one = parts_[s];
      if (one.has_node) continue;
      const CutCells::Layer& layer = cells_.layer_of(*one.cell);
      float widest = 0.0F;
      std::uint64_t to = 0;
      for (std::uint32_t i = one.cell->piece_begin; i < one.cell->piece_end; ++i) {
        const FacePiece& piece = layer.pieces[i];
        std::uint64_t node = 0;
        if (piece.part != one.part || piece.area <= widest || !leads_to(*one.cell, piece, node)) continue;
        widest = piece.area;
        to = node;
      }
      if (widest > 0.0F) found[s] = 1, node_of[s] = to;
    }
    bool any = false;
    for (std::size_t s = 0; s < parts_.size(); ++s)
      if (found[s] != 0) any = parts_[s].has_node = true, parts_[s].node = node_of[s];
    if (!any) break;
  }
}

// Along a surface, the faces between parts that are passed on to neighbours belong to the passage between those.
void PassedParts::pass_passages_on() {
  const auto& size = cells_.size();
  const std::array<std::uint64_t, 3> stride = {
      1, static_cast<std::uint64_t>(size[0]),
      static_cast<std::uint64_t>(size[0]) * static_cast<std::uint64_t>(size[1])};
  for (const Passed& one : parts_) {
    if (!one.has_node) continue;
    const CutCells::Layer& layer = cells_.layer_of(*one.cell);
    for (std::uint32_t i = one.cell->piece_begin; i < one.cell->piece_end; ++i) {
      const FacePiece& piece = layer.pieces[i];
      std::uint64_t to = 0;
      if (piece.part != one.part || piece.area < min_volume || !leads_to(*one.cell, piece, to)) continue;
      const bool up = piece.side % 2U == 1U;
      const std::size_t d = piece.side / 2U;
      const bool beside = up ? to == one.node + stride[d] : one.node == to + stride[d];
      if (!up) {  // the part below has it if it is no node either
        const Stored* const other = cells_.find(next_cell(one.cell->at, piece.side));
        if (other != nullptr && other->part[across(piece.side, piece.point)] != other->node) continue;
      }
      if (!beside)
        add_link(one, to, d, up ? static_cast<double>(piece.area) : -static_cast<double>(piece.area));
      else if (const std::uint64_t node = up ? one.node : to; cells_.is_own(node))
        passages_[d].push_back({node, static_cast<double>(piece.area)});
    }
  }
  for (auto& passages : passages_) sort_by_node(passages);
  const auto key = [](const CutLink& one) { return std::tie(one.node, one.to, one.axis); };
  sort_stably(links_, [&](const CutLink& a, const CutLink& b) { return key(a) < key(b); });
  std::vector<CutLink> sums;
  for (const CutLink& one : links_) {
    if (!sums.empty() && key(sums.back()) == key(one))
      sums.back().fraction += one.fraction;
    else
      sums.push_back(one);
  }
  links_ = std::move(sums);
}

// A face of `area` (negative: below the part) leads to a node v away that is not the next one along its axis. Fields
// near the wall are linear along it, u = g x with g n = 0, and area g_d flows through the face where the nodes differ by
// g v: the fraction of these, c = area h_d (P v)_d / (v P v) with P the projection onto the wall, is the mean over all
// such g, and exact where the wall is parallel to an axis other than d.
void PassedParts::add_link(const Passed& from, std::uint64_t to, std::size_t axis, double area) {
  if (from.node == to || !cells_.is_own(std::min(from.node, to))) return;
  const auto nx = static_cast<std::uint64_t>(cells_.size()[0]), ny = static_cast<std::uint64_t>(cells_.size()[1]);
  const auto place = [&](std::uint64_t node) {
    return std::array<std::int64_t, 3>{static_cast<std::int64_t>(node % nx), static_cast<std::int64_t>(node / nx % ny),
                                       static_cast<std::int64_t>(node / nx / ny)};
  };
  const auto a = place(from.node), b = place(to);
  const CutCells::Part& part = cells_.part_of(*from.cell, from.part);
  std::array<double, 3> v{}, n{};
  double across = 0.0, square = 0.0, vv = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (std::abs(b[d] - a[d]) > 1) return;
    v[d] = static_cast<double>(b[d] - a[d]) * spacing_[d];
    n[d] = static_cast<double>(part.face[2 * d] - part.face[2 * d + 1]) / spacing_[d];
    across += v[d] * n[d], square += n[d] * n[d], vv += v[d] * v[d];
  }
  const double along = square > 0.0 ? v[axis] - n[axis] * across / square : v[axis],
               along_square = square > 0.0 ? vv - across * across / square : vv;
  if (!(along_square > 1e-3 * vv)) return;
  const double fraction = area * spacing_[axis] * along / along_square;
  if (fraction < min_volume) return;
  links_.push_back({std::min(from.node, to), std::max(from.node, to), static_cast<std::uint32_t>(axis),
                    static_cast<float>(fraction)});
}

void PassedParts::add(const std::vector<PassedFraction>& passed, std::vector<CutFraction>& fractions) {
  std::vector<CutFraction> sums;
  auto own = fractions.begin();
  for (auto at = passed.begin(); at != passed.end();) {
    const std::uint64_t node = at->node;
    double sum = 0.0;
    for (; at != passed.end() && at->node == node; ++at) sum += at->fraction;
    for (; own != fractions.end() && own->node < node; ++own) sums.push_back(*own);
    const bool known = own != fractions.end() && own->node == node;
    sum += known ? static_cast<double>(own->fraction) : 1.0;
    if (std::abs(sum - 1.0) > min_volume) sums.push_back({node, static_cast<float>(sum)});
    if (known) ++own;
  }
  sums.insert(sums.end(), own, fractions.end());
  fractions = std::move(sums);
}

}  // namespace fdtd

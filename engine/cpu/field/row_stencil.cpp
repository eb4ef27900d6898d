#include "engine/cpu/field/row_stencil.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace fdtd::cpu {
namespace {

// Legs of a stencil whose terms all lie on the axes, with every distance 1..M on every axis once; 0 for others.
int legs_of(const GridStencil& stencil) {
  const int M = stencil.radius;
  if (M > max_legs || stencil.terms.size() != static_cast<std::size_t>(3 * M)) return 0;
  std::set<std::array<int, 3>> seen;
  for (const Term& term : stencil.terms) {
    const int axes = static_cast<int>(term.offset[0] != 0) + static_cast<int>(term.offset[1] != 0) +
                     static_cast<int>(term.offset[2] != 0);
    if (axes != 1) return 0;
    seen.insert(term.offset);
  }
  return seen.size() == stencil.terms.size() ? M : 0;
}

// Weights by shell, the centre first; no value where the stencil lacks a symmetry of the cube or a coordinate is above
// 4.
std::optional<std::array<double, shell_count>> shells_of(const GridStencil& stencil) {
  if (stencil.radius > 4) return {};
  std::array<double, shell_count> weights{};
  std::array<int, shell_count> points{};
  weights[0] = stencil.centre;
  for (const Term& term : stencil.terms) {
    const auto shell = static_cast<std::size_t>(shell_index(term.offset[0], term.offset[1], term.offset[2]));
    if (points[shell] > 0 && weights[shell] != term.weight) return {};
    weights[shell] = term.weight;
    points[shell] += image_count(term);
  }
  for (int a = 1; a <= 4; ++a)
    for (int b = 0; b <= a; ++b)
      for (int c = 0; c <= b; ++c) {
        const auto shell = static_cast<std::size_t>(shell_index(a, b, c));
        if (points[shell] > 0 && points[shell] != point_count(Shell{a, b, c})) return {};
      }
  return weights;
}

// The smallest shape that holds every shell of nonzero weight.
Shape shape_of(const std::array<double, shell_count>& weights) {
  for (int s = static_cast<int>(Shape::up_to_110); s <= static_cast<int>(Shape::up_to_400); ++s) {
    const auto shape = static_cast<Shape>(s);
    bool holds = true;
    for (int a = 1; a <= 4; ++a)
      for (int b = 0; b <= a; ++b)
        for (int c = 0; c <= b; ++c)
          holds =
              holds && (has_shell(shape, a, b, c) || weights[static_cast<std::size_t>(shell_index(a, b, c))] == 0.0);
    if (holds) return shape;
  }
  return Shape::none;
}

}  // namespace

template <class T>
RowStencilStore<T>::RowStencilStore(const GridStencil& stencil, const Layout& layout) {
  view_.row = layout.row;
  view_.plane = layout.plane;
  view_.centre = static_cast<T>(stencil.centre);
  view_.legs = legs_of(stencil);
  if (view_.legs > 0) {
    leg_.resize(static_cast<std::size_t>(3 * view_.legs));
    for (const Term& term : stencil.terms) {
      const std::size_t axis = term.offset[0] != 0 ? 0 : term.offset[1] != 0 ? 1 : 2;
      leg_[static_cast<std::size_t>(3 * (term.offset[axis] - 1)) + axis] = static_cast<T>(term.weight);
      if (term.weight != 0.0) view_.axes = std::max(view_.axes, static_cast<int>(axis) + 1);
    }
  } else if (const auto shells = shells_of(stencil)) {
    shells_.assign(shells->begin(), shells->end());
    view_.shape = shape_of(*shells);
  }
  share_rows(stencil, layout);
  view_.leg = leg_.data();
  view_.shells = shells_.data();
  view_.classes = static_cast<int>(classes_.size());
  view_.classed = classes_.data();
  view_.rows = rows_.data();
  view_.shifts = shifts_.data();
}

template <class T>
void RowStencilStore<T>::share_rows(const GridStencil& stencil, const Layout& layout) {
  using YZ = std::pair<int, int>;
  std::map<YZ, std::map<int, double>> by_row;  // weights by shift along x
  for (const Term& term : stencil.terms) by_row[{term.offset[1], term.offset[2]}][term.offset[0]] += term.weight;
  while (!by_row.empty()) {
    const auto [yz, weights] = *by_row.begin();
    by_row.erase(by_row.begin());
    std::set<YZ> rows;
    const auto add_images = [&rows](int y, int z) { rows.insert({{y, z}, {-y, z}, {y, -z}, {-y, -z}}); };
    add_images(yz.first, yz.second);
    const auto swapped = by_row.find({yz.second, yz.first});
    if (swapped != by_row.end() && swapped->second == weights) {
      add_images(yz.second, yz.first);
      by_row.erase(swapped);
    }
    RowClass made{};
    made.row_begin = static_cast<std::uint32_t>(rows_.size());
    for (const auto& [y, z] : rows) rows_.push_back(y * layout.row + z * layout.plane);
    made.row_end = static_cast<std::uint32_t>(rows_.size());
    made.shift_begin = static_cast<std::uint32_t>(shifts_.size());
    for (const auto& [shift, weight] : weights) shifts_.push_back({shift, static_cast<T>(weight)});
    made.shift_end = static_cast<std::uint32_t>(shifts_.size());
    made.reach = weights.rbegin()->first;
    classes_.push_back(made);
  }
}

template class RowStencilStore<float>;
template class RowStencilStore<double>;

}  // namespace fdtd::cpu

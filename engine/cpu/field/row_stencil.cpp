#include "engine/cpu/field/row_stencil.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "stencils/weights.hpp"

namespace fdtd::cpu {
namespace {

// The smallest shape that holds every shell of nonzero weight.
Shape shape_of(const CubeWeights& cube) {
  for (int s = static_cast<int>(Shape::up_to_110); s <= static_cast<int>(Shape::up_to_400); ++s) {
    const auto shape = static_cast<Shape>(s);
    bool holds = true;
    for (int a = 1; a <= cube.radius; ++a)
      for (int b = 0; b <= a; ++b)
        for (int c = 0; c <= b; ++c) holds = holds && (has_shell(shape, a, b, c) || cube.weight(a, b, c) == 0.0);
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
  const auto star = star_weights(stencil);
  const auto cube = cube_weights(stencil);
  // Every distance on every axis: legs left out cost less as rows of their own.
  if (star && stencil.terms.size() == static_cast<std::size_t>(3 * star->radius)) {
    view_.legs = star->radius;
    for (std::size_t m = 0; m < static_cast<std::size_t>(star->radius); ++m)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        leg_.push_back(static_cast<T>(star->weight[axis][m]));
        if (star->weight[axis][m] != 0.0) view_.axes = std::max(view_.axes, static_cast<int>(axis) + 1);
      }
  } else if (cube) {
    shells_.assign(cube->by_number.begin(), cube->by_number.end());
    view_.shape = shape_of(*cube);
  }
  intern_rows(stencil, layout);
  view_.leg = leg_.data();
  view_.shells = shells_.data();
  view_.classes = static_cast<int>(classes_.size());
  view_.classed = classes_.data();
  view_.rows = rows_.data();
  view_.shifts = shifts_.data();
}

template <class T>
void RowStencilStore<T>::intern_rows(const GridStencil& stencil, const Layout& layout) {
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

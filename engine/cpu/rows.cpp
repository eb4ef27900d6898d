#include "engine/cpu/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "engine/error.hpp"

namespace fdtd::cpu {
namespace {

// Leggy to the kernel: every term on an axis, every distance 1..M on every axis once.
int legs_of(const GridStencil& stencil) {
  const int M = stencil.radius;
  if (M > 20 || stencil.terms.size() != static_cast<std::size_t>(3 * M)) return 0;
  std::set<std::array<int, 3>> seen;
  for (const Term& term : stencil.terms) {
    const int axes = static_cast<int>(term.offset[0] != 0) + static_cast<int>(term.offset[1] != 0) +
                     static_cast<int>(term.offset[2] != 0);
    if (axes != 1) return 0;
    seen.insert(term.offset);
  }
  return seen.size() == stencil.terms.size() ? M : 0;
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
    }
  } else {
    share_rows(stencil, layout);
  }
  view_.leg = leg_.data();
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

namespace {

bool always() { return true; }
bool any_stencil(const GridStencil&) { return true; }
#if defined(__x86_64__)
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
#endif

}  // namespace

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = {
#if defined(__x86_64__)
    {"rows", "AVX-512", true, has_avx512, any_stencil, avx512::rows_f32, avx512::rows_f64},
    {"rows", "AVX2", true, has_avx2, any_stencil, avx2::rows_f32, avx2::rows_f64},
#endif
    {"rows", "baseline", false, always, any_stencil, baseline::rows_f32, baseline::rows_f64},
  };
  return all;
}

const Kernel& choose_kernel(const std::string& name, const GridStencil& stencil) {
  std::string known;
  for (const Kernel& kernel : kernels()) {
    const std::string full = fmt::format("{}/{}", kernel.name, kernel.instruction_set);
    known += (known.empty() ? "" : ", ") + full;
    if (!name.empty() && name != kernel.name && name != full) continue;
    if (kernel.runs_here() && kernel.supports(stencil)) return kernel;
  }
  throw Error(Status::resource, fmt::format("no CPU kernel \"{}\" for this stencil on this processor", name),
              "known: " + known);
}

}  // namespace fdtd::cpu

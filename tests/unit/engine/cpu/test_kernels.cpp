#include "engine/cpu/kernels.hpp"

#include <random>

#include "engine/cpu/row_stencil.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using namespace fdtd::cpu;

namespace {

// S u at a node, point by point.
template <class T>
double applied(const GridStencil& stencil, const Layout& layout, const T* at) {
  double sum = stencil.centre * static_cast<double>(*at);
  for (const Term& term : stencil.terms) {
    for (int image = 0; image < 8; ++image) {
      std::ptrdiff_t offset = 0;
      bool counted = false;  // a coordinate of 0 has no mirror image
      const std::array<std::ptrdiff_t, 3> step = {1, layout.row, layout.plane};
      for (std::size_t d = 0; d < 3; ++d) {
        const bool mirrored = (image >> d & 1) != 0;
        counted = counted || (mirrored && term.offset[d] == 0);
        offset += (mirrored ? -term.offset[d] : term.offset[d]) * step[d];
      }
      if (!counted) sum += term.weight * static_cast<double>(at[offset]);
    }
  }
  return sum;
}

template <class T>
void check_apply(const char* name, const Kernel& kernel, int planes) {
  CAPTURE(name, kernel.name, kernel.instruction_set, planes, sizeof(T));
  const Stencil& entry = *find_stencil(name);
  GridStencil stencil = on_grid(entry, {entry.courant, entry.courant, entry.courant});
  if (sizeof(T) == sizeof(float)) stencil = rounded_to_float(stencil);
  constexpr int nodes = 301;  // no whole number of vectors, nor of strips
  const Layout layout({nodes, 3, 8}, stencil.radius, sizeof(T));
  const RowStencilStore<T> store(stencil, layout);
  const RowFunctions<T> functions = functions_of(kernel, store.view());
  std::vector<T> u(static_cast<std::size_t>(layout.length));
  std::mt19937 random(7);
  for (T& value : u) value = std::uniform_real_distribution<T>(-1, 1)(random);
  constexpr std::ptrdiff_t out_plane = nodes + 5;
  std::vector<double> out(static_cast<std::size_t>(6 * out_plane), 9.0);
  const T* const row = u.data() + layout.offset(0, 1, 1);
  functions.apply(store.view(), row, out.data(), out_plane, nodes, planes);
  double worst = 0.0;
  bool kept = true;  // what lies between the rows and after them
  for (std::ptrdiff_t i = 0; i < 6 * out_plane; ++i) {
    const std::ptrdiff_t k = i / out_plane, x = i % out_plane;
    const double value = out[static_cast<std::size_t>(i)];
    if (k < planes && x < nodes)
      worst = std::max(worst, std::abs(value - applied(stencil, layout, row + k * layout.plane + x)));
    else
      kept = kept && value == 9.0;
  }
  CHECK(worst < 1e-13);
  CHECK(kept);
}

// Steps of part of a slab, rows cut and uncut; rows of several pieces, which begin and end within a vector.
template <class T>
void check_uncut(const char* name, const Kernel& kernel, std::array<int, 3> size, int planes) {
  CAPTURE(name, kernel.name, kernel.instruction_set, size, planes, sizeof(T));
  const Stencil& entry = *find_stencil(name);
  GridStencil stencil = on_grid(entry, {entry.courant, entry.courant, entry.courant});
  if (sizeof(T) == sizeof(float)) stencil = rounded_to_float(stencil);
  const Layout layout(size, stencil.radius, sizeof(T));
  const RowStencilStore<T> store(stencil, layout);
  const RowFunctions<T> functions = functions_of(kernel, store.view());
  if (functions.leap_uncut == nullptr) return;
  std::vector<T> u1(static_cast<std::size_t>(layout.length));
  std::mt19937 random(8);
  for (T& value : u1) value = std::uniform_real_distribution<T>(-1, 1)(random);
  const std::vector<T> u0(u1.rbegin(), u1.rend());
  std::vector<T> cut = u0, uncut = u0;
  const std::ptrdiff_t at = layout.offset(0, 1, 0);
  const int rows = size[1] - 2;
  functions.leap(store.view(), u1.data() + at, cut.data() + at, 5, size[0] - 3, rows, planes);
  functions.leap_uncut(store.view(), u1.data() + at, uncut.data() + at, 5, size[0] - 3, rows, planes);
  CHECK((cut == uncut));
  CHECK_FALSE((cut == u0));
}

}  // namespace

TEST_CASE("rows of leggy stencils, cut into pieces or not, are the same bytes") {
  int cutting = 0;
  for (const Kernel& kernel : kernels()) {
    if (!kernel.runs_here()) continue;
    for (const char* name : {"leggy-1", "leggy-2", "leggy-3", "leggy-4", "leggy-5", "leggy-8", "leggy-11"}) {
      for (const int planes : {1, 7}) {
        check_uncut<float>(name, kernel, {1301, 9, 7}, planes);
        check_uncut<double>(name, kernel, {1301, 9, 7}, planes);
      }
    }
    const Layout layout({64, 8, 8}, 4, sizeof(float));
    const Stencil& entry = *find_stencil("leggy-4");
    const RowStencilStore<float> store(on_grid(entry, {entry.courant, entry.courant, entry.courant}), layout);
    cutting += functions_of(kernel, store.view()).leap_uncut != nullptr ? 1 : 0;
  }
  CHECK(cutting >= 2);  // sliding_window and time_slice of one instruction set at least
}

TEST_CASE("S u in double is the sum over all points, in any number of planes at once") {
  for (const Kernel& kernel : kernels()) {
    if (!kernel.runs_here()) continue;
    for (const char* name : {"leggy-1", "leggy-4", "leggy-8", "leggy-11", "compact-2", "compact-3", "compact-9",
                             "box-222", "box-333", "compact-22"}) {
      for (const int planes : {1, 3, 4, 6}) {
        check_apply<float>(name, kernel, planes);
        check_apply<double>(name, kernel, planes);
      }
    }
  }
}

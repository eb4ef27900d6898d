#include "engine/vector/kernels.hpp"

#include <cstring>
#include <random>

#include "engine/cpu/field/row_stencil.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using namespace fdtd::cpu;

namespace {

// A stencil on a grid of cubes, with the weights of a precision.
template <class T>
GridStencil stencil_of(const std::string& name) {
  const Stencil& entry = *find_stencil(name);
  const GridStencil stencil = on_grid(entry, {entry.courant, entry.courant, entry.courant});
  return sizeof(T) == sizeof(float) ? rounded_to_float(stencil) : stencil;
}

// S u at a node, computed point by point.
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
void check_apply(const char* name, const Kernel& kernel, int rows, int planes) {
  CAPTURE(name, kernel.name, kernel.instruction_set, rows, planes, sizeof(T));
  const GridStencil stencil = stencil_of<T>(name);
  constexpr int nodes = 301;  // no whole number of vectors, nor of strips
  const Layout layout({nodes, 8, 8}, stencil.radius, sizeof(T));
  const RowStencilStore<T> store(stencil, layout);
  const RowFunctions<T> functions = functions_of(kernel, store.view());
  std::vector<T> u(static_cast<std::size_t>(layout.length));
  std::mt19937 random(7);
  for (T& value : u) value = std::uniform_real_distribution<T>(-1, 1)(random);
  const std::ptrdiff_t out_plane = 7 * layout.row + 5;
  std::vector<double> out(static_cast<std::size_t>(6 * out_plane), 9.0);
  const T* const first = u.data() + layout.offset(0, 1, 1);
  functions.apply(store.view(), first, out.data(), out_plane, nodes, rows, planes);
  double worst = 0.0;
  bool kept = true;  // the values between and after the rows
  for (std::ptrdiff_t i = 0; i < 6 * out_plane; ++i) {
    const std::ptrdiff_t k = i / out_plane, r = i % out_plane / layout.row, x = i % out_plane % layout.row;
    const double value = out[static_cast<std::size_t>(i)];
    if (k < planes && r < rows && x < nodes)
      worst =
          std::max(worst, std::abs(value - applied(stencil, layout, first + k * layout.plane + r * layout.row + x)));
    else
      kept = kept && value == 9.0;
  }
  CHECK(worst < 1e-13);
  CHECK(kept);
}

// Steps the last rows of the last planes of a slab, which need several pieces and begin and end within a vector: cut,
// whole, and by calls of one row of one plane each. All must give the same bytes, equal S u1 - u0 and read nothing
// beyond the layout.
template <class T>
void check_leap(const char* name, const Kernel& kernel, int planes, int axes = 3) {
  CAPTURE(name, kernel.name, kernel.instruction_set, planes, axes, sizeof(T));
  GridStencil stencil = stencil_of<T>(name);
  for (Term& term : stencil.terms)
    for (auto d = static_cast<std::size_t>(axes); d < 3; ++d)
      if (term.offset[d] != 0) term.weight = 0.0;
  const std::array<int, 3> size = {601, 8, 13};  // rows: four together, and three
  const Layout layout(size, stencil.radius, sizeof(T));
  const RowStencilStore<T> store(stencil, layout);
  const RowFunctions<T> functions = functions_of(kernel, store.view());
  std::vector<T> u1(static_cast<std::size_t>(layout.length));
  std::mt19937 random(8);
  for (T& value : u1) value = std::uniform_real_distribution<T>(-1, 1)(random);
  const std::vector<T> u0(u1.rbegin(), u1.rend());
  std::vector<T> stepped = u0, again = u0;
  const int begin = 5, end = size[0], rows = size[1] - 1, first = size[2] - planes;
  const std::ptrdiff_t at = layout.offset(0, 1, first);
  functions.leap(store.view(), u1.data() + at, stepped.data() + at, begin, end, rows, planes);
  double worst = 0.0;
  for (int z = first; z < size[2]; ++z) {
    for (int y = 1; y <= rows; ++y) {
      const std::ptrdiff_t row = layout.offset(0, y, z);
      functions.leap(store.view(), u1.data() + row, again.data() + row, begin, end, 1, 1);
      for (std::ptrdiff_t i = row + begin; i < row + end; ++i) {
        const double exact =
            applied(stencil, layout, u1.data() + i) - static_cast<double>(u0[static_cast<std::size_t>(i)]);
        worst = std::max(worst, std::abs(static_cast<double>(stepped[static_cast<std::size_t>(i)]) - exact));
      }
    }
  }
  const auto same = [&] { return std::memcmp(stepped.data(), again.data(), stepped.size() * sizeof(T)) == 0; };
  CHECK(same());  // nothing else was changed
  CHECK(worst < (sizeof(T) == sizeof(float) ? 5e-6 : 1e-14));
  if (functions.leap_whole_rows == nullptr) return;
  again = u0;
  functions.leap_whole_rows(store.view(), u1.data() + at, again.data() + at, begin, end, rows, planes);
  CHECK(same());
}

}  // namespace

TEST_CASE("rows of leggy stencils give the same bytes in pieces, whole, in two passes and one by one") {
  for (const Kernel& kernel : kernels()) {
    if (!kernel.runs_here() || kernel.several_steps) continue;  // these have the functions of sliding_window
    for (int M = 1; M <= max_legs; ++M) {
      const std::string name = "leggy-" + std::to_string(M);
      const int planes = M % 2 == 0 ? 13 : 9;  // eight, four and one at a time
      check_leap<float>(name.c_str(), kernel, planes);
      check_leap<double>(name.c_str(), kernel, planes);
      for (int axes = 1; axes < 3 && (M == 2 || M % 4 == 0); ++axes) {
        check_leap<float>(name.c_str(), kernel, 1, axes);
        check_leap<double>(name.c_str(), kernel, 1, axes);
      }
    }
    const bool legs = std::string(kernel.name) != "rows";
    const bool wide = legs && std::string(kernel.instruction_set) == "AVX-512";
    for (const auto& [name, ways] : {std::pair{"leggy-1", false},
                                     {"leggy-3", legs},
                                     {"leggy-4", wide},
                                     {"leggy-6", wide},
                                     {"leggy-7", wide},
                                     {"leggy-20", wide},
                                     {"box-222", false}}) {
      const GridStencil stencil = stencil_of<float>(name);
      const RowStencilStore<float> store(stencil, Layout({64, 8, 8}, stencil.radius, sizeof(float)));
      CHECK((functions_of(kernel, store.view()).leap_whole_rows != nullptr) == ways);
    }
  }
}

TEST_CASE("S u in double is the sum over all points, for any number of planes at once") {
  for (const Kernel& kernel : kernels()) {
    if (!kernel.runs_here()) continue;
    for (const char* name : {"leggy-1", "leggy-4", "leggy-8", "leggy-11", "compact-2", "compact-3", "compact-9",
                             "box-222", "box-333", "compact-22"}) {
      for (const int planes : {1, 3, 4, 6}) {
        for (const int rows : {1, 6}) {
          check_apply<float>(name, kernel, rows, planes);
          check_apply<double>(name, kernel, rows, planes);
        }
      }
    }
  }
}

#include "engine/cpu/walls/boundary_batches.hpp"

#include <numeric>
#include <random>

#include "base/error.hpp"
#include "engine/cpu/field/row_stencil.hpp"
#include "engine/vector/kernels.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::cpu;

namespace {

struct Wall {
  int axis = 0, inward = 1;
  std::vector<double> taps{1.0};
};

// One law at these nodes, all with the same weight: one branch with stiffness (F), one without.
Boundary boundary_of(const Wall& wall, std::vector<std::uint64_t> nodes) {
  Boundary b;
  b.laws = {{0.5, {{2.0, 15.0, 0.1}, {0.3, 8.0, 0.0}}, 0, wall.axis, wall.taps, wall.inward}};
  b.nodes = std::move(nodes);
  for (std::size_t i = 0; i < b.nodes.size(); ++i) {
    b.sites.push_back({0, 0.5});
    b.site_begin.push_back(static_cast<std::uint32_t>(i + 1));
    b.branch_begin.push_back(2 * (i + 1));
  }
  return b;
}

// With u- and all branches zero the update is u_j += b_j/|b|^2 (u+ - r), u+ = r/(1 + Q), r = sum b_j u_j.
template <class T>
void update_from_rest(const Boundary& boundary, const Layout& layout, std::vector<T>& u) {
  const WallLaw& law = boundary.laws[0];
  double square = 0.0, beta = 0.0;
  for (const double b : law.taps) square += b * b;
  for (const LawBranch& b : law.branches) beta += 1.0 / (b.D + b.E / 2.0 + b.F / 4.0);
  const double Q = square * boundary.sites[0].weight * beta / (1.0 + law.inertance * beta) / 4.0;
  const std::ptrdiff_t step = law.inward * (law.axis == 0 ? 1 : law.axis == 1 ? layout.row : layout.plane);
  for (const std::uint64_t node : boundary.nodes) {
    T* const at = u.data() + layout.offset(node);
    double r = 0.0;
    for (std::size_t j = 0; j < law.taps.size(); ++j)
      r += law.taps[j] * static_cast<double>(at[static_cast<std::ptrdiff_t>(j) * step]);
    for (std::size_t j = 0; j < law.taps.size(); ++j)
      at[static_cast<std::ptrdiff_t>(j) * step] += static_cast<T>(law.taps[j] / square * (r / (1.0 + Q) - r));
  }
}

template <class T>
void check_update(const Wall& wall, const std::vector<std::uint64_t>& nodes, const Layout& layout,
                  const Kernel& kernel) {
  const Boundary boundary = boundary_of(wall, nodes);
  BoundaryBatches<T> batches(boundary, layout, BoundaryBatches<T>::Reach::within_tile);
  std::vector<T> u(static_cast<std::size_t>(layout.length));
  std::mt19937 random(5);
  for (T& value : u) value = std::uniform_real_distribution<T>(-1, 1)(random);
  std::vector<T> expected = u;
  update_from_rest(boundary, layout, expected);
  const Stencil& stencil = *find_stencil("leggy-4");
  const RowStencilStore<T> store(on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant}), layout);
  const RowFunctions<T> functions = functions_of(kernel, store.view());
  double dissipated = 0.0;
  for (std::size_t tile = 0; tile < layout.tiles.size(); ++tile) {
    batches.reset(tile);
    double of_tile = 0.0;
    batches.update(tile, tile + 1, functions, 0, u.data(), &of_tile);
    dissipated += of_tile;
  }
  CHECK(dissipated > 0.0);
  T worst{};
  for (std::size_t i = 0; i < u.size(); ++i) worst = std::max(worst, std::abs(u[i] - expected[i]));
  CHECK(worst < (sizeof(T) == sizeof(float) ? T(1e-6) : T(1e-14)));
}

}  // namespace

TEST_CASE("the boundary update changes every node that taps read by the right amount, and no others") {
  const std::array<int, 3> size = {37, 9, 10};
  const auto nodes_where = [&](const auto& at_wall) {
    std::vector<std::uint64_t> nodes;
    for (int z = 0; z < size[2]; ++z)
      for (int y = 0; y < size[1]; ++y)
        for (int x = 0; x < size[0]; ++x)
          if (at_wall(x, y, z)) nodes.push_back(static_cast<std::uint64_t>(x + size[0] * (y + size[1] * z)));
    return nodes;
  };
  for (const Kernel& kernel : kernels()) {
    if (!kernel.runs_here()) continue;
    CAPTURE(kernel.name, kernel.instruction_set);
    const Layout f32(size, 4, sizeof(float)), f64(size, 4, sizeof(double));
    const auto check = [&](const Wall& wall, const auto& at_wall) {
      CAPTURE(wall.axis, wall.inward, wall.taps.size());
      check_update<float>(wall, nodes_where(at_wall), f32, kernel);
      check_update<double>(wall, nodes_where(at_wall), f64, kernel);
    };
    for (const std::vector<double>& taps :
         {std::vector<double>{1.0}, std::vector<double>{1.4, -0.4}, std::vector<double>{1.6, -0.9, 0.3},
          std::vector<double>{1.25, -0.35, 0.14, -0.04}}) {
      const int far = static_cast<int>(taps.size());
      check({0, 1, taps}, [](int x, int, int) { return x == 0; });
      check({0, -1, taps}, [&](int x, int, int) { return x == size[0] - 1; });
      check({1, 1, taps}, [](int x, int y, int) { return y == 0 && x % 2 == 0; });
      check({1, -1, taps}, [&](int, int y, int) { return y == size[1] - 1; });
      check({2, 1, taps}, [](int x, int, int z) { return z == 0 && x > 0; });
      // Walls in one row as close as their taps allow.
      check({0, 1, taps}, [&](int x, int, int) { return x == 2 || x == 2 + far; });
      check({0, -1, taps}, [&](int x, int, int) { return x == 20 || x == 20 + far; });
    }
    for (const std::vector<double>& taps :
         {std::vector<double>{1.2, -0.3, 0.2, -0.2, 0.1}, std::vector<double>{1.2, -0.4, 0.3, -0.2, 0.2, -0.1},
          std::vector<double>{1.2, -0.4, 0.3, -0.2, 0.2, -0.2, 0.1},
          std::vector<double>{1.3, -0.4, 0.2, -0.15, 0.1, -0.1, 0.1, -0.05}}) {
      const int far = static_cast<int>(taps.size());
      check({0, 1, taps}, [](int x, int, int) { return x == 0; });
      check({0, -1, taps}, [&](int x, int, int) { return x == size[0] - 1; });
      check({0, 1, taps}, [&](int x, int, int) { return x == 2 || x == 2 + far; });
      check({0, -1, taps}, [&](int x, int, int) { return x == 20 || x == 20 + far; });
      // As near to the other end of the row as their taps allow.
      check({0, 1, taps}, [&](int x, int, int) { return x == size[0] - far; });
      check({0, -1, taps}, [&](int x, int, int) { return x == far - 1; });
    }
  }
}

TEST_CASE("tiles updated together dissipate what they dissipate one by one, to the bit") {
  const std::array<int, 3> size = {21, 43, 10};
  for (const Kernel& kernel : kernels()) {
    if (!kernel.runs_here()) continue;
    for (const int axis : {0, 1, 2}) {
      CAPTURE(kernel.name, kernel.instruction_set, axis);
      std::vector<std::uint64_t> nodes;
      for (int z = 0; z < size[2]; ++z)
        for (int y = 0; y < size[1]; ++y)
          for (int x = 0; x < size[0]; ++x)
            if (std::array{x, y, z}[static_cast<std::size_t>(axis)] == 0)
              nodes.push_back(static_cast<std::uint64_t>(x + size[0] * (y + size[1] * z)));
      const Boundary boundary = boundary_of({axis, 1, {1.4, -0.4}}, nodes);
      const Layout layout(size, 1, sizeof(float));
      const Stencil& stencil = *find_stencil("leggy-1");
      const RowStencilStore<float> store(on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant}), layout);
      const RowFunctions<float> functions = functions_of(kernel, store.view());
      std::mt19937 random(8);
      std::vector<float> u(static_cast<std::size_t>(layout.length));
      for (float& value : u) value = std::uniform_real_distribution<float>(-1, 1)(random);
      std::vector<float> v = u;
      BoundaryBatches<float> together(boundary, layout, BoundaryBatches<float>::Reach::within_tile);
      BoundaryBatches<float> apart(boundary, layout, BoundaryBatches<float>::Reach::within_tile);
      for (std::size_t tile = 0; tile < layout.tiles.size(); ++tile) together.reset(tile), apart.reset(tile);
      for (int step = 0; step < 4; ++step) {
        std::vector<double> dissipated(layout.tiles.size()), dissipated_apart(layout.tiles.size());
        for (int layer = 0; layer < layout.layers; ++layer) {
          const std::size_t begin = layout.first_tile(layer), end = layout.first_tile(layer + 1), cut = begin + 3;
          together.prefetch(begin, end, step & 1);
          together.update(begin, cut, functions, step & 1, u.data(), dissipated.data() + begin);
          together.update(cut, end, functions, step & 1, u.data(), dissipated.data() + cut);
          for (std::size_t t = begin; t < end; ++t)
            apart.update(t, t + 1, functions, step & 1, v.data(), dissipated_apart.data() + t);
        }
        CHECK((u == v));
        CHECK((dissipated == dissipated_apart));
        CHECK(std::accumulate(dissipated.begin(), dissipated.end(), 0.0) > 0.0);
        for (std::size_t t = 0; t < layout.tiles.size(); ++t) CHECK(together.stored(t) == apart.stored(t));
      }
    }
  }
}

TEST_CASE("laws of more taps than the update supports are refused") {
  const Layout layout({9, 9, 9}, 1, sizeof(float));
  const Boundary boundary = boundary_of({0, 1, {1.0, 0.5, -0.25, -0.25, 0.1, -0.1, 0.1, -0.1, 0.0}}, {0});
  CHECK_THROWS_AS(BoundaryBatches<float>(boundary, layout, BoundaryBatches<float>::Reach::within_tile), Error);
}

TEST_CASE("walls in planes whose offsets in a tile exceed 32 bits are refused, others are not") {
  const std::array<int, 3> size = {40000, 12000, 6};
  const Layout layout(size, 1, sizeof(float));
  REQUIRE(layout.tiles[0].z_end == 6);
  const auto in_plane = static_cast<std::uint64_t>(size[0]) * static_cast<std::uint64_t>(size[1]);
  const auto make = [&](std::uint64_t z) {
    const BoundaryBatches<float> batches(boundary_of({}, {z * in_plane}), layout,
                                         BoundaryBatches<float>::Reach::within_tile);
    return batches.count();
  };
  CHECK(make(4) == 1);
  CHECK_THROWS_AS(make(5), Error);
}

TEST_CASE("a room without walls has no batches, and nothing to reset") {
  const Layout layout({9, 9, 9}, 1, sizeof(float));
  BoundaryBatches<float> batches(Boundary{}, layout, BoundaryBatches<float>::Reach::within_tile);
  CHECK(batches.count() == 0);
  for (std::size_t tile = 0; tile < layout.tiles.size(); ++tile) {
    batches.reset(tile);
    batches.prefetch(tile, tile + 1, 0);
    CHECK(batches.stored(tile) == 0.0);
  }
}

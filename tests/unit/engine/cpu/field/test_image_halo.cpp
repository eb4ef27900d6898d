#include "engine/cpu/field/image_halo.hpp"

#include <random>

#include "engine/walls/near_wall_operator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/duct.hpp"

using namespace fdtd;
using namespace fdtd::cpu;

namespace {

// Distinct values at the nodes, another value everywhere else.
template <class T>
std::vector<T> filled(const Layout& layout, int z_begin, int z_end) {
  std::vector<T> u(static_cast<std::size_t>(layout.length), static_cast<T>(-1));
  T next = 1;
  for (int z = z_begin; z < z_end; ++z)
    for (int y = 0; y < layout.size[1]; ++y)
      for (int x = 0; x < layout.size[0]; ++x) u[static_cast<std::size_t>(layout.offset(x, y, z))] = next++;
  return u;
}

// Checks that everything a stencil reads beyond planes [z_begin, z_end) is the image of a node, and that nodes are
// unchanged.
template <class T>
void check_images(const Layout& layout, const std::vector<T>& u, int z_begin, int z_end) {
  const int R = layout.radius;
  T next = 1;
  std::ptrdiff_t wrong = 0;
  for (int z = z_begin; z < z_end; ++z)
    for (int y = 0; y < layout.size[1]; ++y)
      for (int x = 0; x < layout.size[0]; ++x)
        wrong += u[static_cast<std::size_t>(layout.offset(x, y, z))] == next++ ? 0 : 1;
  CHECK(wrong == 0);
  for (int z = z_begin - R; z < z_end + R; ++z) {
    const int of_z = z >= z_begin && z < z_end ? z : fold(z, layout.size[2]);
    if (of_z < z_begin || of_z >= z_end) continue;
    for (int y = -R; y < layout.size[1] + R; ++y)
      for (int x = -R; x < layout.size[0] + R; ++x) {
        const std::ptrdiff_t of = layout.offset(fold(x, layout.size[0]), fold(y, layout.size[1]), of_z);
        wrong += u[static_cast<std::size_t>(layout.offset(x, y, z))] == u[static_cast<std::size_t>(of)] ? 0 : 1;
      }
  }
  CHECK(wrong == 0);
}

template <class T>
void check_room(const std::array<int, 3>& size, const GridStencil& stencil) {
  const Layout layout(size, stencil.radius, sizeof(T), 0, 0, true);
  const ImageHalo images(layout, stencil, {true, true, true});
  std::vector<T> u = filled<T>(layout, 0, size[2]);
  for (const Tile& tile : layout.tiles) images.make(tile, u.data());
  check_images(layout, u, 0, size[2]);
}

}  // namespace

TEST_CASE("tile by tile, everything that a stencil reads beyond the walls of a box becomes an image of a node") {
  for (const char* name : {"compact-3", "box-222", "box-333", "box-400", "leggy-1", "leggy-7"}) {
    const GridStencil stencil = test::isotropic(name);
    const int R = stencil.radius;
    for (const std::array<int, 3>& size :
         {std::array{R, R, R}, {R + 1, 2 * R + 1, R + 2}, {16, 9, 14}, {30, 15, 8}, {33, 22, 19}}) {
      INFO(name << ", " << size[0] << " x " << size[1] << " x " << size[2]);
      if (*std::min_element(size.begin(), size.end()) < R) continue;
      check_room<float>(size, stencil);
      check_room<double>(size, stencil);
    }
  }
}

TEST_CASE("a slab has images across z at its own walls only, and a neighbour's planes have images across x and y") {
  const GridStencil stencil = test::isotropic("box-222");
  const Layout layout({21, 10, 12}, stencil.radius, sizeof(float), 0, 0, true);
  const ImageHalo images(layout, stencil, {true, true, false});
  std::vector<float> u = filled<float>(layout, 0, 14);  // two planes of the neighbour above
  for (const Tile& tile : layout.tiles) images.make(tile, u.data());
  images.make_planes(12, 14, u.data());
  float next = 1;
  for (int z = 0; z < 14; ++z) {
    const int behind = z < 2 ? -1 - z : z;
    std::ptrdiff_t wrong = 0;
    for (int y = -2; y < 12; ++y)
      for (int x = -2; x < 23; ++x) {
        const int of_x = fold(x, 21), of_y = fold(y, 10);
        const float value = next + static_cast<float>(of_x + 21 * of_y);
        wrong += u[static_cast<std::size_t>(layout.offset(x, y, z))] == value ? 0 : 1;
        wrong += u[static_cast<std::size_t>(layout.offset(x, y, behind))] == value ? 0 : 1;
      }
    INFO("plane " << z);
    CHECK(wrong == 0);
    next += 21 * 10;
  }
}

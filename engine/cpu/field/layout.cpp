#include "engine/cpu/field/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace fdtd::cpu {
namespace {

constexpr std::ptrdiff_t line_bytes = 64;

std::ptrdiff_t up_to(std::ptrdiff_t value, std::ptrdiff_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

Layout::Layout(std::array<int, 3> size_, int radius_, std::size_t value_bytes, int ghosts_below_, int ghosts_above_,
               bool images)
    : size(size_), radius(radius_), ghosts_below(ghosts_below_), ghosts_above(ghosts_above_) {
  const std::ptrdiff_t line = line_bytes / static_cast<std::ptrdiff_t>(value_bytes);
  const std::ptrdiff_t nx = size[0], ny = size[1], nz = size[2], R = radius;
  const std::ptrdiff_t left = up_to(R, line);
  // Rows at distances of a power of two map to the same cache sets, as do planes an even number of lines apart, of
  // which long stencils read many at once.
  row = up_to(nx + 2 * R, line);
  if (row % (8 * line) == 0) row += line;
  plane = row * (ny + (images ? 2 * R : R));
  if (plane % (2 * line) == 0) plane += line;
  first = up_to(left + R * row + R * plane, line);
  // The last vector of the last halo row may read past its end.
  length = first + (nz - 1 + R) * plane + (ny - 1 + R) * row + up_to(nx, line) + left + line;

  const int own = size[2] - ghosts_below - ghosts_above;
  columns = layer_count(size[1]);
  layers = layer_count(own) + (ghosts_below > 0 ? 1 : 0) + (ghosts_above > 0 ? 1 : 0);
  const auto add_layer = [&](int z_begin, int z_end) {
    for (int column = 0; column < columns; ++column)
      tiles.push_back({z_begin, z_end, layer_begin(column, size[1]), layer_begin(column + 1, size[1])});
  };
  if (ghosts_below > 0) add_layer(0, ghosts_below);
  for (int layer = 0; layer < layer_count(own); ++layer)
    add_layer(ghosts_below + layer_begin(layer, own), ghosts_below + layer_begin(layer + 1, own));
  if (ghosts_above > 0) add_layer(size[2] - ghosts_above, size[2]);
}

int Layout::layer_of_plane(int z) const {
  if (z < ghosts_below) return 0;
  if (z >= size[2] - ghosts_above) return layers - 1;
  return own_begin() + layer_of(z - ghosts_below, size[2] - ghosts_below - ghosts_above);
}

std::ptrdiff_t Layout::start_of(int y, int z) const {
  if (z >= size[2]) return length;
  if (y >= size[1]) return start_of(0, z + 1);
  if (y == 0 && z == 0) return 0;
  return offset(0, y, z);
}

std::size_t Layout::tile_of(std::uint64_t node) const {
  const auto nx = static_cast<std::uint64_t>(size[0]), ny = static_cast<std::uint64_t>(size[1]);
  return tile_of(static_cast<int>(node / nx % ny), static_cast<int>(node / nx / ny));
}

std::ptrdiff_t Layout::within(const Tile& tile, std::ptrdiff_t offset) const {
  const std::ptrdiff_t z = (offset - first) / plane, y = (offset - first - z * plane) / row;
  return offset - first - z * plane - y * row + row * ((z - tile.z_begin) * max_tile_edge + y - tile.y_begin);
}

std::ptrdiff_t Layout::offset(std::uint64_t node) const {
  const auto nx = static_cast<std::uint64_t>(size[0]), ny = static_cast<std::uint64_t>(size[1]);
  return offset(static_cast<int>(node % nx), static_cast<int>(node / nx % ny), static_cast<int>(node / nx / ny));
}

ByTile::ByTile(const std::vector<std::size_t>& tile_of_item, std::size_t tiles)
    : begin(tiles + 1, 0), items(tile_of_item.size()) {
  for (const std::size_t tile : tile_of_item) ++begin[tile + 1];
  for (std::size_t t = 0; t < tiles; ++t) begin[t + 1] += begin[t];
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < items.size(); ++i) items[next[tile_of_item[i]]++] = i;
}

}  // namespace fdtd::cpu

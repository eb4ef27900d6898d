#include "engine/cuda/walls/rectangle.hpp"

#include <bit>

namespace fdtd::cuda {

std::optional<Rectangle> rectangle_of(std::span<const std::uint32_t> offsets) {
  constexpr std::size_t most = std::size_t{1} << 31U;
  if (offsets.size() < 2 || offsets.size() > most) return std::nullopt;
  Rectangle found;
  found.step = offsets[1] - offsets[0];
  std::uint32_t width = 2;
  while (width < offsets.size() && offsets[width] - offsets[width - 1] == found.step) ++width;
  found.width = width;
  found.over = width < offsets.size() ? offsets[width] - width * found.step : 0;
  found.shift = static_cast<std::uint32_t>(std::bit_width(width - 1)) - 1;
  found.multiplier = static_cast<std::uint32_t>(((std::uint64_t{1} << (32 + found.shift)) + width - 1) / width);
  for (std::uint32_t i = 0; i < offsets.size(); ++i)
    if (found.offset(i) != offsets[i]) return std::nullopt;
  return found;
}

}  // namespace fdtd::cuda

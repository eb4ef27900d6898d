// PNG pictures of at most 256 colours, by libpng.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace fdtd {

using Colour = std::array<std::uint8_t, 3>;  // red, green, blue, in sRGB

// The file's bytes: `width` x `height` pixels, rows from the top, each an index into `palette` (1 to 256 colours). The
// same picture gives the same bytes. Throws std::invalid_argument for inconsistent sizes or a pixel without a colour,
// Error (resource) when libpng fails.
std::string encode_png(int width, int height, std::span<const std::uint8_t> pixels, std::span<const Colour> palette);

}  // namespace fdtd

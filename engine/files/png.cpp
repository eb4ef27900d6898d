#include "engine/files/png.hpp"

#include <png.h>

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fdtd {

std::string encode_png(int width, int height, std::span<const std::uint8_t> pixels, std::span<const Colour> palette) {
  if (width < 1 || height < 1 || palette.empty() || palette.size() > 256 ||
      pixels.size() != static_cast<std::size_t>(width) * static_cast<std::size_t>(height))
    throw std::invalid_argument("encode_png: the picture's sizes do not fit together");
  if (*std::max_element(pixels.begin(), pixels.end()) >= palette.size())
    throw std::invalid_argument("encode_png: a pixel has no colour");
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = static_cast<png_uint_32>(palette.size());
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = bytes.size();
  const int row = width;
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), row, palette.data()) == 0)
    throw Error(Status::resource, fmt::format("a picture cannot be encoded: {}", image.message));
  bytes.resize(size);
  return bytes;
}

}  // namespace fdtd

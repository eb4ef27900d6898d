#include "tests/support/png_library.hpp"

#include <png.h>

#include <stdexcept>

namespace fdtd::test {

PngPicture decode_png(const std::string& bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0)
    throw std::runtime_error(std::string("no PNG picture: ") + image.message);
  image.format = PNG_FORMAT_RGB;
  PngPicture picture;
  picture.width = static_cast<int>(image.width);
  picture.height = static_cast<int>(image.height);
  picture.rgb.resize(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr) == 0)
    throw std::runtime_error(std::string("an incomplete PNG picture: ") + image.message);
  return picture;
}

}  // namespace fdtd::test

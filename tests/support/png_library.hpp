// Pictures of ours as others read them: by libpng.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fdtd::test {

struct PngPicture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // a pixel's red, green, blue; rows from the top
};

// Throws std::runtime_error where the bytes are no complete PNG picture.
PngPicture decode_png(const std::string& bytes);

}  // namespace fdtd::test

#include "engine/files/png.hpp"

#include <stdexcept>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// Four bytes of a chunk as a number.
std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return number;
}

}  // namespace

TEST_CASE("png: a picture keeps its size and its palette, and comes out the same twice") {
  const std::vector<std::uint8_t> pixels = {0, 1, 2, 2, 1, 0};
  const std::vector<Colour> palette = {{1, 2, 3}, {250, 128, 0}, {9, 8, 7}};
  const std::string bytes = encode_png(3, 2, pixels, palette);
  CHECK(bytes == encode_png(3, 2, pixels, palette));
  CHECK(bytes.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  CHECK(bytes.substr(12, 4) == "IHDR");
  CHECK(number_at(bytes, 16) == 3);
  CHECK(number_at(bytes, 20) == 2);
  CHECK(bytes[25] == 3);  // indexed colours
  const std::size_t at = bytes.find("PLTE");
  REQUIRE(at != std::string::npos);
  CHECK(number_at(bytes, at - 4) == 9);
  CHECK(bytes.substr(at + 4, 9) == std::string("\x01\x02\x03\xfa\x80\x00\x09\x08\x07", 9));
  CHECK(bytes.substr(bytes.size() - 8, 4) == "IEND");
  CHECK(encode_png(3, 2, std::vector<std::uint8_t>{0, 1, 2, 2, 1, 1}, palette) != bytes);
}

TEST_CASE("png: sizes that do not fit together and pixels without a colour are refused") {
  const std::vector<std::uint8_t> pixels = {0, 1};
  const std::vector<Colour> palette = {{0, 0, 0}, {1, 1, 1}};
  CHECK_THROWS_AS(encode_png(2, 2, pixels, palette), std::invalid_argument);
  CHECK_THROWS_AS(encode_png(0, 0, {}, palette), std::invalid_argument);
  CHECK_THROWS_AS(encode_png(2, 1, pixels, {}), std::invalid_argument);
  CHECK_THROWS_AS(encode_png(2, 1, pixels, std::vector<Colour>{{0, 0, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(encode_png(2, 1, pixels, std::vector<Colour>(257)), std::invalid_argument);
}

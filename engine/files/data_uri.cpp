#include "engine/files/data_uri.hpp"

#include <cstdint>

namespace fdtd {

std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? digits[word >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

std::string data_uri(std::string_view type, std::string_view bytes) {
  std::string uri = "data:";
  uri.append(type).append(";base64,");
  return uri + base64(bytes);
}

}  // namespace fdtd

// Bytes as text that a page holds.
#pragma once

#include <string>
#include <string_view>

namespace fdtd {

std::string base64(std::string_view bytes);  // RFC 4648, section 4
// "data:audio/flac;base64,..."
std::string data_uri(std::string_view type, std::string_view bytes);

}  // namespace fdtd

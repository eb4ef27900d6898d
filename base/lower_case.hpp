// A to Z as a to z, whatever the locale; all other bytes as they are.
#pragma once

#include <string>
#include <string_view>

namespace fdtd {

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace fdtd

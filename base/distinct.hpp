// The names of a list, each once, and for every entry of the list the number of its name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fdtd {

struct Distinct {
  std::vector<std::string> names;      // in the order of their first entry
  std::vector<std::uint16_t> numbers;  // of every entry: an index into names
};

Distinct distinct(std::span<const std::string> list);

}  // namespace fdtd

// The microphones of a device as a table of text (base/text_table.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/point.hpp"

namespace fdtd {

struct Microphone {
  Point position{};     // m from the device's position, in its axes: x to the front, y to the left, z up
  double weight = 1.0;  // by which its response is multiplied; below 0: with the other sign
  std::string name{};   // empty: its number
};
constexpr std::size_t max_microphones = 1024;

struct ArrayText {
  std::vector<Microphone> microphones;  // one at least, unless there is a fault
  std::string fault;                    // why it is no array; empty: it is one
  int line = 0;                         // of the fault; 0: of none
};

// Columns x, y, z and perhaps weight and name, in any order, named on the first line. `name_fault`: why a name cannot be
// one, or "".
using NameFault = std::string (*)(std::string_view name);
ArrayText read_array_text(std::string_view text, NameFault name_fault);

}  // namespace fdtd

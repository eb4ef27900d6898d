#include "base/distinct.hpp"

#include <unordered_map>

namespace fdtd {

Distinct distinct(std::span<const std::string> list) {
  Distinct all;
  std::unordered_map<std::string, std::uint16_t> known;
  for (const std::string& name : list) {
    const auto [place, is_new] = known.try_emplace(name, static_cast<std::uint16_t>(all.names.size()));
    if (is_new) all.names.push_back(name);
    all.numbers.push_back(place->second);
  }
  return all;
}

}  // namespace fdtd

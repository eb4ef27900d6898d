// Files broken by chance: bytes changed, taken away, put in and doubled.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace fdtd::test {

// One to four changes.
inline std::string mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % std::max<std::size_t>(n, 1); };
  static const std::vector<std::string> words = {
      "nan",  "-1", "4294967296",         "1e400", "0",    "999999999", "f",   "v",
      "\\\n", "/",  std::string(1, '\0'), "-",     "list", "usemtl",    "\xFF"};
  for (std::size_t i = 0, n = 1 + below(4); i < n; ++i) {
    const std::size_t at = below(bytes.size());
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(random() & 0xFFU);
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.insert(at, words[below(words.size())]);
        break;
      case 3:
        bytes.insert(at, bytes.substr(below(bytes.size()), below(200)));
        break;
      case 4:
        bytes.erase(at, below(60));
        break;
      default:
        bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << below(8)));
    }
    if (bytes.empty()) bytes.push_back('x');
  }
  return bytes;
}

}  // namespace fdtd::test

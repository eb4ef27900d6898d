#include "cli/study/provenance.hpp"

#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fdtd::cli {

std::string command_line() {
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  const std::string words{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::string line;
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find('\0', begin), words.size());
    const std::string word = words.substr(begin, end - begin);
    line += line.empty() ? std::filesystem::path(word).filename().string() : ' ' + word;
    begin = end + 1;
  }
  return line;
}

std::string date_today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  std::array<char, 16> date{};
  if (gmtime_r(&now, &utc) != nullptr) std::strftime(date.data(), date.size(), "%Y-%m-%d", &utc);
  return date.data();
}

}  // namespace fdtd::cli

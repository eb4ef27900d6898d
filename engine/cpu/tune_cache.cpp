#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "engine/cpu/make_backend.hpp"
#include "engine/cpu/tune.hpp"
#include "engine/error.hpp"
#include "engine/files/atomic_file.hpp"

namespace fdtd::cpu {
namespace {

constexpr std::uintmax_t largest_file = 1 << 20;  // bytes; ours has some hundred a line
constexpr std::size_t most_lines = 1000;          // the latest

}  // namespace

MarchCache::MarchCache(std::filesystem::path file) : file_(std::move(file)) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file_, error);
  if (error || size > largest_file) return;
  std::ifstream stream(file_);
  std::string line;
  while (std::getline(stream, line)) {
    const auto equals = line.rfind(" = ");
    if (equals == std::string::npos) continue;
    std::istringstream values(line.substr(equals + 3));
    March march;
    if (values >> march.steps >> march.columns >> march.layers >> march.width >> march.uncut)
      known_.emplace_back(line.substr(0, equals), march);
  }
}

const March* MarchCache::find(const std::string& key, const std::vector<March>& marches) const {
  const auto known =
      std::find_if(known_.rbegin(), known_.rend(), [&](const auto& entry) { return entry.first == key; });
  if (known == known_.rend()) return nullptr;
  const auto march = std::ranges::find(marches, known->second);  // only what this program would try
  return march == marches.end() ? nullptr : &*march;
}

void MarchCache::keep(const std::string& key, const March& march) {
  if (file_.empty()) return;
  std::erase_if(known_, [&](const auto& entry) { return entry.first == key; });
  known_.emplace_back(key, march);
  if (known_.size() > most_lines) known_.erase(known_.begin());
  std::string text;
  for (const auto& [name, m] : known_)
    text += fmt::format("{} = {} {} {} {} {:d}\n", name, m.steps, m.columns, m.layers, m.width, m.uncut);
  try {
    std::error_code ignored;
    std::filesystem::create_directories(file_.parent_path(), ignored);
    write_whole_file(file_, text, true);
  } catch (const Error&) {
    // What cannot be kept is searched for again.
  }
}

}  // namespace fdtd::cpu

namespace fdtd {

std::filesystem::path default_march_file() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "fdtd/march.txt";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".cache/fdtd/march.txt";
  return {};
}

}  // namespace fdtd

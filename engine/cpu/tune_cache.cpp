#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/cpu/tune.hpp"
#include "engine/files/atomic_file.hpp"

namespace fdtd::cpu {
namespace {

constexpr std::uintmax_t largest_file = 1 << 20;  // bytes; a line has some hundred
constexpr std::size_t max_lines = 1000;           // the latest are kept

}  // namespace

TileOrderCache::TileOrderCache(std::filesystem::path file) : file_(std::move(file)) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file_, error);
  if (error || size > largest_file) return;
  std::ifstream stream(file_);
  std::string line;
  while (std::getline(stream, line)) {
    const auto equals = line.rfind(" = ");
    if (equals == std::string::npos) continue;
    std::istringstream values(line.substr(equals + 3));
    TileOrder order;
    if (values >> order.steps >> order.columns >> order.layers >> order.width >> order.whole_rows)
      known_.emplace_back(line.substr(0, equals), order);
  }
}

const TileOrder* TileOrderCache::find(const std::string& key, const std::vector<TileOrder>& orders) const {
  const auto known =
      std::find_if(known_.rbegin(), known_.rend(), [&](const auto& entry) { return entry.first == key; });
  if (known == known_.rend()) return nullptr;
  const auto order = std::ranges::find(orders, known->second);  // only orders that this program would try
  return order == orders.end() ? nullptr : &*order;
}

void TileOrderCache::keep(const std::string& key, const TileOrder& order) {
  if (file_.empty()) return;
  std::erase_if(known_, [&](const auto& entry) { return entry.first == key; });
  known_.emplace_back(key, order);
  if (known_.size() > max_lines) known_.erase(known_.begin());
  std::string text;
  for (const auto& [name, m] : known_)
    text += fmt::format("{} = {} {} {} {} {:d}\n", name, m.steps, m.columns, m.layers, m.width, m.whole_rows);
  try {
    std::error_code ignored;
    std::filesystem::create_directories(file_.parent_path(), ignored);
    write_whole_file(file_, text, true);
  } catch (const Error&) {
    // An order that cannot be kept is searched again.
  }
}

}  // namespace fdtd::cpu

namespace fdtd {

std::filesystem::path default_tile_order_file() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "fdtd/march.txt";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".cache/fdtd/march.txt";
  return {};
}

}  // namespace fdtd

#include <algorithm>

#include "engine/cpu/make_backend.hpp"
#include "engine/cpu/tune.hpp"
#include "engine/system/version.hpp"

namespace fdtd::cpu {

TileOrderCache::TileOrderCache(std::filesystem::path file) : file_(std::move(file), version()) {}

std::optional<TileOrder> TileOrderCache::find(const std::string& key, const std::vector<TileOrder>& orders) const {
  const TunedChoice* const known = file_.find(key);
  if (known == nullptr || known->numbers.size() != 5) return std::nullopt;
  const std::vector<int>& n = known->numbers;
  const auto order = std::ranges::find(orders, TileOrder{n[0], n[1], n[2], n[3], n[4] != 0});
  return order == orders.end() ? std::nullopt : std::optional(*order);  // only orders that this program would try
}

void TileOrderCache::keep(const std::string& key, const TileOrder& order, double ctpn_ns) {
  file_.keep(key, {{order.steps, order.columns, order.layers, order.width, order.whole_rows ? 1 : 0}, ctpn_ns});
}

}  // namespace fdtd::cpu

namespace fdtd {

std::filesystem::path default_tile_order_file() { return TuneFile::in_cache_folder("tune_cpu.json"); }

}  // namespace fdtd

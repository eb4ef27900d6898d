#include "engine/cuda/tuning/tune_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "engine/files/atomic_file.hpp"

namespace fdtd::cuda {
namespace {

constexpr int schema = 2;
constexpr std::uintmax_t largest_file = 1 << 22;  // bytes; an entry has about two hundred

using Known = std::map<std::string, TunedTile>;

// A number that a tile may hold.
std::optional<int> extent(const nlohmann::json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  if (number < 0 || number > 1 << 20) return std::nullopt;
  return static_cast<int>(number);
}

std::optional<TunedTile> tuned_of(const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("tile") || !json.contains("ctpn_ns")) return std::nullopt;
  TunedTile tuned;
  Tile& t = tuned.tile;
  int* const parts[] = {&t.x, &t.y, &t.z, &t.threads, &t.depth, &t.blocks, &t.max_lead};
  const auto& tile = json["tile"];
  const auto& ctpn = json["ctpn_ns"];
  if (!tile.is_array() || tile.size() != std::size(parts) || !ctpn.is_number()) return std::nullopt;
  tuned.ctpn_ns = ctpn.get<double>();
  if (!std::isfinite(tuned.ctpn_ns) || tuned.ctpn_ns <= 0.0) return std::nullopt;
  for (std::size_t i = 0; i < std::size(parts); ++i) {
    const auto number = extent(tile[i]);
    if (!number) return std::nullopt;
    *parts[i] = *number;
  }
  return tuned;
}

nlohmann::ordered_json to_json(const TunedTile& tuned) {
  const Tile& t = tuned.tile;
  return {{"tile", {t.x, t.y, t.z, t.threads, t.depth, t.blocks, t.max_lead}}, {"ctpn_ns", tuned.ctpn_ns}};
}

// The entries of a file of this build; `remark` says why there are none.
Known read(const std::filesystem::path& file, const std::string& build, std::string& remark) {
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return {};
  const auto size = std::filesystem::file_size(file, error);
  if (error || size > largest_file) {
    remark = fmt::format("{} is not a tuning cache of this program: tuning anew", file.string());
    return {};
  }
  std::ifstream stream(file, std::ios::binary);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("schema") || !json.contains("build") || !json.contains("tiles") ||
      !json["tiles"].is_object()) {
    remark = fmt::format("{} is damaged: tuning anew", file.string());
    return {};
  }
  if (json["schema"] != schema || json["build"] != build) {
    remark = fmt::format("{} is of another build of this program: tuning anew", file.string());
    return {};
  }
  Known known;
  for (const auto& [key, value] : json["tiles"].items()) {
    const auto tuned = tuned_of(value);
    if (tuned)
      known[key] = *tuned;
    else
      remark = fmt::format("{} has damaged entries: tuning those anew", file.string());
  }
  return known;
}

// FNV-1a over the distinct points, in an order of their own: the same for every order of terms.
std::uint64_t shape_hash(const GridStencil& stencil) {
  std::vector<std::array<int, 3>> points;
  for (const Term& term : stencil.terms) points.push_back(term.offset);
  std::sort(points.begin(), points.end());
  std::uint64_t hash = 14695981039346656037U;
  for (const auto& point : points)
    for (const int q : point) hash = (hash ^ static_cast<std::uint64_t>(q)) * 1099511628211U;
  return hash;
}

}  // namespace

std::string tune_key(const Job& job, const Device& device, const std::string& kernel) {
  const auto& size = job.layout.size;
  return fmt::format("{} x {}; driver {}; {}; {} points {:016x}; {}; {}x{}x{}, {} pieces{}", device.name,
                     device.multiprocessors, device.driver_version, kernel, job.stencil.point_count(),
                     shape_hash(job.stencil), to_string(job.precision), size[0], size[1], size[2], job.pieces,
                     job.ends           ? ", ends updated"
                     : job.mirror.sides ? ", mirrored"
                                        : "");
}

std::filesystem::path TuneCache::default_file() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "fdtd/tune.json";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".cache/fdtd/tune.json";
  return {};
}

TuneCache::TuneCache(std::filesystem::path file, std::string build) : file_(std::move(file)), build_(std::move(build)) {
  known_ = read(file_, build_, remark_);
}

std::optional<TunedTile> TuneCache::find(const std::string& key) const {
  const auto found = known_.find(key);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void TuneCache::keep(const std::string& key, const TunedTile& tuned) {
  if (!file_.empty()) {
    std::string ignored;
    known_.merge(read(file_, build_, ignored));
  }
  known_[key] = tuned;
  if (file_.empty()) return;
  try {
    std::error_code ignored;
    std::filesystem::create_directories(file_.parent_path(), ignored);
    nlohmann::ordered_json json{{"schema", schema}, {"build", build_}, {"tiles", nlohmann::ordered_json::object()}};
    for (const auto& [name, one] : known_) json["tiles"][name] = to_json(one);
    write_whole_file(file_, json.dump(1) + "\n", true);
  } catch (const Error& error) {
    remark_ = fmt::format("tuned tiles are not kept: {}", error.what());
  }
}

}  // namespace fdtd::cuda

#include "engine/profiling/ctpn_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/error.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/version.hpp"

namespace fdtd {
namespace {

constexpr std::uintmax_t largest_file = 1 << 20;  // bytes; a cache has a few thousand

std::string key(const Stencil& stencil, Precision precision) {
  return member_name(stencil) + " " + to_string(precision);
}

}  // namespace

CtpnSource ctpn_source(const Target& target) {
  CtpnSource source;
  source.measure = [target](const Stencil& stencil, Precision precision) {
    return ctpn_on(target, stencil, precision);
  };
  if (target.on_gpu()) {
    const Gpu gpu = gpus().at(static_cast<std::size_t>(target.gpu));
    source.file_name = "ctpn-cuda.json";
    source.machine = fmt::format("{}; driver {}; fdtd {}", gpu.name, gpu.driver_version, version());
    // The sums are hidden for larger stencils; the cost is the halo of a tile, which long legs make larger than the
    // tile.
    source.modelled = [](const Stencil& stencil) {
      return std::max(1.0, stencil.point_count() / 250.0) * (1.0 + 0.12 * std::max(0, stencil.radius() - 4));
    };
    return source;
  }
  source.file_name = "ctpn.json";
  source.machine =
      fmt::format("{}; {}; {} threads; fdtd {}", processor_name(), vector_units(), hardware_threads(), version());
  // Up to about 20 points the sums are hidden behind the memory traffic of a step; beyond that their cost is
  // proportional.
  source.modelled = [](const Stencil& stencil) { return std::max(1.0, stencil.point_count() / 20.0); };
  return source;
}

std::filesystem::path CtpnCache::default_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "fdtd";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".cache/fdtd";
  return {};
}

CtpnCache::CtpnCache(CtpnSource source, const std::filesystem::path& folder)
    : source_(std::move(source)), file_(folder.empty() ? folder : folder / source_.file_name) {
  std::error_code error;
  if (file_.empty() || !std::filesystem::exists(file_, error)) return;
  const auto size = std::filesystem::file_size(file_, error);
  if (error || size > largest_file) {
    remark_ = fmt::format("{} is not a cache of this program: measuring again", file_.string());
    return;
  }
  std::ifstream stream(file_);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("machine") || !json.contains("ctpn_ns") || !json["ctpn_ns"].is_object()) {
    remark_ = fmt::format("{} is damaged: measuring again", file_.string());
    return;
  }
  if (json["machine"] != source_.machine) {
    remark_ = fmt::format("{} is of another machine or build: measuring again", file_.string());
    return;
  }
  for (const auto& [name, value] : json["ctpn_ns"].items())
    if (value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() > 0.0)
      known_[name] = value.get<double>();
}

double CtpnCache::ctpn_ns(const Stencil& stencil, Precision precision) {
  const auto found = known_.find(key(stencil, precision));
  if (found != known_.end()) return found->second;
  const double ctpn = source_.measure(stencil, precision);
  known_[key(stencil, precision)] = ctpn;
  save();
  return ctpn;
}

void CtpnCache::save() const {
  if (file_.empty()) return;
  try {
    std::error_code ignored;
    std::filesystem::create_directories(file_.parent_path(), ignored);
    const nlohmann::ordered_json json{{"machine", source_.machine}, {"ctpn_ns", known_}};
    write_whole_file(file_, json.dump(1) + "\n", true);
  } catch (const Error&) {
    // A cache that cannot be written is measured again next time.
  }
}

}  // namespace fdtd

#include "engine/ctpn_cache.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/atomic_file.hpp"
#include "engine/error.hpp"
#include "engine/machine.hpp"
#include "engine/version.hpp"

namespace fdtd {
namespace {

constexpr std::uintmax_t largest_file = 1 << 20;  // bytes; ours has a few thousand

std::string key(const Stencil& stencil, Precision precision) {
  return member_name(stencil) + " " + to_string(precision);
}

}  // namespace

std::filesystem::path CtpnCache::default_file() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "fdtd/ctpn.json";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".cache/fdtd/ctpn.json";
  return {};
}

CtpnCache::CtpnCache(std::filesystem::path file)
    : file_(std::move(file)),
      machine_(
          fmt::format("{}; {}; {} threads; fdtd {}", processor_name(), vector_units(), hardware_threads(), version())) {
  std::error_code error;
  if (file_.empty() || !std::filesystem::exists(file_, error)) return;
  const auto size = std::filesystem::file_size(file_, error);
  if (error || size > largest_file) {
    remark_ = fmt::format("{} is not a cache of this program: measuring anew", file_.string());
    return;
  }
  std::ifstream stream(file_);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("machine") || !json.contains("ctpn_ns") || !json["ctpn_ns"].is_object()) {
    remark_ = fmt::format("{} is damaged: measuring anew", file_.string());
    return;
  }
  if (json["machine"] != machine_) {
    remark_ = fmt::format("{} is of another machine or build: measuring anew", file_.string());
    return;
  }
  for (const auto& [name, value] : json["ctpn_ns"].items())
    if (value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() > 0.0)
      known_[name] = value.get<double>();
}

double CtpnCache::ctpn_ns(const Stencil& stencil, Precision precision) {
  const auto found = known_.find(key(stencil, precision));
  if (found != known_.end()) return found->second;
  ProfileSettings settings;
  settings.precision = precision;
  settings.grid = {192, 160, 128};  // 31 MB of floats twice: past the caches, measured in a moment
  settings.repeats = 3;
  const double ctpn = profile_stencil(stencil, settings).ctpn_ns;
  known_[key(stencil, precision)] = ctpn;
  save();
  return ctpn;
}

void CtpnCache::save() const {
  if (file_.empty()) return;
  try {
    std::error_code ignored;
    std::filesystem::create_directories(file_.parent_path(), ignored);
    const nlohmann::ordered_json json{{"machine", machine_}, {"ctpn_ns", known_}};
    write_whole_file(file_, json.dump(1) + "\n", true);
  } catch (const Error&) {
    // A cache that cannot be kept is measured again next time.
  }
}

}  // namespace fdtd

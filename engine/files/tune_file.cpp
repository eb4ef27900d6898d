#include "engine/files/tune_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "base/error.hpp"
#include "engine/files/atomic_file.hpp"

namespace fdtd {
namespace {

constexpr int tune_schema = 3;
constexpr std::uintmax_t largest_tune_file = 1 << 22;  // bytes; an entry has about two hundred
constexpr std::size_t max_tuned = 1000;                // the latest are kept
constexpr std::int64_t largest_number = 1 << 20;       // that a choice may hold

std::optional<TunedChoice> choice_of(const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("choice") || !json.contains("ctpn_ns")) return std::nullopt;
  const auto& numbers = json["choice"];
  const auto& ctpn = json["ctpn_ns"];
  if (!numbers.is_array() || !ctpn.is_number()) return std::nullopt;
  TunedChoice tuned;
  tuned.ctpn_ns = ctpn.get<double>();
  if (!std::isfinite(tuned.ctpn_ns) || tuned.ctpn_ns < 0.0) return std::nullopt;
  for (const auto& one : numbers) {
    if (!one.is_number_integer()) return std::nullopt;
    const auto number = one.get<std::int64_t>();
    if (number < 0 || number > largest_number) return std::nullopt;
    tuned.numbers.push_back(static_cast<int>(number));
  }
  return tuned;
}

}  // namespace

std::string TuneKey::text() const {
  return fmt::format("{}; {}; {}; {}; {}x{}x{}; {}", device, kernel, stencil, precision, size[0], size[1], size[2],
                     room);
}

std::filesystem::path TuneFile::in_cache_folder(std::string_view name) {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "fdtd" / name;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".cache/fdtd" / name;
  return {};
}

TuneFile::TuneFile(std::filesystem::path file, std::string build) : file_(std::move(file)), build_(std::move(build)) {
  known_ = read(remark_);
}

// The entries of a file of this build; `remark` says why there are none, or fewer.
TuneFile::Entries TuneFile::read(std::string& remark) const {
  std::error_code error;
  if (file_.empty() || !std::filesystem::exists(file_, error)) return {};
  const auto size = std::filesystem::file_size(file_, error);
  if (error || size > largest_tune_file) {
    remark = fmt::format("{} is not a tuning cache of this program: tuning anew", file_.string());
    return {};
  }
  std::ifstream stream(file_, std::ios::binary);
  const auto json = nlohmann::ordered_json::parse(stream, nullptr, false);
  const bool is_known = json.is_object() && json.contains("schema") && json.contains("build");
  if (is_known && (json["schema"] != tune_schema || json["build"] != build_)) {
    remark = fmt::format("{} is of another build of this program: tuning anew", file_.string());
    return {};
  }
  if (!is_known || !json.contains("tuned") || !json["tuned"].is_object()) {
    remark = fmt::format("{} is damaged: tuning anew", file_.string());
    return {};
  }
  Entries entries;
  for (const auto& [key, value] : json["tuned"].items()) {
    if (const auto tuned = choice_of(value))
      entries.push_back({key, *tuned});
    else
      remark = fmt::format("{} has damaged entries: tuning those anew", file_.string());
  }
  return entries;
}

const TunedChoice* TuneFile::find(const std::string& key) const {
  const auto found = std::ranges::find(known_, key, &Entry::key);
  return found == known_.end() ? nullptr : &found->tuned;
}

void TuneFile::keep(const std::string& key, const TunedChoice& tuned) {
  std::string ignored;
  for (Entry& theirs : read(ignored))
    if (find(theirs.key) == nullptr) known_.push_back(std::move(theirs));
  std::erase_if(known_, [&](const Entry& entry) { return entry.key == key; });
  known_.push_back({key, tuned});
  if (known_.size() > max_tuned) known_.erase(known_.begin(), known_.end() - static_cast<std::ptrdiff_t>(max_tuned));
  if (file_.empty()) return;
  try {
    std::error_code no_folder;
    std::filesystem::create_directories(file_.parent_path(), no_folder);
    nlohmann::ordered_json json{
        {"schema", tune_schema}, {"build", build_}, {"tuned", nlohmann::ordered_json::object()}};
    for (const Entry& entry : known_)
      json["tuned"][entry.key] = {{"choice", entry.tuned.numbers}, {"ctpn_ns", entry.tuned.ctpn_ns}};
    write_whole_file(file_, json.dump(1) + "\n", true);
  } catch (const Error& error) {
    remark_ = fmt::format("tuned choices are not kept: {}", error.what());
  }
}

}  // namespace fdtd

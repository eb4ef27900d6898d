#include "engine/session/known_waves.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "engine/results/result.hpp"
#include "engine/system/version.hpp"

namespace fdtd {
namespace {

std::string difference_of(const Provenance& there, const PlanReport& report, const std::string& print) {
  if (there.version != version() || there.build != build_description()) return "another program computed them";
  if (there.device != report.device)
    return fmt::format("they were computed on {}, not on {}", there.device, report.device);
  if (!report.planned->plan.snapshots.empty()) return "the scene has snapshots, which need the field";
  if (print.empty() || there.wave_print.empty()) return "several processes computed one of the two";
  if (there.wave_print != print) return "they are those of another plan";
  return "";
}

}  // namespace

KnownWaves known_waves(const std::filesystem::path& result, const PlanReport& report, const std::string& print) {
  std::error_code ignored;
  KnownWaves known;
  known.from = std::filesystem::is_directory(result, ignored) ? result / "result.h5" : result;
  known.why_not = difference_of(read_provenance(known.from), report, print);
  if (!known.why_not.empty()) return known;
  Result read = read_result(known.from);
  known.seconds = read.run.wall_seconds;
  known.recording = std::move(read.recording);
  return known;
}

}  // namespace fdtd

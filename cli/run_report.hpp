// What a finished run tells: its summary as text, and as the JSON document that others rely on.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/plan_report.hpp"
#include "cli/simulate.hpp"
#include "engine/responses/metrics.hpp"
#include "engine/results/audio_files.hpp"
#include "engine/results/result.hpp"

namespace fdtd::cli {

struct Finished {
  Result result;
  std::vector<Metrics> metrics;  // one a channel [s * receivers + r]
  std::vector<std::filesystem::path> files;
  std::vector<std::string> remarks;
  double seconds = 0.0;  // of stepping
  void add(Written written);
};

// Renders, measures and notes what it is a result of.
Finished finish(const PlanReport& report, Simulated&& simulated);

// A response that is told of, rather than a channel that is a part of one; of an ambisonic receiver the first channel.
struct ToldChannel {
  std::size_t channel = 0;       // s * receivers + r
  std::string source, receiver;  // the scene's names
};
std::vector<ToldChannel> told_channels(const Recording& recording);

// Figures of merit of the result's responses, one a channel (empty for channels that are a part of a response).
std::vector<Metrics> measure_all(const Result& result);
MetricsOptions metrics_options(const Result& result);  // with which it measures
// The same as result.h5 keeps them: a list of {source, receiver, ...}.
std::string metrics_text_of(const Result& result, const std::vector<Metrics>& metrics);

void print_summary(const Finished& done, const Planned& planned);
nlohmann::ordered_json run_json(const Finished& done, const PlanReport& report);

}  // namespace fdtd::cli

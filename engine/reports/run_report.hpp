// Reports of a finished run: its summary as text, and as the JSON document that users' scripts read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/above/trace_above.hpp"
#include "engine/files/json_fields.hpp"
#include "engine/reports/plan_report.hpp"
#include "engine/reports/shown_channels.hpp"
#include "engine/responses/agreement.hpp"
#include "engine/responses/metrics.hpp"
#include "engine/results/audio_files.hpp"
#include "engine/results/result.hpp"
#include "engine/run/recording.hpp"

namespace fdtd {

struct Finished {
  Result result;
  std::optional<Agreement> agreement;  // of waves and geometry, below the crossover
  std::vector<Metrics> metrics;        // one per channel [s * receivers + r]; none of more than max_single_responses
  std::vector<std::filesystem::path> files;
  std::vector<std::string> remarks;
  double seconds = 0.0;              // spent in time steps
  double above_seconds = 0.0;        // spent in geometry above the waves' band
  double planning_seconds = 0.0;     // of this session, until its plan was made
  double rendering_seconds = 0.0;    // spent in responses and figures, without geometry
  std::filesystem::path waves_from;  // the result whose record this is; empty: computed here
  void add(Written written);
};

// Renders and measures the recording, and adds what result.h5 states of the plan and the run. `seconds`: spent in time
// steps, over all sessions of the run. `calls`: of the part above the waves' band;
// what its `check` throws ends this, other errors of that part become a remark.
Finished finish(const PlanReport& report, Recording&& recording, double seconds, const AboveCalls& calls = {});

// Room-acoustic parameters of the responses: all of them in a table, and up to max_single_responses with their reasons,
// one per channel (empty for channels that are not shown).
struct Measured {
  FigureTable figures;
  std::vector<Metrics> metrics;
};
Measured measure_all(const Result& result);
MetricsOptions metrics_options(const Result& result, std::size_t channel);  // without what an ambisonic receiver adds
// Of one response, with an index of speech of a level where it is stated; of an ambisonic receiver with lateral figures.
Metrics measure_channel(const Result& result, std::size_t channel, const std::optional<SpeechConditions>& speech = {},
                        bool keep_decays = false);
// As stored in result.h5: a list of {source, receiver, ...}.
std::string metrics_text_of(const Result& result, const std::vector<Metrics>& metrics);

std::string summary_text(const Finished& done, const PlanReport& report);

// As JSON, the document of `fdtd run --json`.
struct RunReport {
  const Finished* done = nullptr;
  const PlanReport* plan = nullptr;
};
const JsonFields<RunReport>& run_fields();
nlohmann::ordered_json run_json(const Finished& done, const PlanReport& report);

}  // namespace fdtd

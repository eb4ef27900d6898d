// fdtd metrics IR.wav: ISO 3382-1 parameters of an impulse response, of this program or any other; of a result.h5 those of
// all its responses, and the single numbers of an open-plan office.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "base/problem.hpp"
#include "cli/command.hpp"
#include "cli/documents.hpp"
#include "cli/option_values.hpp"
#include "cli/terminal/say.hpp"
#include "engine/reports/metrics_report.hpp"
#include "engine/reports/office/open_plan_report.hpp"
#include "engine/reports/run_report.hpp"
#include "engine/results/result.hpp"
#include "engine/session/response_file.hpp"

namespace fdtd::cli {
namespace {

struct MetricsCommand {
  std::string file;
  int channel = 1;
  double max_frequency = 0.0;
  double scale = 0.0;
  std::optional<double> speech;  // dB(A) at 1 m
  std::optional<std::string> noise;
  std::vector<std::string> line;  // receivers of a result
  int lateral = 0;                // the channel of a figure-of-eight; 0: none
  bool binaural = false;
  std::string right;      // a file with the right ear
  double distance = 0.0;  // m; 0: not known
  bool any_signal = false;
  bool all = false;
  bool json = false;
};

struct MeasuredFile {
  std::string file;
  int channel = 1, channels = 1;
  const Metrics* metrics = nullptr;
  std::vector<std::string> warnings;
};

const JsonFields<MeasuredFile>& file_fields() {
  static const auto fields =
      JsonFields<MeasuredFile>()
          .value("file", "", "Path of the audio file.", &MeasuredFile::file)
          .value("channel", "", "The channel, from 1.", &MeasuredFile::channel)
          .value("channels", "", "Number of channels of the file.", &MeasuredFile::channels)
          .include(metrics_fields(), [](const MeasuredFile& of) -> const Metrics& { return *of.metrics; })
          .value("warnings", "", "Notes on the requested band, and on a signal that may be no impulse response.",
                 &MeasuredFile::warnings);
  return fields;
}

// Speech of --speech and --noise; nothing without them.
std::optional<SpeechConditions> speech_of(const MetricsCommand& options) {
  if (options.noise && !options.speech && options.line.empty())
    throw Error(Status::scene, "--noise: the level of speech is not known", "state it too, as in --speech 60");
  if (!options.speech) return std::nullopt;
  SpeechConditions speech;
  speech.level = *options.speech;
  if (options.noise) speech.noise = parse_noise(*options.noise);
  return speech;
}

struct MeasuredResponse {
  ShownChannel of;
  const Metrics* metrics = nullptr;
};

struct MeasuredResult {
  std::string file;
  std::vector<MeasuredResponse> responses;
  std::vector<OfficeLine> lines;  // of --line
};

const JsonFields<MeasuredResponse>& response_fields() {
  static const auto fields =
      JsonFields<MeasuredResponse>()
          .value("source", "", "Name of the source.", [](const MeasuredResponse& one) { return one.of.source; })
          .value("receiver", "", "Name of the receiver.", [](const MeasuredResponse& one) { return one.of.receiver; })
          .object("metrics", "Figures of merit, with the fields of `fdtd metrics IR.wav --json` from `sample_rate` on.",
                  metrics_fields(), [](const MeasuredResponse& one) -> const Metrics& { return *one.metrics; })
          .elsewhere();
  return fields;
}

const JsonFields<MeasuredResult>& result_fields() {
  static const auto fields =
      JsonFields<MeasuredResult>()
          .value("file", "", "Path of the result.", &MeasuredResult::file)
          .list("responses", "One element for each response.", response_fields(), &MeasuredResult::responses)
          .list("lines", "Single numbers of ISO 3382-3 along the receivers of `--line`, one element for each source.",
                office_fields(), &MeasuredResult::lines)
          .only_if("with `--line`", [](const MeasuredResult& one) { return !one.lines.empty(); });
  return fields;
}

void measure_result(const MetricsCommand& options) {
  if (options.channel != 1 || options.max_frequency > 0.0 || options.scale > 0.0 || options.any_signal ||
      options.lateral > 0 || options.binaural || !options.right.empty() || options.distance > 0.0)
    throw Error(Status::scene,
                "--channel, --max-frequency, --scale, --any-signal, --lateral, --binaural, --right and --distance are "
                "those of audio files: a result states its own",
                "leave them out, or name an audio file");
  const std::optional<SpeechConditions> speech = speech_of(options);
  const Result result = read_result(options.file);
  const std::vector<ShownChannel> shown = shown_channels(result.recording);
  std::vector<Metrics> metrics(shown.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < shown.size(); ++i)
    failure.guard([&] { metrics[i] = measure_channel(result, shown[i].channel, speech); });
  failure.rethrow();
  MeasuredResult measured{options.file, {}, {}};
  for (std::size_t i = 0; i < shown.size(); ++i) measured.responses.push_back({shown[i], &metrics[i]});
  if (!options.line.empty())
    measured.lines = office_lines(result, shown, metrics, options.line,
                                  options.noise ? std::optional(parse_noise(*options.noise)) : std::nullopt);
  if (options.json) {
    put_document(json_text(result_fields().write(measured), 2) + "\n");
    return;
  }
  for (const MeasuredResponse& one : measured.responses) {
    print_text("{} at {}\n{}", one.of.source, one.of.receiver, metrics_text(*one.metrics, options.all));
    if (!one.metrics->STI.value) print_text("no STI: {}\n", one.metrics->STI.reason);
  }
  for (const OfficeLine& line : measured.lines) print_text("{}", office_text(line));
}

void measure_file(const MetricsCommand& options) {
  if (!options.line.empty())
    throw Error(Status::scene, "--line names receivers of a result, and this is an audio file", "name a result.h5");
  if (options.binaural && (options.channel != 1 || !options.right.empty()))
    throw Error(Status::scene, "--binaural takes the ears from channels 1 and 2", "leave out --channel and --right");
  BesideResponse beside{options.lateral, options.right, 1, options.distance};
  if (options.binaural) beside.right_file = options.file, beside.right_channel = 2;
  const ResponseFile measured = measure_response_file(
      options.file,
      {options.channel, options.max_frequency, options.scale, speech_of(options), options.any_signal, beside});
  if (options.json) {
    put_document(json_text(file_fields().write({options.file, options.channel, measured.channels, &measured.metrics,
                                                measured.warnings}),
                           2) +
                 "\n");
    return;
  }
  print_text("{}: {:.4g} s at {:.6g} Hz, onset at {:.2f} ms, valid up to {:.6g} Hz\n", options.file,
             measured.metrics.duration, measured.metrics.sample_rate, 1e3 * measured.metrics.onset,
             measured.metrics.valid_bandwidth);
  if (measured.channels > 1)
    print_text("channel {} of {} (choose another with --channel)\n", options.channel, measured.channels);
  print_text("{}", metrics_text(measured.metrics, options.all));
  if (!measured.metrics.STI.value) print_text("no STI: {}\n", measured.metrics.STI.reason);
  for (const std::string& warning : measured.warnings) say("warning: {}\n", shortened(warning));
}

}  // namespace

DocumentFields metrics_document() { return file_fields().all(); }
DocumentFields result_metrics_document() { return result_fields().all(); }

void add_metrics(CLI::App& app, int& status) {
  auto options = std::make_shared<MetricsCommand>();
  app.add_option("response", options->file, "audio file (WAV, FLAC) with the impulse response, or result.h5 of a run")
      ->required();
  app.add_option("--channel", options->channel, "channel to measure, for a file with several")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option(
         "--max-frequency", options->max_frequency,
         "frequency in Hz up to which the response is valid; by default from the file's comment or its spectrum")
      ->check(CLI::Range(1.0, 1e6));
  app.add_option(
         "--scale", options->scale,
         "for G: the factor by which the samples of the direct sound at 1 m sum to 1; files of this program state it")
      ->check(CLI::Range(1e-12, 1e12));
  app.add_option(
         "--speech", options->speech,
         "for STI: level of speech in dB(A) at 1 m in free field, 60 for normal effort; without it the index is "
         "that of the room alone")
      ->check(CLI::Range(-100.0, 200.0));
  app.add_option(
      "--noise", options->noise,
      "for STI with --speech: levels of noise in dB at the receiver, in the octaves of 125 to 8000 Hz, as in "
      "45,40,35,30,25,22,20");
  app.add_option(
         "--line", options->line,
         "of result.h5: receivers along a line away from the source, as in R1,R2,R3,R4, for the single numbers of "
         "open-plan offices (ISO 3382-3); with --noise distraction and privacy distance, too")
      ->delimiter(',');
  app.add_option("--lateral", options->lateral,
                 "for LF, LFC and LJ: channel of the file with a figure-of-eight, its null towards the source")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--binaural", options->binaural, "for IACC: channels 1 and 2 are the left and the right ear");
  app.add_option("--right", options->right, "for IACC: audio file of the right ear, where the first is of the left");
  app.add_option("--distance", options->distance,
                 "for stage support: distance between source and receiver in m, 0.9 to 1.1")
      ->check(CLI::Range(1e-3, 1e4));
  app.add_flag(
      "--all", options->all,
      "print the second table, too: direct-to-reverberant ratio, lateral and interaural figures, stage support");
  app.add_flag("--any-signal", options->any_signal,
               "measure a file whose signal is no impulse response, such as a sweep or speech, all the same");
  app.add_flag("--json", options->json, "print one JSON document");
  app.callback([options, &status] {
    if (std::filesystem::path(options->file).extension() == ".h5")
      measure_result(*options);
    else
      measure_file(*options);
    status = 0;
  });
}

}  // namespace fdtd::cli

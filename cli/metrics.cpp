// fdtd metrics IR.wav: ISO 3382-1 parameters of an impulse response, of this program or any other; of a result.h5 those of
// all its responses.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "base/problem.hpp"
#include "cli/command.hpp"
#include "cli/documents.hpp"
#include "cli/option_values.hpp"
#include "cli/terminal/say.hpp"
#include "engine/files/audio_reader.hpp"
#include "engine/reports/metrics_report.hpp"
#include "engine/reports/run_report.hpp"
#include "engine/responses/metrics_stream.hpp"
#include "engine/responses/response_kind.hpp"
#include "engine/results/result.hpp"
#include "engine/results/wav_comment.hpp"
#include "engine/session/audio_input.hpp"
#include "engine/system/machine.hpp"

namespace fdtd::cli {
namespace {

constexpr std::uint64_t longest_in_memory = std::uint64_t{1} << 23;  // samples: 1 GB; 3 min at 48 kHz

// Their squares must be finite.
void check_samples(const std::string& file, std::span<const double> samples) {
  constexpr double most = 1e100;
  for (const double x : samples)
    if (std::abs(x) > most)
      throw Error(Status::numerical, fmt::format("{}: a sample is {:.3g}: its energy cannot be computed", file, x),
                  "scale the response, for example so that its largest sample is 1");
}

// A channel of a file, block by block.
class AudioStream : public SampleStream {
 public:
  AudioStream(std::string file, std::size_t channel, const AudioHeader& judged)
      : file_(std::move(file)), channel_(channel), judged_(judged) {}
  std::uint64_t samples() const override { return judged_.frames; }
  void restart() override {
    reader_ = open_audio(file_, channel_);
    require_unchanged(file_, judged_, reader_->header());
    read_ = 0;
  }
  std::size_t read(std::span<double> to) override {
    block_[0].clear();
    const std::size_t got = reader_->read(to.size(), block_);
    read_ += got;
    if (got < to.size()) require_whole(file_, judged_, read_);
    check_samples(file_, block_[0]);
    std::copy(block_[0].begin(), block_[0].end(), to.begin());
    return got;
  }

 private:
  std::string file_;
  std::size_t channel_ = 0;
  AudioHeader judged_;
  std::uint64_t read_ = 0;
  std::unique_ptr<AudioReader> reader_;
  std::vector<std::vector<double>> block_{1};
};

struct MetricsCommand {
  std::string file;
  int channel = 1;
  double max_frequency = 0.0;
  double scale = 0.0;
  std::optional<double> speech;  // dB(A) at 1 m
  std::optional<std::string> noise;
  bool any_signal = false;
  bool json = false;
};

// A warning, or nothing. Throws Error (status file) for what is certainly none.
std::string require_response(const MetricsCommand& options, const ResponseDoubt& doubt) {
  if (doubt.why.empty() || options.any_signal) return "";
  if (!doubt.certain) return "this may not be an impulse response: " + doubt.why;
  throw Error(Status::file, fmt::format("{} is no impulse response: {}", options.file, doubt.why),
              "deconvolve a recorded sweep first; --any-signal measures it all the same");
}

// `own`: the file states that it is a response. In memory where that is what memory should hold, else in several rounds through the file.
Metrics measured(AudioReader& reader, const MetricsCommand& options, const AudioHeader& judged,
                 const MetricsOptions& how, bool own, std::vector<std::string>& warnings) {
  const double rate = judged.sample_rate;
  const std::uint64_t frames = judged.frames;
  const auto require = [&](auto& signal, double bandwidth) {
    if (own) return;
    if (std::string doubt = require_response(options, response_doubt(signal, rate, bandwidth)); !doubt.empty())
      warnings.push_back(std::move(doubt));
  };
  require_unchanged(options.file, judged, reader.header());
  if (frames <= longest_in_memory && bytes_to_measure(frames) <= static_cast<double>(available_memory())) {
    const Audio audio = read_all(reader);
    check_samples(options.file, audio.channels[0]);
    Metrics metrics = measure(audio.channels[0], rate, how);
    require(audio.channels[0], metrics.valid_bandwidth);
    return metrics;
  }
  require_memory(options.file, bytes_to_stream(frames, rate), "to measure", "cut the response out of the file");
  AudioStream stream(options.file, static_cast<std::size_t>(options.channel - 1), judged);
  Metrics metrics = measure_stream(stream, rate, how);
  require(stream, metrics.valid_bandwidth);
  return metrics;
}

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
  if (options.noise && !options.speech)
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
          .list("responses", "One element for each response.", response_fields(), &MeasuredResult::responses);
  return fields;
}

void measure_result(const MetricsCommand& options) {
  if (options.channel != 1 || options.max_frequency > 0.0 || options.scale > 0.0 || options.any_signal)
    throw Error(
        Status::scene,
        "--channel, --max-frequency, --scale and --any-signal are those of audio files: a result states its own",
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
  MeasuredResult measured{options.file, {}};
  for (std::size_t i = 0; i < shown.size(); ++i) measured.responses.push_back({shown[i], &metrics[i]});
  if (options.json) {
    put_document(json_text(result_fields().write(measured), 2) + "\n");
    return;
  }
  for (const MeasuredResponse& one : measured.responses) {
    print_text("{} at {}\n{}", one.of.source, one.of.receiver, metrics_text(*one.metrics));
    if (!one.metrics->STI.value) print_text("no STI: {}\n", one.metrics->STI.reason);
  }
}

void measure_file(const MetricsCommand& options) {
  const AudioHeader header = judge_audio(options.file);
  const auto channels = static_cast<int>(header.channels);
  if (options.channel > channels)
    throw Error(Status::scene, fmt::format("{} has {} channel{}, not {}", options.file, channels,
                                           channels == 1 ? "" : "s", options.channel));
  const auto channel = static_cast<std::size_t>(options.channel - 1);
  const auto reader = open_audio(options.file, channel);
  MetricsOptions how;
  how.valid_bandwidth = options.max_frequency;
  how.step = reader->step();
  if (options.scale > 0.0) how.scale = options.scale;
  how.speech = speech_of(options);
  std::vector<std::string> warnings;
  const auto note = read_response_note(reader->comment());
  if (note) {
    if (!how.scale) how.scale = 1.0 / note->scale;
    if (note->bandwidth > 0.0 && how.valid_bandwidth > note->bandwidth * (1.0 + 1e-6))
      warnings.push_back(
          fmt::format("--max-frequency {:g}: the file states that it is valid up to {:.6g} Hz; figures of bands that "
                      "reach above it are not those of the room",
                      how.valid_bandwidth, note->bandwidth));
    if (how.valid_bandwidth <= 0.0) how.valid_bandwidth = note->bandwidth;
    how.static_pressure = note->low_cut && *note->low_cut <= 0.0;
    how.earliest = note->earliest_of(channel, header.channels);
    how.parts = {note->waves_to, note->geometry_from, true};
  }
  const Metrics metrics = measured(*reader, options, header, how, note.has_value(), warnings);
  if (options.json) {
    put_document(json_text(file_fields().write({options.file, options.channel, channels, &metrics, warnings}), 2) +
                 "\n");
    return;
  }
  print_text("{}: {:.4g} s at {:.6g} Hz, onset at {:.2f} ms, valid up to {:.6g} Hz\n", options.file, metrics.duration,
             metrics.sample_rate, 1e3 * metrics.onset, metrics.valid_bandwidth);
  if (channels > 1) print_text("channel {} of {} (choose another with --channel)\n", options.channel, channels);
  print_text("{}", metrics_text(metrics));
  if (!metrics.STI.value) print_text("no STI: {}\n", metrics.STI.reason);
  for (const std::string& warning : warnings) say("warning: {}\n", shortened(warning));
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

// fdtd metrics IR.wav: ISO 3382-1 parameters of an impulse response, of this program or any other.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/say.hpp"
#include "engine/error.hpp"
#include "engine/files/wav_write.hpp"
#include "engine/reports/metrics_report.hpp"
#include "engine/responses/metrics.hpp"
#include "engine/results/wav_comment.hpp"
#include "engine/session/audio_input.hpp"

namespace fdtd::cli {
namespace {

constexpr std::uint64_t longest_response = std::uint64_t{1} << 26;  // samples: 23 min at 48 kHz
constexpr double bytes_a_sample = 120.0;                            // the response, its transform and an octave of it

struct MetricsCommand {
  std::string file;
  int channel = 1;
  double max_frequency = 0.0;
  double scale = 0.0;
  bool json = false;
};

void measure_file(const MetricsCommand& options) {
  const AudioHeader header = read_audio_header(options.file);
  const auto channels = static_cast<int>(header.channels);
  if (options.channel > channels)
    throw Error(Status::scene, fmt::format("{} has {} channel{}, not {}", options.file, channels,
                                           channels == 1 ? "" : "s", options.channel));
  if (header.frames > longest_response)
    throw Error(Status::file,
                fmt::format("{} holds {:.4g} s: an impulse response has at most {} samples", options.file,
                            static_cast<double>(header.frames) / header.sample_rate, longest_response),
                "cut the response out of the file");
  require_memory(options.file, bytes_a_sample * static_cast<double>(header.frames), "to measure",
                 "cut the response out of the file");
  const Audio audio = read_audio(options.file, {longest_response, static_cast<std::size_t>(options.channel - 1)});
  MetricsOptions how;
  how.valid_bandwidth = options.max_frequency;
  how.step = audio.step;
  if (options.scale > 0.0) how.scale = options.scale;
  std::vector<std::string> warnings;
  if (const auto note = read_response_note(audio.comment)) {
    if (!how.scale) how.scale = 1.0 / note->scale;
    if (note->bandwidth > 0.0 && how.valid_bandwidth > note->bandwidth * (1.0 + 1e-6))
      warnings.push_back(
          fmt::format("--max-frequency {:g}: the file states that it is valid up to {:.6g} Hz; figures of bands that "
                      "reach above it are not those of the room",
                      how.valid_bandwidth, note->bandwidth));
    if (how.valid_bandwidth <= 0.0) how.valid_bandwidth = note->bandwidth;
    how.static_pressure = note->low_cut && *note->low_cut <= 0.0;
    how.earliest = note->earliest.value_or(0.0);
  }
  const Metrics metrics = measure(audio.channels[0], audio.sample_rate, how);
  if (options.json) {
    nlohmann::ordered_json json{{"file", options.file}, {"channel", options.channel}, {"channels", channels}};
    json.update(metrics_json(metrics));
    json["warnings"] = warnings;
    print_text("{}\n", json_text(json, 2));
    return;
  }
  print_text("{}: {:.4g} s at {:.6g} Hz, onset at {:.2f} ms, valid up to {:.6g} Hz\n", options.file, metrics.duration,
             metrics.sample_rate, 1e3 * metrics.onset, metrics.valid_bandwidth);
  if (channels > 1) print_text("channel {} of {} (choose another with --channel)\n", options.channel, channels);
  print_text("{}", metrics_text(metrics));
  for (const std::string& warning : warnings) say("warning: {}\n", warning);
}

}  // namespace

void add_metrics(CLI::App& app, int& status) {
  auto options = std::make_shared<MetricsCommand>();
  app.add_option("response", options->file, "audio file (WAV, FLAC) with the impulse response")->required();
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
  app.add_flag("--json", options->json, "print one JSON document");
  app.callback([options, &status] {
    measure_file(*options);
    status = 0;
  });
}

}  // namespace fdtd::cli

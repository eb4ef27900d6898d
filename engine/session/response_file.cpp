#include "engine/session/response_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "engine/files/audio_reader.hpp"
#include "engine/responses/metrics_stream.hpp"
#include "engine/responses/response_kind.hpp"
#include "engine/results/wav_comment.hpp"
#include "engine/session/audio_input.hpp"
#include "engine/system/machine.hpp"

namespace fdtd {
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
class ResponseStream : public SampleStream {
 public:
  ResponseStream(std::string file, std::size_t channel, const AudioHeader& judged)
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

// A warning, or nothing. Throws Error (status file) for what is certainly none.
std::string require_response(const std::string& file, bool any_signal, const ResponseDoubt& doubt) {
  if (doubt.why.empty() || any_signal) return "";
  if (!doubt.certain) return "this may not be an impulse response: " + doubt.why;
  throw Error(Status::file, fmt::format("{} is no impulse response: {}", file, doubt.why),
              "deconvolve a recorded sweep first; --any-signal measures it all the same");
}

template <class Signal>
void add_doubt(Signal& signal, const std::string& file, double rate, const Metrics& metrics, bool any_signal,
               std::vector<std::string>& warnings) {
  const ResponseDoubt doubt = response_doubt(signal, rate, metrics.valid_bandwidth);
  if (std::string words = require_response(file, any_signal, doubt); !words.empty())
    warnings.push_back(std::move(words));
}

// As long as the response.
std::vector<double> channel_beside(const std::string& file, int channel, const AudioHeader& judged) {
  const AudioHeader header = judge_audio(file);
  const auto channels = static_cast<int>(header.channels);
  if (channel > channels)
    throw Error(Status::scene,
                fmt::format("{} has {} channel{}, not {}", file, channels, channels == 1 ? "" : "s", channel),
                "name another file or channel");
  if (header.sample_rate != judged.sample_rate || header.frames != judged.frames)
    throw Error(Status::scene,
                fmt::format("{} has {} samples at {:g} Hz, the response {} at {:g} Hz", file, header.frames,
                            header.sample_rate, judged.frames, judged.sample_rate),
                "both must be one recording");
  const auto reader = open_audio(file, static_cast<std::size_t>(channel - 1));
  Audio audio = read_all(*reader);
  check_samples(file, audio.channels[0]);
  return std::move(audio.channels[0]);
}

// `own`: the file states that it is a response. In memory where that is what memory should hold, else in several rounds
// through the file.
Metrics measure_reader(AudioReader& reader, const std::string& file, const ResponseFileOptions& options,
                       const AudioHeader& judged, MetricsOptions how, bool own, std::vector<std::string>& warnings) {
  const double rate = judged.sample_rate;
  const std::uint64_t frames = judged.frames;
  require_unchanged(file, judged, reader.header());
  if (frames <= longest_in_memory && bytes_to_measure(frames) <= static_cast<double>(available_memory())) {
    const Audio audio = read_all(reader);
    const BesideResponse& beside = options.beside;
    std::vector<double> lateral, right;
    if (beside.lateral_channel > 0) lateral = channel_beside(file, beside.lateral_channel, judged);
    if (!beside.right_file.empty()) right = channel_beside(beside.right_file, beside.right_channel, judged);
    how.with.lateral = lateral;
    how.with.right_ear = right;
    ResponseFile found = measure_samples(file, audio.channels[0], rate, how, options.any_signal, own);
    warnings.insert(warnings.end(), found.warnings.begin(), found.warnings.end());
    return std::move(found.metrics);
  }
  require_memory(file, bytes_to_stream(frames, rate), "to measure", "cut the response out of the file");
  ResponseStream stream(file, static_cast<std::size_t>(options.channel - 1), judged);
  Metrics metrics = measure_stream(stream, rate, how);
  if (!own) add_doubt(stream, file, rate, metrics, options.any_signal, warnings);
  return metrics;
}

}  // namespace

ResponseFile measure_samples(const std::string& file, std::span<const double> samples, double rate,
                             const MetricsOptions& how, bool any_signal, bool own) {
  check_samples(file, samples);
  ResponseFile found{measure(samples, rate, how), 1, {}};
  if (!own) add_doubt(samples, file, rate, found.metrics, any_signal, found.warnings);
  return found;
}

ResponseFile measure_response_file(const std::string& file, const ResponseFileOptions& options) {
  const AudioHeader header = judge_audio(file);
  const auto channels = static_cast<int>(header.channels);
  if (options.channel > channels)
    throw Error(Status::scene,
                fmt::format("{} has {} channel{}, not {}", file, channels, channels == 1 ? "" : "s", options.channel));
  const auto channel = static_cast<std::size_t>(options.channel - 1);
  const auto reader = open_audio(file, channel);
  MetricsOptions how;
  how.valid_bandwidth = options.max_frequency;
  how.step = reader->step();
  if (options.scale > 0.0) how.scale = options.scale;
  how.speech = options.speech;
  if (options.beside.distance > 0.0) how.with.distance = options.beside.distance;
  how.with.no_lateral = "the channel of a figure-of-eight is needed, --lateral";
  how.with.no_ears = "two channels of a binaural response are needed, --binaural or --right";
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
  Metrics metrics = measure_reader(*reader, file, options, header, how, note.has_value(), warnings);
  return {std::move(metrics), channels, std::move(warnings)};
}

}  // namespace fdtd

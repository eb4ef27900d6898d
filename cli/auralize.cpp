// fdtd auralize IR.wav DRY.wav -o OUT.wav: convolves a dry signal with an impulse response. The shorter of the two is
// held in memory, the longer one passes through in blocks.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/stop_on_signal.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/audio_reader.hpp"
#include "engine/responses/convolution.hpp"
#include "engine/responses/render.hpp"
#include "engine/responses/resampler.hpp"
#include "engine/session/audio_input.hpp"
#include "engine/system/machine.hpp"

namespace fdtd::cli {
namespace {

struct AuralizeCommand {
  std::string response, dry, output;
  std::string format = "float";
  bool normalize = false;
  bool force = false;
};

// One of the two files: its samples at the rate of the response, block by block.
class Input {
 public:
  Input(const std::string& path, double rate) : path_(path), rate_(rate), header_(judge_audio(path)) {
    if (header_.frames == 0) throw Error(Status::file, fmt::format("{} holds no samples", path));
    frames_ = resampled_length(header_.frames, header_.sample_rate, rate);
  }
  const std::string& path() const { return path_; }
  double file_rate() const { return header_.sample_rate; }
  std::size_t channels() const { return header_.channels; }
  std::uint64_t file_frames() const { return header_.frames; }  // samples a channel
  std::uint64_t frames() const { return frames_; }              // the same, at the rate of the response

  // All of it. Throws Error (file) for 2^28 samples a channel.
  std::vector<std::vector<double>> whole() const {
    std::vector<std::vector<double>> all = read_audio(path_).channels;
    for (auto& channel : all) channel = resample(channel, file_rate(), rate_);
    return all;
  }

  void restart() {
    reader_ = open_audio(path_);
    require_unchanged(path_, header_, reader_->header());
    read_ = 0;
    resamplers_.clear();
    if (file_rate() != rate_)
      for (std::size_t c = 0; c < channels(); ++c) resamplers_.emplace_back(file_rate(), rate_);
    waiting_.assign(channels(), {});
    left_ = frames_;
    ended_ = false;
  }

  // The next `most` samples of each channel, or what is left of them.
  std::vector<std::vector<double>> next(std::size_t most) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, left_));
    while (waiting_[0].size() < count && !ended_) fill(count - waiting_[0].size());
    std::vector<std::vector<double>> block(channels());
    for (std::size_t c = 0; c < channels(); ++c) {
      auto& from = waiting_[c];
      if (from.size() < count) from.resize(count, 0.0);  // where the resampler's last sample is not the last one
      const auto end = from.begin() + static_cast<std::ptrdiff_t>(count);
      block[c].assign(from.begin(), end);
      from.erase(from.begin(), end);
    }
    left_ -= count;
    return block;
  }

 private:
  void fill(std::size_t wanted) {
    std::vector<std::vector<double>> read(channels());
    const std::size_t got =
        reader_->read(std::min(wanted, std::size_t{1} << 16), resamplers_.empty() ? waiting_ : read);
    read_ += got;
    ended_ = got == 0;
    if (ended_) require_whole(path_, header_, read_);
    if (resamplers_.empty()) return;
    for (std::size_t c = 0; c < channels(); ++c) {
      resamplers_[c].put(read[c], waiting_[c]);
      if (ended_) resamplers_[c].end(waiting_[c]);
    }
  }

  std::string path_;
  double rate_ = 0.0;
  AudioHeader header_;
  std::uint64_t frames_ = 0, left_ = 0;  // at the rate of the response
  std::uint64_t read_ = 0;               // of the file
  std::unique_ptr<AudioReader> reader_;
  std::vector<Resampler> resamplers_;
  std::vector<std::vector<double>> waiting_;
  bool ended_ = false;
};

// The channels of the response and of the signal that give each channel of the output: one signal with every channel of
// the response, every channel of the signal with one response, or channel by channel.
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const Input& response, const Input& dry) {
  const std::size_t a = response.channels(), b = dry.channels();
  if (a != b && a != 1 && b != 1)
    throw Error(Status::scene, fmt::format("{} has {} channels and {} has {}", response.path(), a, dry.path(), b),
                "use one channel in one of them, or the same number in both");
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < std::max(a, b); ++i) pairs.emplace_back(a == 1 ? 0 : i, b == 1 ? 0 : i);
  return pairs;
}

// Bytes that a filter takes: its samples, as read and as resampled; its spectrum and what it carries over, a channel of
// the output; the spectra of a block and the transform at work.
double bytes_for(const Input& filter, std::size_t streamed, std::size_t outputs) {
  const double taps = static_cast<double>(filter.frames()), length = std::max(4.0 * taps, double{1 << 14});
  return 8.0 * ((taps + static_cast<double>(filter.file_frames())) * static_cast<double>(filter.channels()) +
                (2.0 * length + taps) * static_cast<double>(outputs) + (2.0 * length) * static_cast<double>(streamed) +
                6.0 * length);
}

using Samples = std::vector<std::vector<double>>;

// The audible signal, in the blocks in which it comes.
class Playback {
 public:
  Playback(Input& response, Input& dry)
      : pairs_(pairs_of(response, dry)),
        response_is_filter_(response.frames() <= dry.frames()),
        filter_(response_is_filter_ ? response : dry),
        streamed_(response_is_filter_ ? dry : response) {
    require_memory(filter_.path(), bytes_for(filter_, streamed_.channels(), pairs_.size()), "to convolve",
                   "use a shorter response or fewer channels");
    filters_ = filter_.whole();
  }
  std::size_t channels() const { return pairs_.size(); }
  std::uint64_t frames() const { return filter_.frames() + streamed_.frames() - 1; }

  // Calls `hear` with samples of all channels, in order.
  template <class Hear>
  void play(const Hear& hear) {
    const ConvolutionBlocks blocks(filters_[0].size());
    std::vector<Convolution> convolutions;
    for (const auto& [of_response, of_dry] : pairs_)
      convolutions.emplace_back(blocks, filters_[response_is_filter_ ? of_response : of_dry]);
    streamed_.restart();
    for (std::uint64_t done = 0; done < streamed_.frames(); done += blocks.block()) {
      if (StopOnSignal::noted() != 0) throw Error(Status::interrupted, "interrupted: no file is written");
      const Samples block = streamed_.next(blocks.block());
      std::vector<std::vector<std::complex<double>>> spectra;
      for (const auto& channel : block) spectra.push_back(blocks.spectrum(channel));
      Samples wet;
      for (std::size_t i = 0; i < pairs_.size(); ++i)
        wet.push_back(
            convolutions[i](spectra[response_is_filter_ ? pairs_[i].second : pairs_[i].first], block[0].size()));
      hear(wet);
    }
    Samples tails;
    for (const Convolution& one : convolutions) tails.push_back(one.tail());
    hear(tails);
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
  bool response_is_filter_ = true;
  Input& filter_;
  Input& streamed_;
  Samples filters_;
};

double peak_of(const Samples& samples) {
  double peak = 0.0;
  for (const auto& channel : samples)
    for (const double x : channel) peak = std::max(peak, std::abs(x));
  return peak;
}

void auralize(const AuralizeCommand& options) {
  check_writable(options.output, options.force);
  Input response(options.response, read_audio_header(options.response).sample_rate);
  Input dry(options.dry, response.file_rate());
  const StopOnSignal signals;
  Playback playback(response, dry);
  const bool pcm = options.format == "pcm24";
  require_space(options.output,
                (pcm ? 3.0 : 4.0) * static_cast<double>(playback.channels()) * static_cast<double>(playback.frames()));
  double peak = 0.0;
  // The scale is known at the end: the file is made in a second round.
  if (options.normalize) playback.play([&](const Samples& wet) { peak = std::max(peak, peak_of(wet)); });
  const double scale = peak > 0.0 ? peak : 1.0;
  const auto rate = static_cast<int>(std::lround(response.file_rate()));
  AudioWriter writer(options.output, playback.channels(), playback.frames(), rate,
                     pcm ? SampleFormat::pcm24 : SampleFormat::float32, options.force);
  playback.play([&](Samples& wet) {
    if (options.normalize)
      for (auto& channel : wet)
        for (double& x : channel) x /= scale;
    peak = options.normalize ? peak : std::max(peak, peak_of(wet));
    writer.write({wet.begin(), wet.end()});
  });
  const std::int64_t clipped = writer.finish();
  print_text("{}: {} channel{}, {:.4g} s at {} Hz, peak {:.4g}\n", options.output, playback.channels(),
             playback.channels() == 1 ? "" : "s", static_cast<double>(playback.frames()) / rate, rate,
             options.normalize && peak > 0.0 ? 1.0 : peak);
  if (dry.file_rate() != response.file_rate())
    print_text("note: {} was resampled from {:.6g} Hz to the response's rate\n", options.dry, dry.file_rate());
  if (clipped > 0)
    print_text("note: {} sample{} clipped at full scale (use --normalize or --format float)\n", clipped,
               clipped == 1 ? "" : "s");
}

}  // namespace

void add_auralize(CLI::App& app, int& status) {
  auto options = std::make_shared<AuralizeCommand>();
  app.add_option("response", options->response,
                 "audio file (WAV, FLAC) with the impulse response; each channel gives one channel of the output")
      ->required();
  app.add_option("dry", options->dry, "audio file (WAV, FLAC) with the dry (anechoic) signal")->required();
  app.add_option("-o,--output", options->output, "WAV file to write, at the sample rate of the response")->required();
  app.add_option("--format", options->format, "sample format of the output: float or pcm24")
      ->check(CLI::IsMember({"float", "pcm24"}))
      ->capture_default_str();
  app.add_flag("--normalize", options->normalize, "scale the output so that its largest sample is 1");
  app.add_flag("--force", options->force, "replace the output file if it exists");
  app.callback([options, &status] {
    auralize(*options);
    status = 0;
  });
}

}  // namespace fdtd::cli

// fdtd auralize RESPONSE DRY.wav -o OUT.wav: convolves a dry signal with an impulse response, of an audio file or of a
// result. The shorter of the two is held in memory, the longer one passes through in blocks.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/lower_case.hpp"
#include "base/problem.hpp"
#include "cli/auralize_input.hpp"
#include "cli/auralize_path.hpp"
#include "cli/auralize_sound.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/stop_on_signal.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/responses/convolution.hpp"
#include "engine/results/result.hpp"
#include "engine/session/audio_input.hpp"
#include "engine/session/exchanged_files.hpp"
#include "engine/session/heard_response.hpp"
#include "engine/session/measured_room.hpp"
#include "engine/system/machine.hpp"

namespace fdtd::cli {
namespace {

struct AuralizeCommand {
  std::string response, dry, output;
  std::string source, receiver;    // of a result
  std::string path, moves;         // of a result
  std::optional<double> rotation;  // degrees
  double gain = 0.0;               // dB
  std::string format = "float";
  bool normalize = false;
  bool force = false;
};

// The channels of the response and of the signal that give each channel of the output: one signal with every channel of
// the response, every channel of the signal with one response, or channel by channel.
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const AuralizeInput& response, const AuralizeInput& dry) {
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
double bytes_for(const AuralizeInput& filter, std::size_t streamed, std::size_t outputs) {
  const double taps = static_cast<double>(filter.frames()), length = std::max(4.0 * taps, double{1 << 14});
  return 8.0 * ((taps + static_cast<double>(filter.file_frames())) * static_cast<double>(filter.channels()) +
                (2.0 * length + taps) * static_cast<double>(outputs) + (2.0 * length) * static_cast<double>(streamed) +
                6.0 * length);
}

using Samples = AuralizeSound::Samples;

// The audible signal, in the blocks in which it comes.
class Playback : public AuralizeSound {
 public:
  Playback(AuralizeInput& response, AuralizeInput& dry)
      : pairs_(pairs_of(response, dry)),
        response_is_filter_(response.frames() <= dry.frames()),
        filter_(response_is_filter_ ? response : dry),
        streamed_(response_is_filter_ ? dry : response) {
    require_memory(filter_.path(), bytes_for(filter_, streamed_.channels(), pairs_.size()), "to convolve",
                   "use a shorter response or fewer channels");
    filters_ = filter_.whole();
  }
  std::size_t channels() const override { return pairs_.size(); }
  std::uint64_t frames() const override { return filter_.frames() + streamed_.frames() - 1; }

  void play(const Hear& hear) override {
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
  AuralizeInput& filter_;
  AuralizeInput& streamed_;
  Samples filters_;
};

double peak_of(const Samples& samples) {
  double peak = 0.0;
  for (const auto& channel : samples)
    for (const double x : channel) peak = std::max(peak, std::abs(x));
  return peak;
}

// An audio file, or the response of a result that --source and --receiver choose. `said`: what it is, for the user.
AuralizeInput open_response(const AuralizeCommand& options, std::string& said) {
  const std::string& path = options.response;
  if (std::filesystem::path(path).extension() != ".h5") {
    if (!options.source.empty() || !options.receiver.empty() || options.rotation)
      throw Error(Status::scene,
                  "--source, --receiver and --rotation choose a response of a result, and this is an audio file",
                  "leave them out, or name a result.h5");
    return {path, read_audio_header(path).sample_rate};
  }
  HeardResponse heard = heard_response(read_result(path), path, {options.source, options.receiver, options.rotation});
  said = fmt::format("{} at {}", heard.source, heard.receiver);
  if (heard.rotation) said += fmt::format(", left and right ear, turned by {:g} degrees", *heard.rotation);
  if (heard.array && heard.channels.size() > 1)
    said += fmt::format(", the {} microphones of an array", heard.channels.size());
  if (heard.ambisonic) said += ", ambisonic channels (ACN, SN3D) for a decoder";
  return {path, std::make_shared<const Samples>(std::move(heard.channels)), heard.sample_rate};
}

double decibels(double factor) { return 20.0 * std::log10(factor); }

// The factor by which the output is scaled: --gain, or what makes the largest sample 1; integers never clip. The peak is
// known at the end, so that the output is made in a second round. `note`: on a gain that is lower than asked for.
double scale_of(const AuralizeCommand& options, AuralizeSound& playback, std::string& note) {
  const double asked = std::pow(10.0, options.gain / 20.0);
  if (!options.normalize && options.format != "pcm24") return asked;
  double peak = 0.0;
  playback.play([&](const Samples& wet) { peak = std::max(peak, peak_of(wet)); });
  if (options.normalize) return peak > 0.0 ? 1.0 / peak : 1.0;
  if (asked * peak <= 1.0) return asked;
  note = fmt::format("the gain is {:.2f} dB lower than asked for: integers would clip at full scale",
                     decibels(asked * peak));
  return 1.0 / peak;
}

// Writes what is heard. `said`: what it is; `dry_rate`: Hz, of the dry signal's file; `remark`: on the files.
void write_sound(const AuralizeCommand& options, AuralizeSound& sound, double sample_rate, double dry_rate,
                 const std::string& said, const std::string& remark) {
  const bool pcm = options.format == "pcm24";
  require_space(options.output,
                (pcm ? 3.0 : 4.0) * static_cast<double>(sound.channels()) * static_cast<double>(sound.frames()));
  std::string note;
  const double scale = scale_of(options, sound, note);
  const auto rate = static_cast<int>(std::lround(sample_rate));
  AudioWriter writer(options.output, sound.channels(), sound.frames(), rate,
                     pcm ? SampleFormat::pcm24 : SampleFormat::float32, options.force);
  double peak = 0.0;
  sound.play([&](Samples& wet) {
    for (auto& channel : wet)
      for (double& x : channel) x = pcm ? std::clamp(x * scale, -1.0, 1.0) : x * scale;  // 1 within rounding
    peak = std::max(peak, peak_of(wet));
    writer.write({wet.begin(), wet.end()});
  });
  writer.finish();
  if (!said.empty()) print_text("{}\n", said);
  print_text("{}: {} channel{}, {:.4g} s at {} Hz, peak {:.4g}, gain {:+.2f} dB\n", options.output, sound.channels(),
             sound.channels() == 1 ? "" : "s", static_cast<double>(sound.frames()) / rate, rate, peak, decibels(scale));
  if (dry_rate != sample_rate)
    print_text("note: {} was resampled from {:.6g} Hz to the response's rate\n", options.dry, dry_rate);
  for (const std::string& one : {remark, note})
    if (!one.empty()) print_text("note: {}\n", one);
  if (!pcm && peak > 1.0)
    print_text("note: samples beyond 1 clip in players: use --gain {:.1f} or --normalize\n",
               std::floor(10.0 * (options.gain - decibels(peak))) / 10.0);
}

// Where files look as if they were exchanged; the synthesised sound is none.
std::string remark_on_inputs(const AuralizeCommand& options, bool of_result) {
  if (options.dry.empty()) return "";
  return of_result ? remark_on_dry(options.dry) : remark_on_files(options.response, options.dry);
}

void auralize_along(const AuralizeCommand& options) {
  if (std::filesystem::path(options.response).extension() != ".h5")
    throw Error(Status::scene, "--path goes through the places of a result, and this is an audio file",
                "name a result.h5");
  PathSound sound(options.response, options.path, options.dry,
                  {options.source, options.receiver, options.moves == "source" ? Moves::source : Moves::receiver});
  const StopOnSignal signals;
  write_sound(options, sound, sound.rate(), sound.dry_rate(), sound.said(), remark_on_inputs(options, true));
}

// A player goes by the ending.
void require_wav(const std::string& output) {
  const std::string ending = lower_case(std::filesystem::path(output).extension().string());
  if (ending != ".wav")
    throw Error(Status::scene, fmt::format("--output: {} would be a WAV file by another name", in_quotes(output)),
                "let it end in .wav");
}

void auralize(const AuralizeCommand& options) {
  require_wav(options.output);
  check_writable(options.output, options.force);
  if (!options.path.empty()) return auralize_along(options);
  std::string said;
  AuralizeInput response = open_response(options, said);
  AuralizeInput dry = dry_input(options.dry, response.file_rate());
  const StopOnSignal signals;
  Playback playback(response, dry);
  write_sound(options, playback, response.file_rate(), dry.file_rate(), said,
              remark_on_inputs(options, std::filesystem::path(options.response).extension() == ".h5"));
}

}  // namespace

void add_auralize(CLI::App& app, int& status) {
  auto options = std::make_shared<AuralizeCommand>();
  app.add_option("response", options->response,
                 "audio file (WAV, FLAC) with the impulse response, or the folder of a run, or its result.h5; each "
                 "channel gives one channel of the output")
      ->required();
  app.add_option("dry", options->dry,
                 "audio file (WAV, FLAC) with the dry (anechoic) signal; by default a synthesised one of 2.6 s: claps, "
                 "wood blocks, a drum, plucked strings");
  app.add_option("--source", options->source, "of result.h5: the source that plays, where there are several");
  app.add_option("--receiver", options->receiver, "of result.h5: the receiver that hears, where there are several");
  auto* const path = app.add_option("--path", options->path,
                                    "of result.h5: table (CSV) t, x, y, z of a path through its receivers, along which "
                                    "the signal is heard; t = 0 s is its first sample");
  app.add_option("--moves", options->moves,
                 "what is on the path: the receiver, or the source, through the result's sources or, where it has one, "
                 "its receivers by reciprocity")
      ->check(CLI::IsMember({"receiver", "source"}))
      ->needs(path)
      ->default_str("receiver");
  app.add_option("--rotation", options->rotation,
                 "of a binaural receiver: degrees by which the head is turned to its left, one of its `rotations`; by "
                 "default the first")
      ->excludes(path);
  app.add_option("-o,--output", options->output, "WAV file to write, at the sample rate of the response")->required();
  app.add_option("--format", options->format, "sample format of the output: float or pcm24")
      ->check(CLI::IsMember({"float", "pcm24"}))
      ->capture_default_str();
  auto* const gain =
      app.add_option("--gain", options->gain,
                     "gain in dB; at 0 the dry signal is the pressure at 1 m from the source in free field, and the "
                     "output that at the receiver. Of pcm24 it is lowered where samples would clip")
          ->check(CLI::Range(-200.0, 200.0))
          ->capture_default_str();
  app.add_flag("--normalize", options->normalize, "scale the output so that its largest sample is 1")->excludes(gain);
  app.add_flag("--force", options->force, "replace the output file if it exists");
  app.callback([options, &status] {
    options->response = result_file(options->response).string();
    auralize(*options);
    status = 0;
  });
}

}  // namespace fdtd::cli

// fdtd auralize IR.wav DRY.wav -o OUT.wav: convolves a dry signal with an impulse response.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/command.hpp"
#include "cli/say.hpp"
#include "engine/error.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/wav_write.hpp"
#include "engine/responses/render.hpp"
#include "engine/session/audio_input.hpp"

namespace fdtd::cli {
namespace {

struct AuralizeCommand {
  std::string response, dry, output;
  std::string format = "float";
  bool normalize = false;
  bool force = false;
};

// The channels of the response and of the signal that give each channel of the output: one signal with every channel of
// the response, every channel of the signal with one response, or channel by channel.
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const AudioHeader& response, const AudioHeader& dry,
                                                          const AuralizeCommand& options) {
  const std::size_t a = response.channels, b = dry.channels;
  if (a != b && a != 1 && b != 1)
    throw Error(Status::scene, fmt::format("{} has {} channels and {} has {}", options.response, a, options.dry, b),
                "use one channel in one of them, or the same number in both");
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < std::max(a, b); ++i) pairs.emplace_back(a == 1 ? 0 : i, b == 1 ? 0 : i);
  return pairs;
}

// Bytes of the signal as it is and as it is resampled, of the response, and of the output.
double bytes_for(const AudioHeader& response, const AudioHeader& dry) {
  const double resampled = static_cast<double>(dry.frames) * response.sample_rate / dry.sample_rate;
  const double wet = resampled + static_cast<double>(response.frames);
  return 8.0 * (static_cast<double>(response.frames) * static_cast<double>(response.channels) +
                (static_cast<double>(dry.frames) + resampled) * static_cast<double>(dry.channels) +
                wet * static_cast<double>(std::max(response.channels, dry.channels)));
}

void auralize(const AuralizeCommand& options) {
  check_writable(options.output, options.force);
  const AudioHeader response_header = read_audio_header(options.response), dry_header = read_audio_header(options.dry);
  const auto pairs = pairs_of(response_header, dry_header, options);
  require_memory(options.dry, bytes_for(response_header, dry_header), "to convolve",
                 "cut the signal into parts, or use fewer channels");
  const Audio response = read_audio(options.response), dry = read_audio(options.dry);
  std::vector<std::vector<double>> signals;
  for (const auto& channel : dry.channels) signals.push_back(resample(channel, dry.sample_rate, response.sample_rate));
  const std::size_t length = response.channels[0].size() + signals[0].size();
  if (response.channels[0].empty() || signals[0].empty())
    throw Error(Status::file, fmt::format("{} holds no samples", signals[0].empty() ? options.dry : options.response));
  std::vector<std::vector<double>> wet;
  double peak = 0.0;
  for (const auto& [from_response, from_signal] : pairs) {
    wet.push_back(
        convolve(response.channels[from_response], signals[from_signal], static_cast<std::int64_t>(length - 1)));
    for (const double x : wet.back()) peak = std::max(peak, std::abs(x));
  }
  if (options.normalize && peak > 0.0)
    for (auto& channel : wet)
      for (double& x : channel) x /= peak;
  const std::vector<std::span<const double>> channels(wet.begin(), wet.end());
  const auto rate = static_cast<int>(std::lround(response.sample_rate));
  const std::int64_t clipped =
      write_audio(options.output, channels, rate,
                  options.format == "pcm24" ? SampleFormat::pcm24 : SampleFormat::float32, options.force);
  print_text("{}: {} channel{}, {:.4g} s at {} Hz, peak {:.4g}\n", options.output, channels.size(),
             channels.size() == 1 ? "" : "s", static_cast<double>(length - 1) / rate, rate,
             options.normalize && peak > 0.0 ? 1.0 : peak);
  if (dry.sample_rate != response.sample_rate)
    print_text("note: {} was resampled from {:.6g} Hz to the response's rate\n", options.dry, dry.sample_rate);
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

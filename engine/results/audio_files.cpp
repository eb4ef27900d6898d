#include "engine/results/audio_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "engine/files/wav_write.hpp"
#include "engine/results/wav_comment.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

// "ir_R1.wav", or "ir_S1_R1.wav" when there are several sources; without a receiver the multichannel file.
std::string file_name(const char* kind, const std::vector<ChannelGroup>& sources, std::size_t source,
                      const std::string& receiver) {
  std::string name = kind;
  if (sources.size() > 1) name += "_" + sources[source].name;
  if (!receiver.empty()) name += "_" + receiver;
  return name + ".wav";
}

// The file of all receivers, where there are several and a sound file can hold so many channels.
bool has_common_file(const std::vector<ChannelGroup>& receivers) {
  std::size_t channels = 0;
  for (const ChannelGroup& one : receivers) channels += static_cast<std::size_t>(one.channels);
  return receivers.size() > 1 && channels <= max_audio_channels;
}

std::span<const double> channel(const Rendered& rendered, std::size_t index) {
  const auto samples = static_cast<std::size_t>(rendered.samples);
  return {rendered.ir.data() + index * samples, samples};
}

}  // namespace

std::vector<std::filesystem::path> audio_files(const std::vector<std::string>& source_names,
                                               const std::vector<std::string>& receiver_names,
                                               const std::vector<bool>& has_signal,
                                               const std::filesystem::path& folder) {
  const std::vector<ChannelGroup> sources = groups_of(source_names), receivers = groups_of(receiver_names);
  std::vector<std::filesystem::path> files;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    for (const ChannelGroup& receiver : receivers) files.push_back(folder / file_name("ir", sources, s, receiver.name));
    if (has_common_file(receivers)) files.push_back(folder / file_name("responses", sources, s, ""));
    if (s < has_signal.size() && has_signal[s])
      for (const ChannelGroup& receiver : receivers)
        files.push_back(folder / file_name("recording", sources, s, receiver.name));
  }
  return files;
}

Written write_audio_files(const Responses& responses, const AudioOptions& options) {
  const Rendered& rendered = *responses.rendered;
  const SampleFormat format = options.format == "pcm24" ? SampleFormat::pcm24 : SampleFormat::float32;
  Written written;
  const double carried = options.sample_rate / 2.1;
  ResponseNote note{options.scale, options.bandwidth > 0.0 ? std::min(options.bandwidth, carried) : carried,
                    options.low_cut, std::nullopt};
  const auto write = [&](const std::string& name, const std::vector<std::span<const double>>& channels,
                         const std::string& comment) {
    std::vector<std::vector<double>> scaled;
    std::vector<std::span<const double>> out = channels;
    if (options.scale != 1.0) {
      for (auto& one : out) {
        scaled.emplace_back(one.begin(), one.end());
        for (double& value : scaled.back()) value *= options.scale;
      }
      for (std::size_t c = 0; c < out.size(); ++c) out[c] = scaled[c];
    }
    const std::filesystem::path file = options.folder / name;
    const std::int64_t clipped = write_audio(file, out, options.sample_rate, format, options.force, comment);
    written.files.push_back(file);
    if (clipped > 0)
      written.remarks.push_back(
          fmt::format("{}: {} sample{} clipped at full scale (use format \"float\" or `fdtd render --normalize`)", name,
                      clipped, clipped == 1 ? "" : "s"));
  };

  const std::vector<ChannelGroup> sources = groups_of(responses.sources), receivers = groups_of(responses.receivers);
  if (receivers.size() > 1 && !has_common_file(receivers))
    written.remarks.push_back(
        fmt::format("no sound file holds all receivers: {} is the largest number of its channels; result.h5 has them",
                    max_audio_channels));
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const std::size_t first = sources[s].first * responses.receivers.size();
    std::vector<std::span<const double>> all;
    std::vector<std::vector<std::span<const double>>> of_receiver;
    for (const ChannelGroup& receiver : receivers) {
      auto& channels = of_receiver.emplace_back();
      for (int c = 0; c < receiver.channels; ++c)
        channels.push_back(channel(rendered, first + receiver.first + static_cast<std::size_t>(c)));
      all.insert(all.end(), channels.begin(), channels.end());
      ResponseNote own = note;
      if (!options.earliest.empty()) own.earliest = options.earliest[first + receiver.first];
      write(file_name("ir", sources, s, receiver.name), channels, to_text(own));
    }
    if (has_common_file(receivers)) write(file_name("responses", sources, s, ""), all, to_text(note));
    if (s >= responses.signals.size() || responses.signals[s].empty()) continue;
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      std::vector<std::vector<double>> recording;
      for (const auto& one : of_receiver[r])
        recording.push_back(convolve({one.begin(), one.end()}, responses.signals[s], rendered.samples));
      write(file_name("recording", sources, s, receivers[r].name), {recording.begin(), recording.end()}, "");
    }
  }
  return written;
}

}  // namespace fdtd

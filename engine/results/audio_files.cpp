#include "engine/results/audio_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "engine/files/wav_write.hpp"
#include "engine/responses/convolution.hpp"
#include "engine/results/wav_comment.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

// One sound file: receivers [first, first + count) of a source.
struct AudioFile {
  std::string name;
  bool recording = false;  // of the source's signal; else the response
  std::size_t source = 0, first = 0, count = 1;
};

// "ir_R1.wav", or "ir_S1_R1.wav" where there are several sources.
std::string file_name(const char* kind, const std::vector<ChannelGroup>& sources, std::size_t source,
                      const std::string& which) {
  std::string name = kind;
  if (sources.size() > 1) name += "_" + sources[source].name;
  if (!which.empty()) name += "_" + which;
  return name + ".wav";
}

// The numbers of receivers of files that hold as many channels as a sound file can; a receiver's are not divided.
std::vector<std::size_t> shared_files(const std::vector<ChannelGroup>& receivers) {
  std::vector<std::size_t> counts;
  std::size_t channels = max_audio_channels;
  for (const ChannelGroup& one : receivers) {
    const auto more = static_cast<std::size_t>(one.channels);
    if (channels + more > max_audio_channels) {
      counts.push_back(0);
      channels = 0;
    }
    ++counts.back();
    channels += more;
  }
  return counts;
}

std::vector<AudioFile> list_files(const std::vector<ChannelGroup>& sources, const std::vector<ChannelGroup>& receivers,
                                  const std::vector<bool>& has_signal) {
  const bool own = sources.size() * receivers.size() <= max_single_responses;
  const std::vector<std::size_t> shared = shared_files(receivers);
  std::vector<AudioFile> files;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const auto add_own = [&](const char* kind, bool recording) {
      for (std::size_t r = 0; r < receivers.size() && own; ++r)
        files.push_back({file_name(kind, sources, s, receivers[r].name), recording, s, r, 1});
    };
    const auto add_shared = [&](const char* kind, bool recording) {
      std::size_t first = 0;
      for (std::size_t f = 0; f < shared.size(); first += shared[f++])
        files.push_back({file_name(kind, sources, s, shared.size() > 1 ? fmt::format("{}", f + 1) : ""), recording, s,
                         first, shared[f]});
    };
    add_own("ir", false);
    if (receivers.size() > 1) add_shared("responses", false);
    if (s >= has_signal.size() || !has_signal[s]) continue;
    add_own("recording", true);
    if (!own) add_shared("recordings", true);
  }
  return files;
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
  std::vector<std::filesystem::path> files;
  for (const AudioFile& file : list_files(groups_of(source_names), groups_of(receiver_names), has_signal))
    files.push_back(folder / file.name);
  return files;
}

RecordingSize recording_size(const std::vector<std::string>& source_names,
                             const std::vector<std::string>& receiver_names, const Signals& signals,
                             std::uint64_t samples, const std::string& format) {
  std::vector<bool> has_signal;
  for (const auto& signal : signals) has_signal.push_back(signal != nullptr);
  const std::vector<ChannelGroup> receivers = groups_of(receiver_names);
  RecordingSize size;
  for (const AudioFile& file : list_files(groups_of(source_names), receivers, has_signal)) {
    if (!file.recording) continue;
    double channels = 0.0;
    for (std::size_t r = file.first; r < file.first + file.count; ++r) channels += receivers[r].channels;
    size.disk += (format == "pcm24" ? 3.0 : 4.0) * channels *
                 (static_cast<double>(signals[file.source]->samples()) + static_cast<double>(samples));
    size.memory =
        std::max(size.memory, bytes_to_convolve(static_cast<std::size_t>(channels),
                                                static_cast<std::size_t>(std::max<std::uint64_t>(samples, 1))));
  }
  return size;
}

Written write_audio_files(const Responses& responses, const AudioOptions& options) {
  const Rendered& rendered = *responses.rendered;
  const SampleFormat format = options.format == "pcm24" ? SampleFormat::pcm24 : SampleFormat::float32;
  Written written;
  const double carried = options.sample_rate / 2.1;
  ResponseNote note{options.scale,    options.bandwidth > 0.0 ? std::min(options.bandwidth, carried) : carried,
                    options.low_cut,  {},
                    options.waves_to, options.geometry_from};
  std::vector<std::vector<double>> held;  // what scaled() gives
  const auto scaled = [&](const std::vector<std::span<const double>>& channels) {
    if (options.scale == 1.0) return channels;
    held.assign(channels.size(), {});
    for (std::size_t c = 0; c < channels.size(); ++c)
      for (const double value : channels[c]) held[c].push_back(value * options.scale);
    return std::vector<std::span<const double>>(held.begin(), held.end());
  };
  const auto finished = [&](const std::string& name, std::int64_t clipped) {
    written.files.push_back(options.folder / name);
    if (clipped > 0)
      written.remarks.push_back(
          fmt::format("{}: {} sample{} clipped at full scale (use format \"float\" or `fdtd render --normalize`)", name,
                      clipped, clipped == 1 ? "" : "s"));
  };
  const auto write = [&](const std::string& name, const std::vector<std::span<const double>>& channels,
                         const std::string& comment) {
    finished(name,
             write_audio(options.folder / name, scaled(channels), options.sample_rate, format, options.force, comment));
  };

  const std::vector<ChannelGroup> sources = groups_of(responses.sources), receivers = groups_of(responses.receivers);
  std::vector<bool> has_signal;
  for (const auto& signal : responses.signals) has_signal.push_back(signal != nullptr);
  if (sources.size() * receivers.size() > max_single_responses)
    written.remarks.push_back(fmt::format(
        "{} responses share sound files of up to {} channels, receivers in the order of the scene; up to {} "
        "responses have a file each",
        sources.size() * receivers.size(), max_audio_channels, max_single_responses));
  for (const AudioFile& file : list_files(sources, receivers, has_signal)) {
    const std::size_t base = sources[file.source].first * responses.receivers.size();
    std::vector<std::span<const double>> channels;
    for (std::size_t r = file.first; r < file.first + file.count; ++r)
      for (int c = 0; c < receivers[r].channels; ++c)
        channels.push_back(channel(rendered, base + receivers[r].first + static_cast<std::size_t>(c)));
    if (!file.recording) {
      ResponseNote own = note;
      if (!options.earliest.empty())
        for (std::size_t r = file.first; r < file.first + file.count; ++r)
          for (int c = 0; c < receivers[r].channels; ++c)
            own.earliest.push_back(options.earliest[base + receivers[r].first + static_cast<std::size_t>(c)]);
      write(file.name, channels, to_text(own));
      continue;
    }
    SampleStream& signal = *responses.signals[file.source];
    AudioWriter writer(options.folder / file.name, channels.size(), signal.samples() + channels.front().size() - 1,
                       options.sample_rate, format, options.force);
    convolve_all(signal, channels, [&](const auto& block) { writer.write(scaled(block)); });
    finished(file.name, writer.finish());
  }
  return written;
}

}  // namespace fdtd

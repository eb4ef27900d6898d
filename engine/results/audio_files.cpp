#include "engine/results/audio_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "engine/binaural/moving_ears.hpp"
#include "engine/files/wav_write.hpp"
#include "engine/responses/convolution.hpp"
#include "engine/responses/moving/moving_sound.hpp"
#include "engine/results/wav_comment.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/turning.hpp"
#include "scenes/sample_rate.hpp"

namespace fdtd {
namespace {

// One sound file of a source at some receivers, or along the path of one.
struct AudioFile {
  std::string name;
  bool recording = false;  // of the source's signal; else the response
  std::size_t source = 0;
  std::vector<std::size_t> receivers;
  const MovingReceiver* moving = nullptr;  // whose places the receivers are
  std::size_t rotation = 0;                // of a binaural receiver
};

std::size_t channels_in_files(const ChannelGroup& receiver) {
  return receiver.binaural ? 2 : static_cast<std::size_t>(receiver.channels);
}

// "ir_R1.wav", or "ir_S1_R1.wav" where there are several sources.
std::string file_name(const char* kind, const std::vector<ChannelGroup>& sources, std::size_t source,
                      const std::string& which) {
  std::string name = kind;
  if (sources.size() > 1) name += "_" + sources[source].name;
  if (!which.empty()) name += "_" + which;
  return name + ".wav";
}

// The receivers of files that hold as many channels as a sound file can; a receiver's are not divided.
std::vector<std::vector<std::size_t>> shared_files(const std::vector<ChannelGroup>& receivers,
                                                   const std::vector<std::size_t>& which) {
  std::vector<std::vector<std::size_t>> files;
  std::size_t channels = max_audio_channels;
  for (const std::size_t r : which) {
    const std::size_t more = channels_in_files(receivers[r]);
    if (channels + more > max_audio_channels) {
      files.emplace_back();
      channels = 0;
    }
    files.back().push_back(r);
    channels += more;
  }
  return files;
}

std::vector<std::size_t> numbers_from(std::size_t first, std::size_t count) {
  std::vector<std::size_t> list(count);
  std::iota(list.begin(), list.end(), first);
  return list;
}

// Receivers at rest.
std::vector<std::size_t> fixed_receivers(std::size_t count, const std::vector<MovingReceiver>& moving) {
  std::vector<std::size_t> list = numbers_from(0, count);
  std::erase_if(list, [&](std::size_t r) {
    return std::ranges::any_of(moving,
                               [&](const MovingReceiver& one) { return r >= one.first && r < one.first + one.count; });
  });
  return list;
}

std::vector<AudioFile> list_files(const std::vector<ChannelGroup>& sources, const std::vector<ChannelGroup>& receivers,
                                  const std::vector<bool>& has_signal, const std::vector<MovingReceiver>& moving,
                                  const Rotations& rotations) {
  const bool own = sources.size() * receivers.size() <= max_single_responses;
  const std::vector<std::size_t> all = numbers_from(0, receivers.size()),
                                 fixed = fixed_receivers(receivers.size(), moving);
  std::vector<AudioFile> files;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const auto add_own = [&](const char* kind, bool recording, const std::vector<std::size_t>& which) {
      if (!own) return;
      for (const std::size_t r : which) {
        files.push_back({file_name(kind, sources, s, receivers[r].name), recording, s, {r}});
        const auto turns = rotations.find(receivers[r].name);
        for (std::size_t turn = 1; turns != rotations.end() && turn < turns->second.size(); ++turn)
          files.push_back({file_name(kind, sources, s, turned_name(receivers[r].name, turns->second[turn])),
                           recording,
                           s,
                           {r},
                           nullptr,
                           turn});
      }
    };
    const auto add_shared = [&](const char* kind, bool recording, const std::vector<std::size_t>& which) {
      const auto shared = shared_files(receivers, which);
      for (std::size_t f = 0; f < shared.size(); ++f)
        files.push_back(
            {file_name(kind, sources, s, shared.size() > 1 ? fmt::format("{}", f + 1) : ""), recording, s, shared[f]});
    };
    add_own("ir", false, all);
    if (receivers.size() > 1) add_shared("responses", false, all);
    if (s >= has_signal.size() || !has_signal[s]) continue;
    add_own("recording", true, fixed);
    if (!own) add_shared("recordings", true, fixed);
    for (const MovingReceiver& one : moving)
      files.push_back(
          {file_name("recording", sources, s, one.name), true, s, numbers_from(one.first, one.count), &one});
  }
  return files;
}

std::span<const double> channel(const Rendered& rendered, std::size_t index) {
  const auto samples = static_cast<std::size_t>(rendered.samples);
  return {rendered.ir.data() + index * samples, samples};
}

// Adds the channels of a receiver from the source of a file, the first of whose channels is `base` of all; of a receiver
// that moves those that are played along its path.
void add_channels(std::vector<std::span<const double>>& channels, const Responses& responses,
                  const ChannelGroup& receiver, const AudioFile& file, std::size_t base) {
  if (file.moving != nullptr) {
    for (const std::size_t c : channels_along_path(responses.receivers, receiver))
      channels.push_back(channel(*responses.rendered, base + c));
    return;
  }
  if (!receiver.binaural) {
    for (std::size_t c = 0; c < channels_in_files(receiver); ++c)
      channels.push_back(channel(*responses.rendered, base + receiver.first + c));
    return;
  }
  const auto samples = static_cast<std::size_t>(responses.rendered->samples);
  for (const BinauralReceiver& one : *responses.binaural) {
    if (one.name != receiver.name) continue;
    for (std::size_t ear = 0; ear < 2; ++ear)
      channels.push_back(std::span(one.ears).subspan(
          ((file.source * one.rotations.size() + file.rotation) * 2 + ear) * samples, samples));
  }
}

// Adds the times before which no sound arrives, of the channels of a receiver in a file.
void add_earliest(std::vector<double>& to, const std::vector<double>& earliest, const ChannelGroup& receiver,
                  std::size_t first) {
  for (std::size_t c = first; c < first + channels_in_files(receiver); ++c)
    to.push_back(receiver.binaural ? std::max(0.0, earliest[c] - ears_ahead) : earliest[c]);
}

std::string sharing_remark(std::size_t responses) {
  return fmt::format(
      "{} responses share sound files of up to {} channels, receivers in the order of the scene; up to {} responses "
      "have "
      "a file each",
      responses, max_audio_channels, max_single_responses);
}

// Null: none.
const BinauralReceiver* head_of(const Responses& responses, const ChannelGroup& receiver) {
  if (!receiver.binaural || responses.binaural == nullptr) return nullptr;
  const auto found = std::ranges::find(*responses.binaural, receiver.name, &BinauralReceiver::name);
  return found == responses.binaural->end() ? nullptr : &*found;
}

// The signal of a file's source as its receivers record it, or as the one that moves does; `filters` are their responses.
void record(const Responses& responses, const std::vector<ChannelGroup>& receivers, const AudioFile& file,
            const std::vector<std::span<const double>>& filters, double rate, const Hear& hear) {
  SampleStream& signal = *responses.signals[file.source];
  if (file.moving == nullptr) return convolve_all(signal, filters, hear);
  PlaceResponses along;
  for (const std::size_t r : file.receivers) along.places.push_back(responses.positions.at(receivers[r].first));
  along.filters = filters;
  along.channels = filters.size() / along.places.size();
  along.turning = turning_of(receivers[file.receivers.front()], along.channels);
  along.wave_number = file.moving->wave_number;
  const BinauralReceiver* const head = head_of(responses, receivers[file.receivers.front()]);
  if (head == nullptr) return play_along(signal, along, file.moving->path, Moves::receiver, rate, hear);
  MovingEars ears(*head, file.source, rate);
  play_along(signal, along, file.moving->path, Moves::receiver, rate,
             [&](const auto& block) { ears.next(block, hear); });
  ears.finish(hear);
}

}  // namespace

Rotations rotations_of(const std::vector<BinauralReceiver>& binaural) {
  Rotations rotations;
  for (const BinauralReceiver& one : binaural) rotations[one.name] = one.rotations;
  return rotations;
}

std::vector<std::filesystem::path> audio_files(const std::vector<ChannelId>& source_channels,
                                               const std::vector<ChannelId>& receiver_channels,
                                               const std::vector<bool>& has_signal, const std::filesystem::path& folder,
                                               const std::vector<MovingReceiver>& moving, const Rotations& rotations) {
  std::vector<std::filesystem::path> files;
  for (const AudioFile& file :
       list_files(groups_of(source_channels), groups_of(receiver_channels), has_signal, moving, rotations))
    files.push_back(folder / file.name);
  return files;
}

RecordingSize recording_size(const std::vector<ChannelId>& source_channels,
                             const std::vector<ChannelId>& receiver_channels, const Signals& signals,
                             std::uint64_t samples, const std::string& format,
                             const std::vector<MovingReceiver>& moving, const Rotations& rotations) {
  std::vector<bool> has_signal;
  for (const auto& signal : signals) has_signal.push_back(signal != nullptr);
  const std::vector<ChannelGroup> receivers = groups_of(receiver_channels);
  const auto taps = static_cast<std::size_t>(std::max<std::uint64_t>(samples, 1));
  RecordingSize size;
  for (const AudioFile& file : list_files(groups_of(source_channels), receivers, has_signal, moving, rotations)) {
    if (!file.recording) continue;
    std::size_t channels = 0;
    for (const std::size_t r : file.receivers) channels += channels_in_files(receivers[r]);
    if (file.moving != nullptr) channels = channels_in_files(receivers[file.receivers.front()]);
    size.disk += (format == "pcm24" ? 3.0 : 4.0) * static_cast<double>(channels) *
                 (static_cast<double>(signals[file.source]->samples()) + static_cast<double>(samples));
    if (file.moving != nullptr)
      channels = channels_along_path(receiver_channels, receivers[file.receivers.front()]).size();
    size.memory = std::max(
        size.memory, file.moving != nullptr ? bytes_to_play_along(channels, taps) : bytes_to_convolve(channels, taps));
  }
  return size;
}

Written write_audio_files(const Responses& responses, const AudioOptions& options) {
  const SampleFormat format = options.format == "pcm24" ? SampleFormat::pcm24 : SampleFormat::float32;
  Written written;
  const double carried = highest_held(options.sample_rate);
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
    written.remarks.push_back(sharing_remark(sources.size() * receivers.size()));
  const Rotations rotations = responses.binaural != nullptr ? rotations_of(*responses.binaural) : Rotations{};
  for (const AudioFile& file : list_files(sources, receivers, has_signal, responses.moving, rotations)) {
    const std::size_t base = sources[file.source].first * responses.receivers.size();
    std::vector<std::span<const double>> channels;
    for (const std::size_t r : file.receivers) add_channels(channels, responses, receivers[r], file, base);
    if (!file.recording) {
      ResponseNote own = note;
      if (!options.earliest.empty())
        for (const std::size_t r : file.receivers)
          add_earliest(own.earliest, options.earliest, receivers[r], base + receivers[r].first);
      if (file.receivers.size() == 1)
        own.channels = microphone_names(responses.receivers, receivers[file.receivers.front()]);
      write(file.name, channels, to_text(own));
      continue;
    }
    const ChannelGroup& first = receivers[file.receivers.front()];
    AudioWriter writer(options.folder / file.name, file.moving != nullptr ? channels_in_files(first) : channels.size(),
                       responses.signals[file.source]->samples() + channels.front().size() - 1, options.sample_rate,
                       format, options.force);
    record(responses, receivers, file, channels, options.sample_rate,
           [&](const auto& block) { writer.write(scaled(block)); });
    finished(file.name, writer.finish());
  }
  return written;
}

}  // namespace fdtd

// The audio files of a run and of `fdtd render`: their names and how they are written.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/binaural/binaural_receiver.hpp"
#include "engine/plan/channel_id.hpp"
#include "engine/plan/single_responses.hpp"
#include "engine/responses/render.hpp"
#include "engine/responses/sample_stream.hpp"
#include "scenes/path.hpp"

namespace fdtd {

// One per source of the scene: its signal at the output rate, null for an impulse.
using Signals = std::vector<std::shared_ptr<SampleStream>>;

// Degrees of yaw by binaural receiver.
using Rotations = std::map<std::string, std::vector<double>>;
Rotations rotations_of(const std::vector<BinauralReceiver>& binaural);

// Sources by receivers by samples, with their channels (plan/channel_id.hpp). Those of an ambisonic
// receiver share a file, and so do both ears of a binaural one.
struct Responses {
  std::vector<ChannelId> sources, receivers;
  const Rendered* rendered = nullptr;
  // A source with a signal also gets files of the whole convolution of response and signal: both lengths, less a sample.
  Signals signals;
  // Their places are among the receivers. Of a signal they get a recording along their path, and the places none.
  std::vector<MovingReceiver> moving = {};
  std::vector<std::array<double, 3>> positions = {};        // m, of `receivers`, where there are moving ones
  const std::vector<BinauralReceiver>* binaural = nullptr;  // null: none
};

struct AudioOptions {
  std::filesystem::path folder;
  std::string format = "float";  // or "pcm24"
  int sample_rate = 48000;
  double scale = 1.0;
  double bandwidth = 0.0;                      // Hz, of the responses: Result::valid_to
  double waves_to = 0.0, geometry_from = 0.0;  // Hz: ResponseNote
  double low_cut = 0.0;                        // Hz: RenderOptions::low_cut
  std::vector<double> earliest;  // s, before which no sound arrives: one per channel [s * receivers + r], or none
  bool force = false;
};

// Every file that write_audio_files writes, in its order: ir_<receiver>.wav (ir_<source>_<receiver>.wav where there are
// several sources), a multichannel responses.wav (responses_<source>.wav; responses_1.wav, responses_2.wav ... where
// one cannot hold all channels), and recording_... for sources with a signal. Of a binaural receiver ir_<receiver>.wav and
// responses.wav hold its first rotation, ir_<receiver>_yaw<degrees>.wav the others. More than max_single_responses responses
// have no file each, and those with a signal share recordings.wav.
std::vector<std::filesystem::path> audio_files(const std::vector<ChannelId>& sources,
                                               const std::vector<ChannelId>& receivers,
                                               const std::vector<bool>& has_signal, const std::filesystem::path& folder,
                                               const std::vector<MovingReceiver>& moving = {},
                                               const Rotations& rotations = {});

// The bytes of the recordings of these signals, with responses of `samples` samples.
struct RecordingSize {
  double memory = 0.0, disk = 0.0;  // bytes
};
RecordingSize recording_size(const std::vector<ChannelId>& sources, const std::vector<ChannelId>& receivers,
                             const Signals& signals, std::uint64_t samples, const std::string& format,
                             const std::vector<MovingReceiver>& moving = {}, const Rotations& rotations = {});

struct Written {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> remarks;  // clipping, counted by file
};
// Throws Error(file).
Written write_audio_files(const Responses& responses, const AudioOptions& options);

}  // namespace fdtd

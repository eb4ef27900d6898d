#include "engine/files/flac_write.hpp"

#include <FLAC/stream_encoder.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.hpp"

namespace fdtd {
namespace {

// The bytes that the encoder has written, and where it writes next: it goes back to fill in lengths and sums.
struct Sink {
  std::string bytes;
  std::size_t at = 0;
};

FLAC__StreamEncoderWriteStatus put_bytes(const FLAC__StreamEncoder*, const FLAC__byte buffer[], size_t count, uint32_t,
                                         uint32_t, void* data) {
  auto& sink = *static_cast<Sink*>(data);
  sink.bytes.resize(std::max(sink.bytes.size(), sink.at + count));
  std::copy_n(buffer, count, sink.bytes.begin() + static_cast<std::ptrdiff_t>(sink.at));
  sink.at += count;
  return FLAC__STREAM_ENCODER_WRITE_STATUS_OK;
}

FLAC__StreamEncoderSeekStatus go_to(const FLAC__StreamEncoder*, FLAC__uint64 offset, void* data) {
  static_cast<Sink*>(data)->at = static_cast<std::size_t>(offset);
  return FLAC__STREAM_ENCODER_SEEK_STATUS_OK;
}

FLAC__StreamEncoderTellStatus tell_place(const FLAC__StreamEncoder*, FLAC__uint64* offset, void* data) {
  *offset = static_cast<Sink*>(data)->at;
  return FLAC__STREAM_ENCODER_TELL_STATUS_OK;
}

std::vector<FLAC__int32> interleaved(const std::vector<std::span<const double>>& channels) {
  std::vector<FLAC__int32> samples;
  samples.reserve(channels.size() * channels[0].size());
  for (std::size_t i = 0; i < channels[0].size(); ++i)
    for (const auto& channel : channels)
      samples.push_back(static_cast<FLAC__int32>(std::lround(32767.0 * std::clamp(channel[i], -1.0, 1.0))));
  return samples;
}

}  // namespace

std::string encode_flac(const std::vector<std::span<const double>>& channels, unsigned sample_rate) {
  if (channels.empty() || channels.size() > FLAC__MAX_CHANNELS)
    throw Error(Status::scene, fmt::format("FLAC has 1 to 8 channels, not {}", channels.size()));
  for (const auto& channel : channels)
    if (channel.size() != channels[0].size())
      throw Error(Status::scene, "the channels of a FLAC stream have one length");
  const std::unique_ptr<FLAC__StreamEncoder, void (*)(FLAC__StreamEncoder*)> encoder(FLAC__stream_encoder_new(),
                                                                                     FLAC__stream_encoder_delete);
  Sink sink;
  FLAC__StreamEncoder* const one = encoder.get();
  const bool taken =
      one != nullptr && FLAC__stream_encoder_set_channels(one, static_cast<unsigned>(channels.size())) &&
      FLAC__stream_encoder_set_bits_per_sample(one, 16) && FLAC__stream_encoder_set_sample_rate(one, sample_rate) &&
      FLAC__stream_encoder_set_compression_level(one, 8) && FLAC__stream_encoder_set_streamable_subset(one, false) &&
      FLAC__stream_encoder_set_total_samples_estimate(one, channels[0].size()) &&
      FLAC__stream_encoder_init_stream(one, put_bytes, go_to, tell_place, nullptr, &sink) ==
          FLAC__STREAM_ENCODER_INIT_STATUS_OK;
  if (!taken) throw Error(Status::scene, fmt::format("FLAC has no rate of {} Hz", sample_rate));
  const std::vector<FLAC__int32> samples = interleaved(channels);
  const bool done =
      FLAC__stream_encoder_process_interleaved(one, samples.data(), static_cast<unsigned>(channels[0].size())) != 0;
  if (FLAC__stream_encoder_finish(one) == 0 || !done) throw Error(Status::resource, "libFLAC could not encode a sound");
  return std::move(sink.bytes);
}

}  // namespace fdtd

#include "engine/reports/result_page/players.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <functional>
#include <span>

#include "base/error.hpp"
#include "engine/files/data_uri.hpp"
#include "engine/files/flac_write.hpp"
#include "engine/files/wav_write.hpp"
#include "engine/reports/page.hpp"
#include "engine/reports/result_page/dry_sample.hpp"
#include "engine/responses/convolution.hpp"
#include "engine/responses/resampler.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

constexpr double lowest_rate = 3000.0, highest_rate = 192000.0;  // Hz, that browsers play
constexpr double longest_dry = 20.0;                             // s
constexpr double headroom = 0.9;                                 // the largest sample of the loudest player

using Sounds = std::vector<std::vector<double>>;
using Spans = std::vector<std::span<const double>>;

struct DrySignal {
  std::vector<double> samples;  // at the rate of the responses
  std::string name;
};

DrySignal dry_signal(const std::string& file, double rate) {
  if (file.empty()) return {dry_sample(rate), "a synthesised sound: claps, wood blocks, a drum, strings"};
  const AudioHeader header = read_audio_header(file);
  const auto most = static_cast<std::uint64_t>(longest_dry * header.sample_rate);
  const Audio audio = read_audio(file, {most, 0});
  if (audio.channels.empty() || audio.channels[0].empty()) throw Error(Status::file, file + ": it holds no sound");
  DrySignal dry{{}, std::filesystem::path(file).filename().string()};
  if (header.frames > most) dry.name += fmt::format(", its first {:g} s", longest_dry);
  if (header.channels > 1) dry.name += ", its first channel";
  if (audio.sample_rate == rate) {
    dry.samples = audio.channels[0];
    return dry;
  }
  Resampler resampler(audio.sample_rate, rate);
  resampler.put(audio.channels[0], dry.samples);
  resampler.end(dry.samples);
  return dry;
}

// The channels of a response that are played: one, or both ears.
Spans heard_channels(const Result& result, const ShownChannel& shown) {
  const auto samples = static_cast<std::size_t>(result.rendered.samples);
  const auto binaural = std::ranges::find(result.binaural, shown.receiver, &BinauralReceiver::name);
  if (binaural != result.binaural.end()) {
    const std::vector<ChannelGroup> sources = groups_of(result.recording.sources);
    const auto source = std::ranges::find(sources, shown.source, &ChannelGroup::name) - sources.begin();
    const std::size_t first = static_cast<std::size_t>(source) * binaural->rotations.size() * 2 * samples;
    if (first + 2 * samples <= binaural->ears.size()) {
      const std::span ears(binaural->ears);
      return {ears.subspan(first, samples), ears.subspan(first + samples, samples)};
    }
  }
  return {std::span(result.rendered.ir).subspan(shown.channel * samples, samples)};
}

std::vector<double> convolved(std::span<const double> filter, std::span<const double> signal) {
  const ConvolutionBlocks blocks(filter.size());
  Convolution convolution(blocks, filter);
  std::vector<double> out;
  out.reserve(signal.size() + filter.size());
  for (std::size_t done = 0; done < signal.size(); done += blocks.block()) {
    const auto part = signal.subspan(done, std::min(blocks.block(), signal.size() - done));
    const std::vector<double> wet = convolution(blocks.spectrum(part), part.size());
    out.insert(out.end(), wet.begin(), wet.end());
  }
  const std::vector<double>& tail = convolution.tail();
  out.insert(out.end(), tail.begin(), tail.end());
  return out;
}

Sounds copies(const Spans& channels) {
  Sounds sounds;
  for (const auto& channel : channels) sounds.emplace_back(channel.begin(), channel.end());
  return sounds;
}

double largest(const Spans& channels) {
  double peak = 0.0;
  for (const auto& channel : channels)
    for (const double x : channel) peak = std::max(peak, std::abs(x));
  return peak;
}

// Sound of the page within its size; players beyond it are named.
class Shelf {
 public:
  Shelf(std::size_t most, unsigned rate) : left_(most), rate_(rate) {}

  std::string player(Sounds sounds, double gain, const std::string& name) {
    for (auto& sound : sounds)
      for (double& x : sound) x *= gain;
    const std::string flac = encode_flac({sounds.begin(), sounds.end()}, rate_);
    sounds.clear();
    if (flac.size() * 4 / 3 > left_) return without(name);
    left_ -= flac.size() * 4 / 3;
    return fmt::format(
        "<figure><figcaption>{0}</figcaption><audio controls preload=\"metadata\" aria-label=\"{0}\" src=\"{1}\">"
        "</audio></figure>\n",
        escape_html(name), data_uri("audio/flac", flac));
  }
  // Without a player; its name is among those left out.
  std::string without(const std::string& name) {
    left_out_.push_back(name);
    return "";
  }
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  std::size_t left_;
  unsigned rate_;
  std::vector<std::string> left_out_;
};

std::string about_html(const Result& result, const DrySignal& dry, const Shelf& shelf) {
  std::string html = fmt::format(
      "<p class=\"quiet\">Dry sound: {}. One gain for all players of a kind, so that their levels compare. Responses "
      "hold "
      "sound up to {:g} Hz; 16 bits, FLAC.</p>\n",
      escape_html(dry.name), result.valid_to());
  if (!shelf.left_out().empty())
    html += fmt::format(
        "<p>Left out for the size of the page: {}. `fdtd report --audio MB` gives sound more room, "
        "`fdtd auralize` plays any.</p>\n",
        escape_html(fmt::format("{}", fmt::join(shelf.left_out(), "; "))));
  return html;
}

}  // namespace

std::string players_html(const Result& result, const std::vector<ShownChannel>& channels, const PlayerChoice& choice) {
  const double rate = result.rendered.sample_rate;
  if (choice.most == 0 || channels.empty() || result.rendered.samples <= 0) return "";
  if (rate < lowest_rate || rate > highest_rate)
    return fmt::format(
        "<section class=\"listen\">\n<h2>Listen</h2>\n<p>Browsers do not play {:g} Hz; `fdtd auralize` "
        "writes files.</p>\n</section>\n",
        rate);
  const DrySignal dry = dry_signal(choice.dry, rate);
  // One sound at a time is in memory: those that have players are convolved twice.
  const auto wet = [&](const ShownChannel& one) {
    Sounds sounds;
    for (const auto& channel : heard_channels(result, one)) sounds.push_back(convolved(channel, dry.samples));
    return sounds;
  };
  double loudest = 0.0, loudest_response = 0.0;
  for (const ShownChannel& one : channels) {
    loudest_response = std::max(loudest_response, largest(heard_channels(result, one)));
    const Sounds sounds = wet(one);
    loudest = std::max(loudest, largest({sounds.begin(), sounds.end()}));
  }
  if (!(loudest > 0.0)) return "";
  Shelf shelf(choice.most, static_cast<unsigned>(std::lround(rate)));
  std::string html = shelf.player({dry.samples}, headroom / std::max(largest({dry.samples}), 1e-300), "Dry sound");
  bool fits = true;  // the next sound, as long as the last one
  for (const ShownChannel& one : channels) {
    const std::string name = fmt::format("Dry sound, {} at {}", one.source, one.receiver);
    const std::string player = fits ? shelf.player(wet(one), headroom / loudest, name) : shelf.without(name);
    fits = fits && !player.empty();
    html += player;
  }
  for (const ShownChannel& one : channels)
    html += shelf.player(copies(heard_channels(result, one)), headroom / loudest_response,
                         fmt::format("Response, {} at {}", one.source, one.receiver));
  // Paper has no sound: the section is not printed.
  return "<section class=\"listen\">\n<h2>Listen</h2>\n<div class=\"players\">\n" + html + "</div>\n" +
         about_html(result, dry, shelf) + "</section>\n";
}

}  // namespace fdtd

#include "engine/session/exchanged_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/shell_word.hpp"
#include "engine/files/audio_reader.hpp"
#include "engine/responses/metrics.hpp"
#include "engine/responses/response_kind.hpp"
#include "engine/results/wav_comment.hpp"

namespace fdtd {
namespace {

constexpr double judged_seconds = 20.0;

// The beginning of the first channel of a file.
struct Beginning {
  std::vector<double> samples;
  double rate = 0.0;    // Hz
  bool stated = false;  // to be a response, by the file's comment
};

Beginning beginning_of(const std::string& file) {
  const std::unique_ptr<AudioReader> reader = open_audio(file, 0);
  Beginning found;
  found.rate = reader->header().sample_rate;
  found.stated = read_response_note(reader->comment()).has_value();
  if (!found.stated)
    found.samples = std::move(read_all(*reader, static_cast<std::uint64_t>(judged_seconds * found.rate)).channels[0]);
  return found;
}

// Energies cannot be computed of larger samples.
bool can_be_judged(const std::vector<double>& samples) {
  return !samples.empty() && std::ranges::all_of(samples, [](double x) { return std::abs(x) < 1e100; });
}

std::string doubt_about(const Beginning& file) {
  if (file.stated || !can_be_judged(file.samples)) return {};
  return response_doubt(file.samples, file.rate, measure(file.samples, file.rate).valid_bandwidth).why;
}

// Whether the level falls from the onset on as that of a response: the blocks of 50 ms behind the loudest, which is among
// the first tenth of the signal or its first 0.2 s, never rise by more than 3 dB above the lowest before them, down to
// 30 dB below the loudest.
bool decays(const Beginning& file) {
  if (!can_be_judged(file.samples)) return false;
  const auto hop = static_cast<std::size_t>(std::max(1.0, 0.05 * file.rate));
  std::vector<double> blocks(file.samples.size() / hop + 1, 0.0);
  for (std::size_t i = 0; i < file.samples.size(); ++i) blocks[i / hop] += file.samples[i] * file.samples[i];
  const auto loudest = std::ranges::max_element(blocks);
  const auto first = static_cast<std::size_t>(loudest - blocks.begin());
  if (!(*loudest > 0.0) || first > std::max<std::size_t>(4, blocks.size() / 10)) return false;
  const double end = 1e-3 * *loudest, rise = 2.0;
  double lowest = *loudest;
  for (std::size_t b = first; b < blocks.size(); ++b) {
    if (blocks[b] > rise * std::max(lowest, end)) return false;
    lowest = std::min(lowest, blocks[b]);
  }
  return lowest < end;
}

std::string exchanged(const std::string& response, const std::string& dry) {
  return fmt::format("are the two exchanged? The response comes first: `fdtd auralize {} {}`", shell_word(dry),
                     shell_word(response));
}

std::string stated_text(const std::string& file) {
  return fmt::format("{} is an impulse response, as its comment says", file);
}

}  // namespace

std::string remark_on_files(const std::string& response, const std::string& dry) {
  const Beginning first = beginning_of(response);
  if (first.stated) return remark_on_dry(dry);
  const Beginning second = beginning_of(dry);
  if (second.stated) return fmt::format("{}: {}", stated_text(dry), exchanged(response, dry));
  const std::string doubt = doubt_about(first);
  if (doubt.empty()) return {};
  const std::string may = fmt::format("{} may not be an impulse response: {}", response, doubt);
  if (decays(second) && doubt_about(second).empty())
    return fmt::format("{}; {} decays as one does: {}", may, dry, exchanged(response, dry));
  return may + "; of a recorded sweep, deconvolve it first";
}

std::string remark_on_dry(const std::string& dry) {
  if (!read_response_note(open_audio(dry)->comment())) return {};
  return fmt::format("{}, and stands where the dry signal is expected", stated_text(dry));
}

}  // namespace fdtd

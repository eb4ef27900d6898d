#include "engine/responses/response_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "base/math/fourier.hpp"
#include "engine/responses/octave_filter.hpp"

namespace fdtd {
namespace {

constexpr double block_seconds = 0.02;
constexpr std::uint64_t max_blocks = std::uint64_t{1} << 15, min_blocks = 24;
constexpr std::size_t windows = 20;
// Nothing is said of silence, of which no band is valid, nor of less than a low octave.
constexpr double min_bandwidth = 90.0;                                         // Hz
constexpr double lowest_octave = 125.0, narrow = 1000.0, lowest_even = 250.0;  // Hz, nominal

// Energies of octaves in half overlapping blocks, whose windows' squares sum to 1.
class BlockEnergies {
 public:
  BlockEnergies(double rate, std::uint64_t samples, double bandwidth) : rate_(rate) {
    // Where low octaves are all that there is, blocks are long enough to tell them apart.
    const bool low = bandwidth < narrow;
    const double seconds = low ? std::max(block_seconds, 20.0 / bandwidth) : block_seconds;
    const double least = std::max(seconds * rate, 2.0 * static_cast<double>(samples / max_blocks));
    length_ = 16;
    while (static_cast<double>(length_) < least) length_ *= 2;
    for (std::size_t n = 0; n < length_; ++n)
      window_.push_back(std::sin(std::numbers::pi * (static_cast<double>(n) + 0.5) / static_cast<double>(length_)));
    waiting_.assign(length_ / 2, 0.0);  // the first samples count in full
    const double highest = 1.01 * std::min(bandwidth, 0.5 * rate);
    for (const double nominal : nominal_octaves())
      if ((low || nominal >= lowest_octave) && exact_midband(nominal) * std::numbers::sqrt2 <= highest)
        octaves_.push_back({nominal, {}});
  }
  struct Octave {
    double nominal = 0.0;          // Hz
    std::vector<double> energies;  // by block
  };
  void add(std::span<const double> samples) {
    waiting_.insert(waiting_.end(), samples.begin(), samples.end());
    for (; waiting_.size() >= length_; take()) continue;
  }
  std::vector<Octave> end() {
    waiting_.resize(length_, 0.0);
    take();
    return std::move(octaves_);
  }
  double hop() const { return 0.5 * static_cast<double>(length_) / rate_; }  // s

 private:
  void take() {
    std::vector<double> part(length_);
    for (std::size_t n = 0; n < length_; ++n) part[n] = window_[n] * waiting_[n];
    const auto spectrum = real_fft(part, static_cast<std::int64_t>(length_));
    const double bin = rate_ / static_cast<double>(length_);
    for (Octave& octave : octaves_) {
      const double centre = exact_midband(octave.nominal);
      double sum = 0.0;
      for (auto k = static_cast<std::size_t>(std::ceil(centre / std::numbers::sqrt2 / bin));
           static_cast<double>(k) * bin < centre * std::numbers::sqrt2 && k < spectrum.size(); ++k)
        sum += std::norm(spectrum[k]);
      octave.energies.push_back(sum);
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(length_ / 2));
  }

  double rate_ = 0.0;
  std::size_t length_ = 0;
  std::vector<double> window_, waiting_;
  std::vector<Octave> octaves_;
};

double sum_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// The least mean of a quarter of a second, or of a twentieth of the blocks.
double min_mean(std::span<const double> energies, double hop) {
  constexpr double longest = 0.25;  // s: the pauses of speech
  const auto width =
      std::max<std::size_t>(std::min(energies.size() / windows, static_cast<std::size_t>(longest / hop)), 4);
  double least = -1.0;
  for (std::size_t i = 0; i + width <= energies.size(); i += width) {
    const double mean = sum_of(energies.subspan(i, width)) / static_cast<double>(width);
    if (least < 0.0 || mean < least) least = mean;
  }
  return std::max(least, 0.0);
}

// The first block by whose end `fraction` of the sum has arrived.
std::size_t arrived(std::span<const double> fractions, double fraction) {
  const double wanted = fraction * sum_of(fractions);
  double sum = 0.0;
  for (std::size_t b = 0; b < fractions.size(); ++b)
    if ((sum += fractions[b]) >= wanted) return b;
  return fractions.size() - 1;
}

// The energy above the noise, by block, in fractions of the whole; empty where there is hardly any.
struct Outstanding {
  std::vector<double> fractions;
  bool ends = false;  // well above the noise while it lasts: no decay that is cut off
};
Outstanding outstanding(const BlockEnergies::Octave& octave, double hop) {
  constexpr double deviations = 6.0, least = 10.0, clear = 4.0;
  const double noise = min_mean(octave.energies, hop);
  // A block's energy has so many degrees of freedom.
  const double freedom = std::max(2.0, 4.0 * hop * exact_midband(octave.nominal) / std::numbers::sqrt2);
  const double threshold = noise * (1.0 + deviations * std::sqrt(2.0 / freedom));
  std::vector<double> fractions(octave.energies.size(), 0.0);
  double sum = 0.0, largest = 0.0;
  for (std::size_t b = 0; b < fractions.size(); ++b) {
    largest = std::max(largest, octave.energies[b]);
    if (octave.energies[b] > threshold) fractions[b] = octave.energies[b] - noise;
    sum += fractions[b];
  }
  if (!(sum > 0.0) || largest < least * noise) return {};
  for (double& fraction : fractions) fraction /= sum;
  const auto extent = static_cast<double>(arrived(fractions, 0.99) - arrived(fractions, 0.02) + 1);
  return {std::move(fractions), sum > clear * noise * extent};
}

struct OctaveTimes {
  double nominal = 0.0;
  std::size_t first = 0, middle = 0, most = 0;  // blocks by which 10, 50 and 80 % have arrived
  std::size_t begins = 0;                       // the first block within 10 dB of the largest
};

// A run of adjacent octaves that come one after the other, upwards or downwards; `after`: whether an octave comes after
// another.
template <class After>
std::string in_turn(const std::vector<OctaveTimes>& octaves, double hop, std::size_t least, const After& after) {
  constexpr double min_seconds = 0.12;
  for (const bool upwards : {true, false})
    for (std::size_t begin = 0, end = 0; begin < octaves.size(); begin = end) {
      for (end = begin + 1; end < octaves.size(); ++end) {
        const OctaveTimes &low = octaves[end - 1], &high = octaves[end];
        if (high.nominal > 2.5 * low.nominal || !(upwards ? after(high, low) : after(low, high))) break;
      }
      const OctaveTimes &first = octaves[upwards ? begin : end - 1], &last = octaves[upwards ? end - 1 : begin];
      const auto seconds = [&](const OctaveTimes& one) { return hop * static_cast<double>(one.begins); };
      if (end - begin >= least && seconds(last) - seconds(first) > min_seconds)
        return fmt::format(
            "its octaves sound one after the other, {:g} Hz at {:.2f} s, {:g} Hz at {:.2f} s, as in a sweep",
            first.nominal, seconds(first), last.nominal, seconds(last));
    }
  return "";
}

std::string one_after_another(const std::vector<OctaveTimes>& octaves, double hop) {
  std::string why = in_turn(octaves, hop, 3, [](const OctaveTimes& later, const OctaveTimes& sooner) {
    return later.first >= sooner.most + 2;
  });
  if (why.empty())
    why = in_turn(octaves, hop, 4, [](const OctaveTimes& later, const OctaveTimes& sooner) {
      return later.begins > sooner.begins && later.middle > sooner.middle;
    });
  return why;
}

// `fractions`: of several octaves together. Certain beyond `surely`.
ResponseDoubt evenly(std::vector<double> fractions, double hop) {
  constexpr double begun = 0.02, nearly_all = 0.99, most = 0.4, surely = 0.45, min_seconds = 0.5;
  // A decay that is cut off is convex above its end.
  const double before = sum_of(fractions);
  const std::size_t last = std::max<std::size_t>(fractions.size() / windows, 4);
  const double level = sum_of(std::span(fractions).last(last)) / static_cast<double>(last);
  for (double& fraction : fractions) fraction = std::max(0.0, fraction - level);
  if (sum_of(fractions) < 0.5 * before) return {};
  const std::size_t begin = arrived(fractions, begun), end = arrived(fractions, nearly_all);
  const double extent = static_cast<double>(end - begin) + 1.0;
  if (extent * hop < min_seconds) return {};
  double moment = 0.0;
  std::vector<double> sorted(fractions.begin() + static_cast<std::ptrdiff_t>(begin),
                             fractions.begin() + static_cast<std::ptrdiff_t>(end) + 1);
  for (std::size_t b = 0; b < sorted.size(); ++b) moment += sorted[b] * (static_cast<double>(b) + 0.5);
  const double all = sum_of(sorted);
  if (moment / all < most * extent) return {};
  // Single impulses: nine tenths of the energy in an eighth of the time.
  std::ranges::sort(sorted, std::greater<>());
  double sum = 0.0;
  std::size_t held = 0;
  while (held < sorted.size() && sum < 0.9 * all) sum += sorted[held++];
  if (static_cast<double>(held) < extent / 8.0) return {};
  return {fmt::format("its energy arrives evenly over {:.2g} s, where that of a response decays", extent * hop),
          moment / all > surely * extent};
}

// A beginning: from the quietest moment before it on.
struct Beginning {
  double from = 0.0, at = 0.0, level = 0.0;  // s, s of the largest level, dB
};

// Levels of `fractions` over `smooth` seconds, where they fall and rise by `swing` dB; those more than `below` dB under
// the largest are taken as that.
std::vector<Beginning> beginnings(std::span<const double> fractions, double hop, double smooth, double swing,
                                  double below) {
  std::vector<double> levels;
  const auto width = static_cast<std::size_t>(std::max(1.0, std::round(smooth / hop)));
  for (std::size_t b = 0; b + width <= fractions.size(); ++b)
    levels.push_back(10.0 *
                     std::log10(std::max(sum_of(fractions.subspan(b, width)) / static_cast<double>(width), 1e-30)));
  std::vector<Beginning> all;
  if (levels.empty()) return all;
  const double least = *std::ranges::max_element(levels) - below;
  for (double& level : levels) level = std::max(level, least);
  std::size_t from = 0, high = 0, low = 0;
  bool rising = true;
  const auto end = [&] {
    all.push_back({hop * static_cast<double>(from), hop * static_cast<double>(high), levels[high]});
  };
  for (std::size_t b = 0; b < levels.size(); ++b) {
    if (rising) {
      if (levels[b] > levels[high]) high = b;
      if (levels[b] > levels[high] - swing) continue;
      end();
      rising = false;
      low = b;
    } else {
      if (levels[b] < levels[low]) low = b;
      if (levels[b] < levels[low] + swing) continue;
      rising = true;
      from = low;
      high = b;
    }
  }
  if (rising) end();
  return all;
}

// Sound that arrives anew, at levels that are not below those before.
struct Renewed {
  double fraction = 0.0;  // of the energy
  int count = 0;          // of more than a hundredth of it
};
Renewed renewed(std::span<const double> fractions, double hop) {
  constexpr double smooth = 0.06, swing = 6.0, below = 30.0, ahead = 12.0, early = 0.12, equal = 0.5;
  const std::vector<Beginning> all = beginnings(fractions, hop, smooth, swing, below);
  double largest = -1e300;
  for (const Beginning& one : all) largest = std::max(largest, one.level);
  std::size_t first = 0;  // what is fainter comes before the sound
  while (first < all.size() && all[first].level < largest - ahead) ++first;
  Renewed found;
  const double energy = sum_of(fractions);
  for (std::size_t i = first + 1; i < all.size(); ++i) {
    if (all[i].at < all[first].at + early || all[i].level < all[i - 1].level - equal) continue;
    const auto block = [&](double seconds) {
      return std::min(static_cast<std::size_t>(std::lround((seconds + 0.5 * smooth) / hop)), fractions.size());
    };
    const std::size_t begin = block(all[i].from), end = i + 1 < all.size() ? block(all[i + 1].from) : fractions.size();
    const double fraction = sum_of(fractions.subspan(begin, std::max(end, begin) - begin)) / energy;
    found.fraction += fraction;
    if (fraction > 0.01) ++found.count;
  }
  return found;
}

ResponseDoubt again_and_again(std::span<const double> fractions, double hop, double fraction) {
  constexpr double smooth = 0.08, swing = 8.0, below_largest = 12.0, after_first = 0.25,
                   equal = 0.5;  // s, dB, dB, s, dB
  constexpr double max_anew = 0.3;
  constexpr double falls = 3.0;  // dB, from the first half to the second, of a flutter echo
  constexpr int least = 2, often = 4;
  std::vector<Beginning> all = beginnings(fractions, hop, smooth, swing, 300.0);
  double largest = -1e300;
  for (const Beginning& one : all) largest = std::max(largest, one.level);
  std::erase_if(all, [&](const Beginning& one) { return one.level < largest - below_largest; });
  int again = 0;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].at - all[0].at >= after_first && all[i].level >= all[i - 1].level - equal) ++again;
  if (again >= least) {
    const auto mean = [&](std::size_t from, std::size_t to) {
      double sum = 0.0;
      for (std::size_t i = from; i < to; ++i) sum += all[i].level;
      return sum / static_cast<double>(to - from);
    };
    const std::size_t half = all.size() / 2;
    return {fmt::format("sound begins anew {} times within {:.2g} s, as in speech or music", all.size() - 1,
                        all.back().at - all.front().at),
            again >= often && mean(half, all.size()) > mean(0, half) - falls};
  }
  if (fraction > max_anew)
    return {
        fmt::format("{:.0f} % of its energy arrive anew, as in speech, music or a strong late echo", 100.0 * fraction),
        false};
  return {};
}

// Times apart from each other at which octaves are loudest. An octave that is nearly as loud about the time of another
// has none of its own.
std::vector<double> loudest_times(const std::vector<std::vector<double>>& octaves, double hop) {
  constexpr double smooth = 0.06, apart = 0.12, nearly = 0.85;  // s, s, of the largest energy
  const auto width = static_cast<std::size_t>(std::max(1.0, std::round(smooth / hop)));
  std::vector<double> times;
  for (const std::vector<double>& fractions : octaves) {
    std::vector<double> sums;
    for (std::size_t b = 0; b + width <= fractions.size(); ++b)
      sums.push_back(sum_of(std::span(fractions).subspan(b, width)));
    if (sums.empty()) continue;
    const auto most = std::ranges::max_element(sums);
    const bool known = std::ranges::any_of(times, [&](double time) {
      for (std::size_t b = 0; b < sums.size(); ++b)
        if (std::abs(hop * static_cast<double>(b) - time) <= apart && sums[b] >= nearly * *most) return true;
      return false;
    });
    if (!known) times.push_back(hop * static_cast<double>(most - sums.begin()));
  }
  std::ranges::sort(times);
  return times;
}

ResponseDoubt judge(const std::vector<BlockEnergies::Octave>& octaves, double hop) {
  constexpr std::size_t surely = 3;  // times at which octaves are loudest
  constexpr int often = 4;           // new beginnings, with another sign
  if (octaves.empty() || octaves[0].energies.size() < min_blocks) return {};
  std::vector<OctaveTimes> times;
  std::vector<std::vector<double>> mid;  // fractions, of octaves from lowest_even on
  std::vector<double> all(octaves[0].energies.size(), 0.0), ended = all;
  int even = 0;
  for (const auto& octave : octaves) {
    const auto [fractions, ends] = outstanding(octave, hop);
    if (fractions.empty()) continue;
    const double loud = 0.1 * *std::ranges::max_element(fractions);
    const auto begins =
        std::ranges::find_if(fractions, [&](double fraction) { return fraction >= loud; }) - fractions.begin();
    times.push_back({octave.nominal, arrived(fractions, 0.1), arrived(fractions, 0.5), arrived(fractions, 0.8),
                     static_cast<std::size_t>(begins)});
    if (octave.nominal < lowest_even) continue;
    mid.push_back(fractions);
    for (std::size_t b = 0; b < all.size(); ++b) all[b] += fractions[b];
    if (!ends) continue;
    ++even;
    for (std::size_t b = 0; b < all.size(); ++b) ended[b] += fractions[b];
  }
  if (std::string why = one_after_another(times, hop); !why.empty()) return {std::move(why), true};
  if (mid.size() < 2) return {};
  const std::vector<double> loudest = loudest_times(mid, hop);
  const Renewed anew = renewed(all, hop);
  const std::string apart = fmt::format("its octaves are loudest at {} times within {:.2g} s, as in speech or music",
                                        loudest.size(), loudest.back() - loudest.front());
  if (loudest.size() >= surely) return {apart, true};
  const bool often_apart = anew.count >= often && loudest.size() > 1;
  ResponseDoubt doubt = even >= 2 ? evenly(ended, hop) : ResponseDoubt();
  doubt.certain = !doubt.why.empty() && (often_apart || (doubt.certain && anew.count == 0));
  if (even >= 2 && !doubt.certain)
    if (ResponseDoubt again = again_and_again(ended, hop, anew.fraction); again.certain || doubt.why.empty())
      doubt = std::move(again);
  if (doubt.why.empty() && loudest.size() > 1) doubt.why = apart;
  return doubt;
}

}  // namespace

ResponseDoubt response_doubt(std::span<const double> signal, double rate, double bandwidth) {
  if (!(bandwidth >= min_bandwidth)) return {};
  BlockEnergies blocks(rate, signal.size(), bandwidth);
  blocks.add(signal);
  return judge(blocks.end(), blocks.hop());
}

ResponseDoubt response_doubt(SampleStream& signal, double rate, double bandwidth) {
  if (!(bandwidth >= min_bandwidth)) return {};
  BlockEnergies blocks(rate, signal.samples(), bandwidth);
  std::vector<double> block(std::size_t{1} << 16);
  signal.restart();
  while (const std::size_t got = signal.read(block)) blocks.add(std::span(block).first(got));
  return judge(blocks.end(), blocks.hop());
}

}  // namespace fdtd

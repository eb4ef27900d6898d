#include "engine/responses/moving/moving_sound.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <numbers>
#include <stdexcept>

#include "base/math/fourier.hpp"
#include "base/parallel_failure.hpp"
#include "base/vectors.hpp"
#include "engine/responses/moving/turned_channels.hpp"

namespace fdtd {
namespace {

using Spectrum = std::vector<std::complex<double>>;
constexpr std::size_t least_block = std::size_t{1} << 14;
constexpr std::size_t places_at_once = 16;  // in parallel, each with transforms of its own

struct MovingBlocks {
  std::int64_t length = 0;  // of the transforms
  std::size_t block = 0;    // samples of the signal at a time
  explicit MovingBlocks(std::size_t taps)
      : length(smooth_length(static_cast<std::int64_t>(taps + std::max(taps, least_block)))),
        block(static_cast<std::size_t>(length) - taps + 1) {}
};

struct SampleWeight {
  std::size_t sample = 0;
  double weight = 0.0;
};
struct PlaceUse {
  std::size_t place = 0;
  std::vector<SampleWeight> samples;
};

// The places that samples [first, first + count) use, in their order.
std::vector<PlaceUse> uses_of(FieldWeights& field, const Path& path, double rate, std::uint64_t first,
                              std::size_t count) {
  std::map<std::size_t, std::vector<SampleWeight>> by_place;
  for (std::size_t n = 0; n < count; ++n)
    for (const PlaceWeight& one : field.weights(path.position(static_cast<double>(first + n) / rate)))
      by_place[one.place].push_back({n, one.weight});
  std::vector<PlaceUse> uses;
  for (auto& [place, samples] : by_place) uses.push_back({place, std::move(samples)});
  return uses;
}

Spectrum product(Spectrum a, const Spectrum& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] *= b[k];
  return a;
}

class AlongPath {
 public:
  AlongPath(const PlaceResponses& responses, const Path& path, double rate)
      : responses_(responses),
        path_(path),
        rate_(rate),
        taps_(responses.filters.at(0).size()),
        sizes_(taps_),
        field_(responses.places, responses.wave_number) {}

  // Overlap-save: the places of the outputs.
  void hear_moving(SampleStream& signal, const Hear& hear) {
    std::vector<double> input(taps_ - 1 + sizes_.block, 0.0);
    std::uint64_t unread = signal.samples(), at = 0;
    for (std::uint64_t left = unread + taps_ - 1; left > 0;) {
      std::copy(input.end() - static_cast<std::ptrdiff_t>(taps_ - 1), input.end(), input.begin());
      const std::span<double> fresh = std::span(input).subspan(taps_ - 1);
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(fresh.size(), unread));
      read_fully(signal, fresh.first(count));
      std::ranges::fill(fresh.subspan(count), 0.0);
      unread -= count;
      const auto made = static_cast<std::size_t>(std::min<std::uint64_t>(sizes_.block, left));
      std::vector<std::vector<double>> out(responses_.channels, std::vector<double>(made, 0.0));
      if (std::ranges::any_of(input, [](double x) { return x != 0.0; })) add_outputs(input, at, out);
      if (responses_.turning == Turning::ambisonic) turn_channels(out, path_, rate_, at);
      if (responses_.turning == Turning::pattern) turn_pattern(out, path_, rate_, at);
      hear({out.begin(), out.end()});
      at += made;
      left -= made;
    }
  }

  // Overlap-add: the places of the inputs.
  void play_moving(SampleStream& signal, const Hear& hear) {
    std::vector<double> input(sizes_.block);
    std::vector<std::vector<double>> carried(responses_.channels, std::vector<double>(taps_ - 1, 0.0));
    std::uint64_t at = 0;
    for (const std::uint64_t all = signal.samples(); at < all;) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(input.size(), all - at));
      read_fully(signal, std::span(input).first(count));
      std::vector<Spectrum> sums = sum_of_inputs(std::span(input).first(count), at);
      std::vector<std::vector<double>> out;
      for (std::size_t c = 0; c < responses_.channels; ++c) {
        std::vector<double>& piece = out.emplace_back(inverse_real_fft(sums[c], sizes_.length));
        piece.resize(count + taps_ - 1);
        for (std::size_t n = 0; n + 1 < taps_; ++n) piece[n] += carried[c][n];
        carried[c].assign(piece.begin() + static_cast<std::ptrdiff_t>(count), piece.end());
        piece.resize(count);
      }
      hear({out.begin(), out.end()});
      at += count;
    }
    hear({carried.begin(), carried.end()});
  }

 private:
  const std::span<const double>& filter(std::size_t place, std::size_t channel) const {
    return responses_.filters[place * responses_.channels + channel];
  }

  // Calls use(i) in parallel for batches of the uses' numbers, then after(i) in their order.
  template <class Use, class After>
  void in_batches(std::size_t count, const Use& use, const After& after) {
    for (std::size_t first = 0; first < count; first += places_at_once) {
      const std::size_t end = std::min(count, first + places_at_once);
      ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
      for (std::size_t i = first; i < end; ++i) failure.guard([&] { use(i, i - first); });
      failure.rethrow();
      for (std::size_t i = first; i < end; ++i) after(i, i - first);
    }
  }

  void add_outputs(const std::vector<double>& input, std::uint64_t at, std::vector<std::vector<double>>& out) {
    const Spectrum spectrum = real_fft(input, sizes_.length);
    const std::vector<PlaceUse> uses = uses_of(field_, path_, rate_, at, out.front().size());
    std::vector<std::vector<double>> made(places_at_once);
    for (std::size_t c = 0; c < responses_.channels; ++c)
      in_batches(
          uses.size(),
          [&](std::size_t i, std::size_t slot) {
            made[slot] =
                inverse_real_fft(product(real_fft(filter(uses[i].place, c), sizes_.length), spectrum), sizes_.length);
          },
          [&](std::size_t i, std::size_t slot) {
            for (const SampleWeight& one : uses[i].samples)
              out[c][one.sample] += one.weight * made[slot][taps_ - 1 + one.sample];
          });
  }

  std::vector<Spectrum> sum_of_inputs(std::span<const double> input, std::uint64_t at) {
    const std::vector<PlaceUse> uses = uses_of(field_, path_, rate_, at, input.size());
    std::vector<Spectrum> sums(responses_.channels, Spectrum(static_cast<std::size_t>(sizes_.length / 2 + 1)));
    std::vector<std::vector<Spectrum>> made(places_at_once);
    in_batches(
        uses.size(),
        [&](std::size_t i, std::size_t slot) {
          std::vector<double> share(input.size(), 0.0);
          for (const SampleWeight& one : uses[i].samples) share[one.sample] = one.weight * input[one.sample];
          const Spectrum spectrum = real_fft(share, sizes_.length);
          made[slot].clear();
          for (std::size_t c = 0; c < responses_.channels; ++c)
            made[slot].push_back(product(real_fft(filter(uses[i].place, c), sizes_.length), spectrum));
        },
        [&](std::size_t, std::size_t slot) {
          for (std::size_t c = 0; c < responses_.channels; ++c)
            for (std::size_t k = 0; k < sums[c].size(); ++k) sums[c][k] += made[slot][c][k];
        });
    return sums;
  }

  const PlaceResponses& responses_;
  const Path& path_;
  double rate_ = 0.0;
  std::size_t taps_ = 0;
  MovingBlocks sizes_;
  FieldWeights field_;
};

}  // namespace

Turning turning_of(const ChannelGroup& receiver, std::size_t played) {
  if (played > static_cast<std::size_t>(receiver.channels)) return Turning::pattern;
  return receiver.channels > 1 ? Turning::ambisonic : Turning::none;
}

std::size_t heard_channels(const PlaceResponses& responses) {
  return responses.turning == Turning::pattern ? 1 : responses.channels;
}

void play_along(SampleStream& signal, const PlaceResponses& responses, const Path& path, Moves moves, double rate,
                const Hear& hear) {
  if (responses.channels == 0 || responses.filters.size() != responses.places.size() * responses.channels ||
      responses.filters.empty() || responses.filters.front().empty() ||
      std::ranges::any_of(responses.filters,
                          [&](const auto& one) { return one.size() != responses.filters.front().size(); }))
    throw std::invalid_argument("play_along: responses of one length, not 0, for each place and channel");
  if (signal.samples() == 0) return;
  signal.restart();
  AlongPath along(responses, path, rate);
  if (moves == Moves::receiver)
    along.hear_moving(signal, hear);
  else
    along.play_moving(signal, hear);
}

double bytes_to_play_along(std::size_t channels, std::size_t taps) {
  const MovingBlocks sizes(taps);
  const double length = static_cast<double>(sizes.length), count = static_cast<double>(channels);
  // The weights of a block; transforms at work and what they leave, for each place of a batch and channel; the output.
  return sizeof(SampleWeight) * static_cast<double>(FieldWeights::most_places * sizes.block) * 2.0 +
         8.0 * length * (static_cast<double>(places_at_once) * (4.0 + count) + 3.0 * count + 4.0);
}

WorstPlace worst_place(const PlaceResponses& responses, const Path& path, double enough) {
  FieldWeights field(responses.places, responses.wave_number);
  WorstPlace worst;
  const double step = 2.0 * std::numbers::pi / responses.wave_number / 8.0;
  const std::vector<PathRow>& rows = path.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Point to = i + 1 < rows.size() ? rows[i + 1].position : rows[i].position;
    const Point way = minus(to, rows[i].position);
    const auto parts = static_cast<std::int64_t>(std::max(1.0, std::ceil(norm(way) / step)));
    for (std::int64_t part = 0; part < parts; ++part) {
      const Point at = along(rows[i].position, static_cast<double>(part) / static_cast<double>(parts), way);
      if (const double error = field.error(at); error > worst.error) worst = {error, at, rows[i].line};
      if (worst.error > enough) return worst;
    }
  }
  return worst;
}

}  // namespace fdtd

#include "engine/responses/metrics_stream.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/math/fourier.hpp"
#include "engine/responses/band_figures.hpp"
#include "engine/responses/octave_filter.hpp"
#include "engine/responses/render_filter.hpp"
#include "engine/responses/response_survey.hpp"

namespace fdtd {
namespace {

constexpr std::size_t read_block = std::size_t{1} << 16;
constexpr double longest_ratio = 0.1;  // s after the onset that early energies need, and a little

// A stream without static pressure, as measure() removes it.
class CutStream : public SampleStream {
 public:
  CutStream(SampleStream& stream, double rate) : stream_(stream), rate_(rate), filter_(analysis_low_cut, rate) {}
  std::uint64_t samples() const override { return stream_.samples(); }
  void restart() override {
    stream_.restart();
    filter_ = IntegrateAndCut(analysis_low_cut, rate_);
    before_ = 0.0;
  }
  std::size_t read(std::span<double> to) override {
    const std::size_t got = stream_.read(to);
    for (double& x : to.first(got)) x = filter_(x - std::exchange(before_, x));
    return got;
  }

 private:
  SampleStream& stream_;
  double rate_ = 0.0, before_ = 0.0;
  IntegrateAndCut filter_;
};

// Parts of a stream, each beginning after the one before; zeros ahead of its first sample and after its last one.
class Parts {
 public:
  explicit Parts(SampleStream& stream) : stream_(stream) { stream.restart(); }
  std::span<const double> at(std::int64_t from, std::size_t count) {
    const std::int64_t end = from + static_cast<std::int64_t>(count);
    const auto gone = std::clamp<std::int64_t>(from - first_, 0, static_cast<std::int64_t>(held_.size()));
    held_.erase(held_.begin(), held_.begin() + gone);
    first_ += gone;
    if (held_.empty() && first_ < from) skip(from);
    while (first_ + static_cast<std::int64_t>(held_.size()) < end) append(end);
    return std::span<const double>(held_).first(count);
  }

 private:
  std::int64_t next() const { return static_cast<std::int64_t>(next_); }
  void skip(std::int64_t to) {
    std::vector<double> dropped(read_block);
    while (next() < to && next_ < stream_.samples()) {
      const auto count = std::min<std::int64_t>(static_cast<std::int64_t>(read_block), to - next());
      read(std::span(dropped).first(static_cast<std::size_t>(count)));
    }
    first_ = to;
  }
  void append(std::int64_t end) {
    const std::int64_t place = first_ + static_cast<std::int64_t>(held_.size());
    const std::size_t size = held_.size();
    if (place < 0 || next_ >= stream_.samples()) {
      held_.resize(size + static_cast<std::size_t>((place < 0 ? std::min<std::int64_t>(end, 0) : end) - place), 0.0);
      return;
    }
    const auto count = std::min(static_cast<std::uint64_t>(end - place), stream_.samples() - next_);
    held_.resize(size + static_cast<std::size_t>(count));
    read(std::span(held_).subspan(size));
  }
  void read(std::span<double> to) {
    if (stream_.read(to) != to.size()) throw std::runtime_error("the signal ends before its length");
    next_ += to.size();
  }

  SampleStream& stream_;
  std::uint64_t next_ = 0;  // of the stream
  std::vector<double> held_;
  std::int64_t first_ = std::numeric_limits<std::int64_t>::min() / 2;  // of held_; no part yet
};

bool silent(std::span<const double> samples) {
  return std::all_of(samples.begin(), samples.end(), [](double x) { return x == 0.0; });
}

// Mean power density of a signal from spectra of half overlapping parts, whose windows' squares sum to 1.
class MeanSpectrum {
 public:
  explicit MeanSpectrum(double rate) : rate_(rate) {
    std::size_t length = std::size_t{1} << 14;
    while (static_cast<double>(length) < rate) length *= 2;
    power_.resize(length / 2 + 1);
    waiting_.resize(length / 2, 0.0);  // half of a window ahead, so that the first samples count in full
    for (std::size_t n = 0; n < length; ++n)
      window_.push_back(std::sin(std::numbers::pi * (static_cast<double>(n) + 0.5) / static_cast<double>(length)));
  }
  // The next samples, in any number; zeros follow the last ones.
  void add(std::span<const double> samples) {
    waiting_.insert(waiting_.end(), samples.begin(), samples.end());
    for (; waiting_.size() >= window_.size(); take()) continue;
  }
  void end() {
    for (int i = 0; i < 2; ++i) {
      waiting_.resize(window_.size(), 0.0);
      take();
    }
  }
  double density(double low, double high) const {
    const double bin = rate_ / static_cast<double>(window_.size());
    double sum = 0.0;
    std::size_t count = 0;
    for (auto k = static_cast<std::size_t>(std::ceil(low / bin)); k < power_.size(); ++k, ++count) {
      if (static_cast<double>(k) * bin > high) break;
      sum += power_[k];
    }
    return count > 0 ? sum / static_cast<double>(count) : 0.0;
  }

 private:
  void take() {
    if (!silent(std::span(waiting_).first(window_.size()))) {
      std::vector<double> part(window_.size());
      for (std::size_t n = 0; n < part.size(); ++n) part[n] = window_[n] * waiting_[n];
      const auto spectrum = real_fft(part, static_cast<std::int64_t>(part.size()));
      for (std::size_t k = 0; k < power_.size(); ++k) power_[k] += std::norm(spectrum[k]);
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(window_.size() / 2));
  }

  double rate_ = 0.0;
  std::vector<double> window_, power_, waiting_;
};

// A stream less a constant.
class LevelStream : public SampleStream {
 public:
  LevelStream(SampleStream& stream, double offset) : stream_(stream), offset_(offset) {}
  std::uint64_t samples() const override { return stream_.samples(); }
  void restart() override { stream_.restart(); }
  std::size_t read(std::span<double> to) override {
    const std::size_t got = stream_.read(to);
    for (double& x : to.first(got)) x -= offset_;
    return got;
  }

 private:
  SampleStream& stream_;
  double offset_ = 0.0;
};

struct Survey {
  double largest = 0.0;  // of the squares
  double offset = 0.0, end_power = 0.0;
  bool ends_static = false;
  std::optional<MeanSpectrum> spectrum;
};

Survey survey(SampleStream& stream, double rate, bool with_spectrum) {
  Survey found;
  if (with_spectrum) found.spectrum.emplace(rate);
  StaticEnd end(stream.samples());
  std::vector<double> block(read_block);
  stream.restart();
  std::uint64_t place = 0;
  while (const std::size_t got = stream.read(block)) {
    for (std::size_t i = 0; i < got; ++i) {
      if (!std::isfinite(block[i])) throw std::invalid_argument("measure: the response must be finite");
      found.largest = std::max(found.largest, block[i] * block[i]);
      end.add(block[i], place + i);
    }
    if (found.spectrum) found.spectrum->add(std::span(block).first(got));
    place += got;
  }
  if (found.spectrum) found.spectrum->end();
  found.offset = end.offset();
  found.end_power = end.end_power();
  found.ends_static = end.found();
  return found;
}

std::optional<std::uint64_t> arrival_in(SampleStream& stream, double rate, double bandwidth, double largest,
                                        std::uint64_t arrives, double noise) {
  const std::uint64_t n = stream.samples();
  const std::size_t reach = arrival_reach(rate, bandwidth);
  Parts parts(stream);
  for (std::uint64_t begin = arrives; begin < n; begin += read_block) {
    const auto to = static_cast<std::size_t>(std::min<std::uint64_t>(read_block, n - begin));
    const auto part = parts.at(static_cast<std::int64_t>(begin),
                               static_cast<std::size_t>(std::min<std::uint64_t>(to + reach, n - begin)));
    if (const auto at = first_arrival(part, 0, to, largest, rate, bandwidth, noise)) return begin + *at;
  }
  return std::nullopt;
}

std::uint64_t find_onset(SampleStream& stream, double rate, double bandwidth, const Survey& found, double earliest) {
  const std::uint64_t arrives = sample_after(earliest, rate, stream.samples());
  for (const double noise : {found.end_power, 0.0})
    if (const auto at = arrival_in(stream, rate, bandwidth, found.largest, arrives, noise)) return *at;
  return arrives;
}

// The energy of one band as it comes.
class BandSums {
 public:
  // `midband`: Hz, 0 for all frequencies; `samples` of the signal; bins of `width` samples of the band.
  BandSums(double midband, double rate, double bandwidth, std::uint64_t samples, std::uint64_t onset,
           const StreamSizes& sizes)
      : midband_(midband) {
    energy_.decimation = midband > 0.0 ? octave_decimation(rate, midband) : 1;
    const auto factor = static_cast<std::uint64_t>(energy_.decimation);
    energy_.rate = rate / energy_.decimation;
    const auto held =
        static_cast<double>(onset / factor) + (midband > 0.0 ? static_cast<double>(octave_lead(rate, midband)) : 0.0);
    const double ringing = midband > 0.0 ? octave_ringing(midband) : 0.0;
    first_ = -static_cast<std::int64_t>(std::min(std::ceil(counted_ahead(ringing, bandwidth) * energy_.rate), held));
    end_ = static_cast<std::int64_t>((samples - onset + factor - 1) / factor);
    width_ = static_cast<std::size_t>((samples / factor) / sizes.bins + 1);
    const std::size_t least = std::max(sizes.kept / static_cast<std::size_t>(factor),
                                       static_cast<std::size_t>(std::ceil(longest_ratio * energy_.rate)));
    limit_ = static_cast<std::int64_t>((least + width_ - 1) / width_ * width_);
    kept_.reserve(static_cast<std::size_t>(std::min(limit_, end_)));
  }
  double midband() const { return midband_; }
  std::int64_t decimation() const { return energy_.decimation; }
  void set_flat_energy(double energy) { energy_.flat_energy = energy; }

  // The band's next samples; `place`: of the first one, from the onset.
  void add(std::int64_t place, std::span<const double> samples) {
    const auto [begin, end] = counted(place, static_cast<std::int64_t>(samples.size()));
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t count = place + i < limit_ ? 1 : std::min(room(), end - i);
      double energy = 0.0;
      for (std::int64_t j = i; j < i + count; ++j) {
        const double x = samples[static_cast<std::size_t>(j)];
        energy += x * x;
      }
      put(place + i, count, energy);
      i += count;
    }
  }
  // As many samples of an energy.
  void add_equal(std::int64_t place, std::int64_t samples, double energy) {
    const auto [begin, end] = counted(place, samples);
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t count = place + i < limit_ ? 1 : std::min(room(), end - i);
      put(place + i, count, energy * static_cast<double>(count));
      i += count;
    }
  }

  BandEnergy energy() {
    BandEnergy all = energy_;
    all.energy = {kept_, bins_, width_, binned_, before_, static_cast<std::size_t>(-first_)};
    return all;
  }

 private:
  // Of samples at `place`, those that count.
  std::pair<std::int64_t, std::int64_t> counted(std::int64_t place, std::int64_t samples) const {
    return {std::max<std::int64_t>(0, first_ - place), std::min(samples, end_ - place)};
  }
  // Samples that the last bin, or the next one, still takes.
  std::int64_t room() const { return static_cast<std::int64_t>(width_ - binned_ % width_); }
  // At most room() samples; one by one ahead of the bins.
  void put(std::int64_t place, std::int64_t samples, double energy) {
    if (place < 0) {
      before_ += energy;
      energy_.moment_before += energy * static_cast<double>(place);
    } else if (place < limit_) {
      kept_.push_back(energy);
    } else {
      if (binned_ % width_ == 0) bins_.push_back(0.0);
      bins_.back() += energy;
      binned_ += static_cast<std::size_t>(samples);
    }
  }

  double midband_ = 0.0, before_ = 0.0;
  BandEnergy energy_;
  std::int64_t first_ = 0, end_ = 0, limit_ = 0;  // places: the first one that counts, one past the last, of the bins
  std::size_t width_ = 1, binned_ = 0;
  std::vector<double> kept_, bins_;
};

// Where the response is silent a transform leaves its rounding: more than nothing, so that the silence, however long,
// belongs to the response as it does in measure().
constexpr double rounding = std::numeric_limits<double>::min();

// The number of samples of a block and of its neighbours on either side, multiples of the largest decimation.
struct Blocks {
  std::size_t block = 0, neighbours = 0;
};
Blocks blocks_for(const std::vector<double>& midbands, double rate, const StreamSizes& sizes) {
  constexpr std::size_t unit = max_octave_decimation;
  double reach = 0.0;
  for (const double midband : midbands) reach = std::max(reach, octave_reach(midband, rate));
  const std::size_t neighbours = (static_cast<std::size_t>(std::ceil(reach * rate)) / unit + 1) * unit;
  const std::size_t rest = sizes.block > 2 * neighbours ? sizes.block - 2 * neighbours : 0;
  return {std::max(rest, 2 * neighbours) / unit * unit, neighbours};
}

// `bands`: all frequencies, then the octaves.
void add_energies(SampleStream& stream, double rate, std::uint64_t onset, std::vector<BandSums>& bands,
                  const Blocks& blocks) {
  constexpr std::int64_t unit = max_octave_decimation;
  const auto length = static_cast<std::int64_t>(blocks.block), n = static_cast<std::int64_t>(stream.samples());
  const auto neighbours = static_cast<std::int64_t>(blocks.neighbours), at_onset = static_cast<std::int64_t>(onset);
  const double lowest = bands.size() > 1 ? bands[1].midband() : 0.0;
  Parts parts(stream);
  // Blocks begin whole decimated samples before the onset, the first one with the ringing ahead of the signal.
  for (std::int64_t begin = at_onset % unit - unit - neighbours; begin < n; begin += length) {
    const auto part = parts.at(begin - neighbours, blocks.block + 2 * blocks.neighbours);
    const auto middle = part.subspan(blocks.neighbours, blocks.block);
    bands[0].add(begin - at_onset, middle);
    const bool nothing = silent(part);
    std::optional<OctaveBands> filters;
    if (!nothing && bands.size() > 1) filters.emplace(part, rate, lowest);
    for (std::size_t b = 1; b < bands.size(); ++b) {
      const std::int64_t factor = bands[b].decimation(), place = (begin - at_onset) / factor;
      if (nothing) {
        bands[b].add_equal(place, length / factor, rounding);
        continue;
      }
      const OctaveSignal octave = filters->octave(bands[b].midband(), blocks.neighbours);
      bands[b].set_flat_energy(octave.flat_energy);
      bands[b].add(place, std::span(octave.samples).subspan(octave.aligned, static_cast<std::size_t>(length / factor)));
    }
  }
}

}  // namespace

double bytes_to_measure(std::uint64_t samples) { return 120.0 * static_cast<double>(samples); }

double bytes_to_stream(std::uint64_t samples, double rate, const StreamSizes& sizes) {
  const Blocks blocks = blocks_for({exact_midband(nominal_octaves().front())}, rate, sizes);
  const std::uint64_t kept = std::min<std::uint64_t>(samples, sizes.kept + sizes.bins);
  return bytes_to_measure(blocks.block + 2 * blocks.neighbours) +
         8.0 * static_cast<double>(kept) * (2.0 + static_cast<double>(nominal_octaves().size()));
}

Metrics measure_stream(SampleStream& stream, double rate, const MetricsOptions& options, const StreamSizes& sizes) {
  if (!(rate > 0.0)) throw std::invalid_argument("measure: the sample rate must be above 0");
  Metrics metrics;
  metrics.sample_rate = rate;
  metrics.duration = static_cast<double>(stream.samples()) / rate;
  metrics.valid_bandwidth = options.valid_bandwidth;
  if (stream.samples() == 0) return measure({}, rate, options);
  const bool may_cut = rate > 4.0 * analysis_low_cut, find_band = options.valid_bandwidth <= 0.0;
  CutStream cut(stream, rate);
  SampleStream* signal = may_cut && options.static_pressure ? &cut : &stream;
  Survey found = survey(*signal, rate, find_band);
  std::optional<LevelStream> level;
  if (signal != &cut && found.offset != 0.0) {
    metrics.offset = found.offset;
    signal = &level.emplace(stream, found.offset);
    found = survey(*signal, rate, find_band);
  } else if (may_cut && signal != &cut && found.ends_static) {
    signal = &cut;
    found = survey(cut, rate, find_band);
  }
  if (signal == &cut) metrics.low_cut = analysis_low_cut;
  if (found.largest == 0.0) {
    metrics.broadband = measure_band({}, 0.0, 0.0, options);
    conclude(metrics, options);
    return metrics;
  }
  if (find_band)
    metrics.valid_bandwidth =
        find_bandwidth([&](double low, double high) { return found.spectrum->density(low, high); }, rate);
  found.spectrum.reset();
  const std::uint64_t onset = find_onset(*signal, rate, metrics.valid_bandwidth, found, options.earliest);
  metrics.onset = static_cast<double>(onset) / rate;

  const double highest = std::min(metrics.valid_bandwidth, rate / 2.0) * 1.01;  // bandwidths are rounded
  std::vector<BandSums> bands;
  bands.emplace_back(0.0, rate, metrics.valid_bandwidth, stream.samples(), onset, sizes);
  bands[0].set_flat_energy(std::min(1.0, 2.0 * metrics.valid_bandwidth / rate));
  std::vector<double> midbands;
  for (const double nominal : nominal_octaves()) {
    const double midband = exact_midband(nominal);
    if (midband * std::numbers::sqrt2 > highest) break;
    if (octave_ringing(midband) >= metrics.duration) continue;
    midbands.push_back(midband);
    bands.emplace_back(midband, rate, metrics.valid_bandwidth, stream.samples(), onset, sizes);
  }
  add_energies(*signal, rate, onset, bands, blocks_for(midbands, rate, sizes));
  metrics.broadband = measure_band(bands[0].energy(), 0.0, 0.0, options);
  std::size_t next = 1;
  for (const double nominal : nominal_octaves()) {
    const double midband = exact_midband(nominal), ringing = octave_ringing(midband);
    if (midband * std::numbers::sqrt2 > highest) break;
    metrics.bands.push_back(ringing >= metrics.duration
                                ? too_short(nominal, ringing)
                                : measure_band(bands[next++].energy(), nominal, ringing, options));
  }
  conclude(metrics, options);
  return metrics;
}

}  // namespace fdtd

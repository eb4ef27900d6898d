#include "engine/reports/result_page/report_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/math/fourier.hpp"
#include "engine/files/data_uri.hpp"
#include "engine/pictures/colour_map.hpp"
#include "scenes/scene.hpp"

namespace fdtd {
namespace {

constexpr double width = 480.0, height = 300.0;
constexpr std::size_t envelope_columns = 400;  // of an envelope, about one per pixel
constexpr double lowest_level = -60.0;         // dB, of the spectrogram
// An arrival over r metres has 1 / r.
constexpr const char* free_field_level = "level, dB re free field at 1 m";
constexpr double silence = 1e-30;  // added to powers before their logarithm is taken
constexpr std::size_t max_courses = 8;

using Points = std::vector<std::pair<double, double>>;

// Points whose x lie in the same column of [low, high] become two, the lowest and the highest; a few points remain
// unchanged. `place` maps x to 0..1.
template <class Position>
Points envelope(const Points& points, const Position& place) {
  if (points.size() <= 2 * envelope_columns) return points;
  Points out;
  for (std::size_t begin = 0; begin < points.size();) {
    const auto column_of = [&](std::size_t i) {
      return static_cast<std::size_t>(place(points[i].first) * static_cast<double>(envelope_columns));
    };
    const std::size_t column = column_of(begin);
    std::size_t low = begin, high = begin, end = begin;
    for (; end < points.size() && column_of(end) == column; ++end) {
      if (points[end].second < points[low].second) low = end;
      if (points[end].second > points[high].second) high = end;
    }
    out.push_back(points[std::min(low, high)]);
    if (low != high) out.push_back(points[std::max(low, high)]);
    begin = end;
  }
  return out;
}

Points envelope(const Points& points) {
  if (points.empty()) return points;
  const double first = points.front().first, span = std::max(points.back().first - first, 1e-300);
  return envelope(points, [=](double x) { return (x - first) / span; });
}

Plot small_plot(std::string title, Axis x, Axis y) {
  Plot plot{std::move(title), std::move(x), std::move(y), {}};
  plot.width = width;
  plot.height = height;
  return plot;
}

// Levels as indices into a colour map.
std::vector<std::uint8_t> places_of(const std::vector<double>& levels, double low, double high, std::size_t colours) {
  std::vector<std::uint8_t> places;
  for (const double level : levels)
    places.push_back(static_cast<std::uint8_t>(
        std::lround(std::clamp((level - low) / (high - low), 0.0, 1.0) * static_cast<double>(colours - 1))));
  return places;
}

// Power of segments with a Hann window: columns x rows, row r at r * step Hz; the segment of column c is centred at
// c / (columns - 1) of the response.
struct Spectrogram {
  std::size_t columns = 0, rows = 0;
  double step = 0.0;           // Hz
  std::vector<double> levels;  // dB relative to the strongest; [r * columns + c], row 0 the highest frequency
};

Spectrogram spectrogram_of(const Response& response) {
  constexpr std::size_t max_rows = 150;
  const double duration = static_cast<double>(response.samples.size()) / response.rate;
  // Long enough to resolve a sixteenth of the band, short compared with the response.
  const double seconds =
      std::max(std::min(std::max(64.0 / response.bandwidth, 0.01), duration / 8.0), 8.0 / response.rate);
  const auto length = static_cast<std::int64_t>(std::lround(seconds * response.rate));
  const std::int64_t padded = smooth_length(2 * length);
  const double bin = response.rate / static_cast<double>(padded);
  const double top = std::min(1.2 * response.bandwidth, response.rate / 2.0);
  const auto bins = std::max<std::size_t>(2, static_cast<std::size_t>(top / bin));
  const std::size_t stride = (bins + max_rows - 1) / max_rows;  // bins per row
  Spectrogram out;
  out.columns = std::clamp<std::size_t>(response.samples.size() * 4 / static_cast<std::size_t>(length), 40, 300);
  out.rows = bins / stride;
  out.step = bin * static_cast<double>(stride);
  out.levels.resize(out.columns * out.rows);
  std::vector<double> piece(static_cast<std::size_t>(length));
  double strongest = 0.0;
  for (std::size_t c = 0; c < out.columns; ++c) {
    const auto first =
        static_cast<std::int64_t>(std::llround(static_cast<double>(c) / static_cast<double>(out.columns - 1) *
                                               static_cast<double>(response.samples.size()))) -
        length / 2;
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t at = first + i;
      const bool inside = at >= 0 && at < static_cast<std::int64_t>(response.samples.size());
      const double phase = 2.0 * std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(length);
      piece[static_cast<std::size_t>(i)] =
          inside ? 0.5 * (1.0 - std::cos(phase)) * response.samples[static_cast<std::size_t>(at)] : 0.0;
    }
    const auto spectrum = real_fft(piece, padded);
    for (std::size_t r = 0; r < out.rows; ++r) {
      double power = 0.0;
      for (std::size_t k = r * stride; k < (r + 1) * stride; ++k) power = std::max(power, std::norm(spectrum[k]));
      out.levels[(out.rows - 1 - r) * out.columns + c] = power;
      strongest = std::max(strongest, power);
    }
  }
  for (double& level : out.levels)
    level = strongest > 0.0 ? 10.0 * std::log10(level / strongest + silence) : lowest_level;
  return out;
}

// The line of a decay time, over the range of levels that it is fitted to.
void add_line(Plot& plot, const BandMetrics& band, const Figure& figure, const char* name, std::array<double, 2> levels,
              Series style) {
  if (!figure.value || !band.decay) return;
  const auto line = fit_line(*band.decay, levels[0], levels[1]);
  if (!line) return;
  style.name = name == nullptr ? "" : fmt::format("{} {:.3g} s", name, *figure.value);
  for (const double level : levels) style.points.emplace_back((line->at_start - level) * line->time / 60.0, level);
  plot.series.push_back(std::move(style));
}

constexpr std::array<double, 2> of_EDT{0.0, -10.0}, of_T20{-5.0, -25.0}, of_T30{-5.0, -35.0};

Series decay_series(const BandMetrics& band, int colour) {
  Series series;
  series.name = band.centre > 0.0 ? fmt::format("{:.6g} Hz", band.centre) : "all";
  series.colour = colour;
  if (!band.decay) return series;
  const Decay& decay = *band.decay;
  const std::size_t stride = std::max<std::size_t>(1, decay.level.size() / (envelope_columns / 2));
  for (std::size_t i = 0; i < decay.level.size(); i += stride)
    series.points.emplace_back(static_cast<double>(i) / decay.rate, decay.level[i]);
  return series;
}

}  // namespace

Plot response_plot(const Response& response) {
  Plot plot = small_plot("Impulse response, " + response.name, {"time, s"}, {"sample value"});
  plot.why_empty = "the response has no samples";
  Series series;
  for (std::size_t i = 0; i < response.samples.size(); ++i)
    series.points.emplace_back(static_cast<double>(i) / response.rate, response.samples[i]);
  series.points = envelope(series.points);
  plot.series.push_back(std::move(series));
  return plot;
}

Plot spectrum_plot(const Response& response) {
  Plot plot = small_plot("Frequency response, " + response.name, {"frequency, Hz", true}, {free_field_level});
  plot.why_empty = response.samples.empty()
                       ? "the response has no samples"
                       : "the response has no frequencies of its own between 20 Hz and its band's end";
  if (response.samples.empty()) return plot;
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(response.samples.size()));
  const auto spectrum = real_fft(response.samples, length);
  const double bin = response.rate / static_cast<double>(length), low = 20.0, high = std::max(40.0, response.bandwidth);
  Series series;
  double loudest = -HUGE_VAL;
  for (std::size_t k = 1; k < spectrum.size(); ++k) {
    const double frequency = bin * static_cast<double>(k);
    if (frequency < low || frequency > high) continue;
    series.points.emplace_back(frequency, 10.0 * std::log10(std::norm(spectrum[k]) + silence));
    loudest = std::max(loudest, series.points.back().second);
  }
  series.points = envelope(series.points, [=](double f) { return std::log(f / low) / std::log(high / low); });
  plot.x.low = low, plot.x.high = high;
  if (std::isfinite(loudest)) plot.y.high = 10.0 * std::ceil(loudest / 10.0 + 0.1), plot.y.low = plot.y.high - 70.0;
  plot.series.push_back(std::move(series));
  return plot;
}

Plot spectrogram_plot(const Response& response) {
  Plot plot = small_plot("Spectrogram, " + response.name, {"time, s"}, {"frequency, Hz"});
  plot.why_empty = response.samples.empty() ? "the response has no samples" : "no valid band is known";
  const double duration = static_cast<double>(response.samples.size()) / response.rate;
  if (response.samples.empty() || !(response.bandwidth > 0.0)) return plot;
  const Spectrogram found = spectrogram_of(response);
  const std::vector<Colour> colours = sequential_colours(64);
  const auto pixels = places_of(found.levels, lowest_level, 0.0, colours.size());
  const double top = found.step * static_cast<double>(found.rows);
  plot.image = Image{
      data_uri("image/png", encode_png(static_cast<int>(found.columns), static_cast<int>(found.rows), pixels, colours)),
      {0.0, duration},
      {0.0, top}};
  plot.x.low = 0.0, plot.x.high = duration;
  plot.y.low = 0.0, plot.y.high = top;
  for (std::size_t i = 3; i < colours.size(); i += 4) plot.bar.push_back(css(colours[i]));
  plot.bar_ends = {fmt::format("{:g}", lowest_level), "0 dB"};
  return plot;
}

Plot decays_plot(const Metrics& metrics, const std::string& name) {
  Plot plot =
      small_plot("Decay by octave band, " + name, {"time after the onset, s"}, {"level, dB", false, -70.0, 0.0});
  plot.legend_right = true;
  std::vector<const BandMetrics*> bands;
  for (const BandMetrics& band : metrics.bands) bands.push_back(&band);
  if (bands.empty()) bands.push_back(&metrics.broadband);
  for (std::size_t b = 0; b < bands.size(); ++b) {
    const BandMetrics& band = *bands[b];
    const auto colour = static_cast<int>(b);
    plot.series.push_back(decay_series(band, colour));
    Series dashed;
    dashed.dashed = true;
    dashed.colour = colour;
    if (band.T30.value)
      add_line(plot, band, band.T30, nullptr, of_T30, dashed);
    else if (band.T20.value)
      add_line(plot, band, band.T20, nullptr, of_T20, dashed);
    else
      add_line(plot, band, band.EDT, nullptr, of_EDT, dashed);
  }
  const BandMetrics& first = *bands.front();
  plot.why_empty = "no decay: " + (first.EDT.reason.empty() ? "the response holds none" : first.EDT.reason);
  return plot;
}

Plot decay_plot(const BandMetrics& band) {
  const std::string name = band.centre > 0.0 ? fmt::format("{:.6g} Hz octave", band.centre) : "All frequencies";
  Plot plot = small_plot(name, {"time after the onset, s"}, {"level, dB", false, -70.0, 0.0});
  plot.width = 360.0;
  plot.height = 260.0;
  plot.legend_right = true;
  plot.series.push_back(decay_series(band, 7));
  plot.series.back().name = fmt::format("decay, {:.0f} dB", band.range);
  Series dotted, dashed, solid;
  dotted.dotted = dashed.dashed = true;
  dotted.colour = 0, dashed.colour = 1, solid.colour = 2;
  add_line(plot, band, band.EDT, "EDT", of_EDT, dotted);
  add_line(plot, band, band.T20, "T20", of_T20, dashed);
  add_line(plot, band, band.T30, "T30", of_T30, solid);
  return plot;
}

namespace {

// One curve per pass: `value` of each point against seconds.
template <class Value>
void add_courses(Plot& plot, const Recording& recording, const Value& value) {
  for (std::size_t s = 0; s < std::min(max_courses, recording.energy.size()); ++s) {
    Series series;
    if (recording.energy.size() > 1) series.name = recording.senders()[s].name;
    for (const EnergyPoint& point : recording.energy[s])
      series.points.emplace_back(static_cast<double>(point.step) / recording.sample_rate, value(point));
    series.points = envelope(series.points);
    plot.series.push_back(std::move(series));
  }
}

}  // namespace

Plot energy_plot(const Recording& recording) {
  Plot plot = small_plot("Energy in the room", {"time, s"}, {"dB relative to injected"});
  plot.why_empty = "no energy balance: the run ended before the first";
  add_courses(plot, recording, [](const EnergyPoint& point) {
    return 10.0 * std::log10(std::max(point.energy.stored, 0.0) / std::max(point.energy.injected, 1e-300) + silence);
  });
  return plot;
}

Plot balance_plot(const Recording& recording) {
  Plot plot = small_plot("Energy balance", {"time, s"}, {"|error| / injected", true});
  plot.why_empty = "no energy balance: the run ended before the first";
  add_courses(plot, recording, [](const EnergyPoint& point) { return std::max(std::abs(point.balance_error), 1e-18); });
  return plot;
}

}  // namespace fdtd

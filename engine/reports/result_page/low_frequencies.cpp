#include "engine/reports/result_page/low_frequencies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/math/fourier.hpp"
#include "engine/reports/page.hpp"
#include "engine/responses/resampler.hpp"

namespace fdtd {
namespace {

constexpr double lowest = 20.0;  // Hz
constexpr double rise = 0.01;    // s, of the window: half a Hann window
constexpr std::size_t slices = 16, columns = 110;
constexpr double floor_level = -50.0;  // dB, of the waterfall
constexpr double silent = 1e-30;
constexpr std::size_t most_marks = 400;  // modes

// The response at four times the highest frequency of the plots, which makes its spectra cheap.
std::vector<double> slow(const Response& response, double highest, double& rate) {
  rate = std::min(response.rate, 4.0 * highest);
  if (rate == response.rate) return {response.samples.begin(), response.samples.end()};
  std::vector<double> out;
  Resampler resampler(response.rate, rate);
  resampler.put(response.samples, out);
  resampler.end(out);
  return out;
}

// Levels in dB at `columns` frequencies from lowest to `highest`, of the samples from `first` s on.
std::vector<double> levels_from(const std::vector<double>& samples, double rate, double first, double highest) {
  std::vector<double> piece(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double t = (static_cast<double>(i) / rate - first) / rise;
    const double window = t <= 0.0 ? 0.0 : t >= 1.0 ? 1.0 : 0.5 * (1.0 - std::cos(std::numbers::pi * t));
    piece[i] = window * samples[i];
  }
  const std::int64_t length = smooth_length(
      std::max(static_cast<std::int64_t>(piece.size()), static_cast<std::int64_t>(rate)));  // bins of 1 Hz or less
  const auto spectrum = real_fft(piece, length);
  const double bin = rate / static_cast<double>(length);
  std::vector<double> levels;
  const double step = (highest - lowest) / static_cast<double>(columns - 1);
  for (std::size_t c = 0; c < columns; ++c) {  // the strongest bin of each column
    const double f = lowest + step * static_cast<double>(c);
    const auto from = static_cast<std::size_t>(std::lround((f - step / 2.0) / bin));
    const auto to = std::min(static_cast<std::size_t>(std::lround((f + step / 2.0) / bin)), spectrum.size() - 1);
    double power = 0.0;
    for (std::size_t k = std::min(from, to); k <= to; ++k) power = std::max(power, std::norm(spectrum[k]));
    levels.push_back(10.0 * std::log10(power + silent));
  }
  return levels;
}

// Marks at the lower end of the axis: axial, tangential and oblique modes of different heights.
void add_modes(Plot& plot, const LowRoom& room, double highest) {
  const std::vector<BoxMode> modes = box_modes(room.box, room.sound_speed, highest);
  if (modes.size() > most_marks) return;
  const char* kinds[] = {"axial modes of the rigid box", "tangential", "oblique"};
  for (std::size_t kind = 0; kind < 3; ++kind) {
    Series marks{kinds[kind], {}, false, false, static_cast<int>(kind) + 1};
    for (const BoxMode& mode : modes) {
      if (static_cast<std::size_t>(std::ranges::count_if(mode.order, [](int n) { return n > 0; })) != kind + 1)
        continue;
      marks.points.emplace_back(mode.frequency, plot.y.low);
      marks.points.emplace_back(mode.frequency, plot.y.low + 9.0 - 2.5 * static_cast<double>(kind));
      marks.points.emplace_back(mode.frequency, std::nan(""));
    }
    if (!marks.points.empty()) plot.series.push_back(std::move(marks));
  }
}

// The frame of a waterfall in pixels: the first curve stands upper left, the last one lower right.
struct Waterfall {
  static constexpr double width = 480.0, height = 320.0, left = 50.0, top = 34.0, right = 62.0, bottom = 44.0;
  static constexpr double shift = 70.0, fall = 100.0;  // of the last curve
  static constexpr double across = width - left - right - shift, tall = height - top - bottom - fall;
  double highest = 0.0;  // Hz
  double x(double frequency, double part) const {
    return left + across * (frequency - lowest) / (highest - lowest) + shift * part;
  }
  static double base(double part) { return top + tall + fall * part; }

  std::string curve(const std::vector<double>& levels, double loudest, double part) const {
    std::string path = fmt::format("M{:.1f},{:.1f}", x(lowest, part), base(part));
    for (std::size_t c = 0; c < columns; ++c) {
      const double f = lowest + (highest - lowest) * static_cast<double>(c) / static_cast<double>(columns - 1);
      const double level = std::clamp((levels[c] - loudest) / -floor_level, -1.0, 0.05);
      path += fmt::format("L{:.1f},{:.1f}", x(f, part), base(part) - tall * (1.0 + level));
    }
    return fmt::format("<path class=\"slice\" d=\"{}L{:.1f},{:.1f}\"/>\n", path, x(highest, part), base(part));
  }

  std::string axes() const {
    std::string svg;
    const double step = highest > 300.0 ? 100.0 : highest > 150.0 ? 50.0 : 20.0;
    for (double f = step; f <= highest; f += step)
      if (f >= lowest)
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g}</text>\n", x(f, 1.0),
                           base(1.0) + 16.0, f);
    for (double level = 0.0; level >= floor_level; level -= 10.0)
      svg += fmt::format(
          "<text x=\"{0}\" y=\"{2:.1f}\" text-anchor=\"end\">{3:g}</text><line class=\"grid\" x1=\"{1}\" "
          "x2=\"{4:.1f}\" y1=\"{5:.1f}\" y2=\"{5:.1f}\"/>\n",
          left - 6.0, left, top + tall * level / floor_level + 4.0, level, left + across,
          top + tall * level / floor_level);
    return svg + fmt::format(
                     "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">frequency, Hz</text>\n<text "
                     "transform=\"translate(13,{:.1f}) rotate(-90)\" text-anchor=\"middle\">level, dB</text>\n",
                     x(0.5 * (lowest + highest), 1.0), height - 8.0, top + tall / 2.0);
  }
};

}  // namespace

double low_end(const Response& response, const LowRoom& room) {
  const double wanted = room.schroeder > 0.0 ? std::max(100.0, 1.33 * room.schroeder) : 200.0;
  return std::max(2.0 * lowest, std::min({wanted, 600.0, response.bandwidth > 0.0 ? response.bandwidth : wanted}));
}

std::vector<BoxMode> box_modes(const std::array<double, 3>& box, double sound_speed, double highest) {
  std::vector<BoxMode> modes;
  if (!(box[0] > 0.0 && box[1] > 0.0 && box[2] > 0.0 && sound_speed > 0.0)) return modes;
  std::array<int, 3> most{};
  for (std::size_t d = 0; d < 3; ++d) most[d] = static_cast<int>(2.0 * highest * box[d] / sound_speed);
  for (int x = 0; x <= most[0]; ++x)
    for (int y = 0; y <= most[1]; ++y)
      for (int z = 0; z <= most[2]; ++z) {
        const double frequency = 0.5 * sound_speed * std::hypot(x / box[0], y / box[1], z / box[2]);
        if (frequency > 0.0 && frequency <= highest) modes.push_back({frequency, {x, y, z}});
      }
  std::ranges::stable_sort(modes, {}, &BoxMode::frequency);
  return modes;
}

Plot low_spectrum_plot(const Response& response, const LowRoom& room) {
  Plot plot;
  plot.title = "Low frequencies, " + response.name;
  plot.width = 480.0, plot.height = 340.0;
  const double highest = low_end(response, room);
  plot.x = {"frequency, Hz", false, lowest, highest}, plot.y = {"level, dB re free field at 1 m"};
  plot.why_empty = "the response has no samples";
  if (response.samples.empty()) return plot;
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(response.samples.size()));
  const auto spectrum = real_fft(response.samples, length);
  const double bin = response.rate / static_cast<double>(length);
  const auto stride = std::max<std::size_t>(1, static_cast<std::size_t>((highest - lowest) / bin / 500.0));
  Series series{"response", {}, false, false, 0};
  double loudest = -HUGE_VAL;
  for (std::size_t k = static_cast<std::size_t>(std::ceil(lowest / bin)); k < spectrum.size(); k += stride) {
    if (bin * static_cast<double>(k) > highest) break;
    double power = 0.0;
    for (std::size_t i = k; i < std::min(k + stride, spectrum.size()); ++i)
      power = std::max(power, std::norm(spectrum[i]));
    series.points.emplace_back(bin * static_cast<double>(k), 10.0 * std::log10(power + silent));
    loudest = std::max(loudest, series.points.back().second);
  }
  // At least 35 of 90 dB above the curve for the legend, which has up to six rows.
  if (std::isfinite(loudest)) plot.y.high = 5.0 * std::ceil(loudest / 5.0 + 7.0), plot.y.low = plot.y.high - 90.0;
  plot.series.push_back(std::move(series));
  add_modes(plot, room, room.schroeder > 0.0 ? std::min(highest, room.schroeder) : highest);
  if (room.schroeder > lowest && room.schroeder < highest)
    plot.series.push_back({fmt::format("Schroeder frequency, {:.0f} Hz", room.schroeder),
                           {{room.schroeder, plot.y.low}, {room.schroeder, plot.y.high}},
                           true,
                           false,
                           7});
  return plot;
}

std::string waterfall_svg(const Response& response, const LowRoom& room, double onset, double span) {
  const double duration = static_cast<double>(response.samples.size()) / response.rate;
  if (response.samples.empty() || !(span > 4.0 * rise) || onset + span > duration) return "";
  const Waterfall frame{low_end(response, room)};
  double rate = 0.0, loudest = 0.0;
  const std::vector<double> samples = slow(response, frame.highest, rate);
  std::string curves, times;
  for (std::size_t s = 0; s < slices; ++s) {
    const double part = static_cast<double>(s) / static_cast<double>(slices - 1);
    const std::vector<double> levels = levels_from(samples, rate, onset - rise + span * part, frame.highest);
    if (s == 0) loudest = *std::ranges::max_element(levels);
    curves += frame.curve(levels, loudest, part);
    if (s % 5 == 0 || s + 1 == slices)
      times += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{:.2f} s</text>\n", frame.x(frame.highest, part) + 5.0,
                           Waterfall::base(part) + 4.0, span * part);
  }
  const std::string title = escape_html("Waterfall, " + response.name);
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">\n<title>{2}: cumulative spectral decay from {3:g} "
      "to {4:.0f} Hz over {5:.2f} s, down to {6:g} dB</title>\n<text class=\"title\" x=\"{7}\" y=\"18\">{2}</text>\n"
      "{8}{9}{10}</svg>\n",
      Waterfall::width, Waterfall::height, title, lowest, frame.highest, span, floor_level, Waterfall::left,
      frame.axes(), curves, times);
}

}  // namespace fdtd

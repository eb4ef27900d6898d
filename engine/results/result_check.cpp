#include "engine/results/result_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "engine/results/result_schema.hpp"
#include "engine/results/stored_value.hpp"

namespace fdtd {
namespace {

// As the keys of a scene have them.
constexpr double slowest_sound = 50.0, fastest_sound = 10000.0, longest_duration = 3600.0, longest_side = 10000.0;
constexpr double longest_run = 1e10;      // s: three centuries
constexpr double largest_level = 1000.0;  // dB, either way
constexpr double longest_decay = 1e6;     // s
constexpr double largest_gain = 1e6;

[[noreturn]] void damaged(const std::filesystem::path& path, const std::string& what) {
  throw Error(Status::file, path.string() + ": " + what, "the file is damaged, or another program wrote it");
}

bool is_sound_speed(double x) { return x >= slowest_sound && x <= fastest_sound; }

// Orders and mixes of channels, against the channels that the file holds.
void check_channels(const std::filesystem::path& path, const ChannelOptions& channels, const Recording& recording) {
  const auto refuse = [&](const std::string& what) { damaged(path, "/render/capsules/" + what); };
  const double highest = recording.sample_rate / 2.0;
  int largest = 0;
  const auto check_side = [&](const char* name, const std::vector<int>& orders, const std::vector<ChannelMix>& mixes,
                              std::size_t count) {
    const auto inside = [&](int i) { return i >= 0 && static_cast<std::size_t>(i) < count; };
    if (orders.size() != count || std::ranges::any_of(orders, [](int n) { return n < 0; }))
      refuse(fmt::format("{}_orders are not orders from 0 to 9, one for each channel", name));
    if (!std::ranges::all_of(mixes, [&](const ChannelMix& one) {
          return inside(one.of) && inside(one.with) && one.fraction >= 0.0 && one.fraction <= 1.0;
        }))
      refuse(fmt::format("{}_mixes name channels that the file does not hold, or shares outside 0 to 1", name));
    if (!orders.empty()) largest += *std::ranges::max_element(orders);
  };
  check_side("source", channels.source_orders, channels.source_mixes, recording.sources.size());
  check_side("receiver", channels.receiver_orders, channels.receiver_mixes, recording.receivers.size());
  if (channels.cut.size() <= static_cast<std::size_t>(largest)) refuse("cut has fewer values than there are orders");
  check_finite(path, "/render/capsules/cut", channels.cut);
  for (const ChannelFilter& one : channels.filters) {
    const auto inside = [&](int i) { return i >= 0 && static_cast<std::size_t>(i) < recording.sources.size(); };
    if (!inside(one.source) || !inside(one.into) || one.frequencies.empty() || !(one.cut > 0.0 && one.cut <= highest))
      refuse("filter_of names channels that the file does not hold, or filters without values");
    double before = 0.0;
    for (std::size_t k = 0; k < one.frequencies.size(); ++k) {
      if (!(one.frequencies[k] > before) || !(std::abs(one.values[k]) < 1e6))
        refuse("filter_values are not increasing frequencies with finite values");
      before = one.frequencies[k];
    }
  }
  const std::vector<int>& leads = channels.source_leads;
  if (!leads.empty() && (leads.size() != recording.sources.size() || std::ranges::any_of(leads, [&](int lead) {
                           return lead < 0 || lead > std::max<std::int64_t>(recording.samples, 1);
                         })))
    refuse("source_leads are not numbers of samples of the record, one for each source");
  if (!channels.near_field.empty() &&
      channels.near_field.size() != recording.sources.size() * recording.receivers.size())
    refuse("near_field has not one row for each channel");
  if (!channels.near_corner.empty() &&
      channels.near_corner.size() != recording.sources.size() * recording.receivers.size())
    refuse("near_corner has not one value for each channel");
  check_finite(path, "/render/capsules/near_corner", channels.near_corner);
  for (const NearField& one : channels.near_field)
    check_finite(path, "/render/capsules/near_field", {one.begin(), one.end()});
  for (const double cut : channels.cut)
    check_value(path, "/render/capsules/cut", cut, cut >= 0.0 && cut <= highest,
                "it lies between 0 and half the sample rate of /raw");
  for (const double corner : channels.near_corner)
    check_value(path, "/render/capsules/near_corner", corner, corner >= 0.0 && corner <= highest,
                "it lies between 0 and half the sample rate of /raw");
  check_value(path, "/render/capsules sound_speed", channels.sound_speed, is_sound_speed(channels.sound_speed),
              "sound travels at 50 to 10000 m/s");
}

void check_render(const std::filesystem::path& path, const Result& result) {
  const RenderOptions& options = result.options;
  constexpr double highest_rate = 1e6;
  check_value(path, "/render output_rate", options.output_rate,
              options.output_rate > 0.0 && options.output_rate <= highest_rate, "a rate is above 0 and at most 1e6 Hz");
  check_value(path, "/render low_cut", options.low_cut,
              options.low_cut >= 0.0 && options.low_cut < options.output_rate / 2.0,
              "it lies between 0 and half the output rate");
  const double highest = result.recording.sample_rate / 2.0;
  check_value(path, "/render bandwidth", options.bandwidth, options.bandwidth >= 0.0 && options.bandwidth <= highest,
              "it lies between 0 and half the sample rate of /raw");
  check_value(path, "/render branch", options.branch, options.branch >= 0.0 && options.branch <= highest,
              "it lies between 0 and half the sample rate of /raw");
  check_value(path, "/render sound_speed", result.sound_speed,
              result.sound_speed == 0.0 || is_sound_speed(result.sound_speed), "sound travels at 50 to 10000 m/s");
  check_value(path, "/render duration", options.duration,
              options.duration >= 0.0 && options.duration <= longest_duration, "a time lies between 0 and 3600 s");
  if (!options.weights.empty() && options.weights.size() != result.recording.receivers.size())
    damaged(path, "/render/weights has not one value for each receiver");
  check_finite(path, "/render/weights", options.weights);
  if (result.format != "float" && result.format != "pcm24")
    damaged(path, fmt::format("/render format is {}, not float or pcm24", in_quotes(result.format)));
  if (options.air) {
    const std::string air = "/render/air ";
    check_value(path, air + "temperature", options.air->temperature, std::abs(options.air->temperature) <= 100.0,
                "it lies between -100 and 100 degrees Celsius");
    check_value(path, air + "relative_humidity", options.air->relative_humidity,
                options.air->relative_humidity >= 0.0 && options.air->relative_humidity <= 100.0,
                "it lies between 0 and 100 %");
    check_value(path, air + "pressure", options.air->pressure,
                options.air->pressure >= 1.0 && options.air->pressure <= 1000.0, "it lies between 1 and 1000 kPa");
    check_value(path, air + "sound_speed", options.air->sound_speed, is_sound_speed(options.air->sound_speed),
                "sound travels at 50 to 10000 m/s");
    check_value(path, air + "sound_speed", options.air->sound_speed,
                result.sound_speed == 0.0 || result.sound_speed == options.air->sound_speed,
                "/render sound_speed is another");
  }
  const std::size_t channels = result.recording.sources.size() * result.recording.receivers.size();
  if (!options.gain.tables.empty() &&
      (options.gain.of.size() != channels ||
       std::ranges::any_of(options.gain.of, [&](std::uint32_t i) { return i >= options.gain.tables.size(); })))
    damaged(path, fmt::format("/render/gain_of does not name one of {} tables for each of {} channels",
                              options.gain.tables.size(), channels));
  for (const auto& table : options.gain.tables) {
    check_finite(path, "/render/gain", table);
    if (table.size() < 2 || std::ranges::any_of(table, [](double g) { return !(g > 0.0 && g <= largest_gain); }))
      damaged(path, "/render/gain needs rows of two or more values above 0 and at most 1e6");
  }
  if (!options.channels) return;
  check_channels(path, *options.channels, result.recording);
  check_value(path, "/render/capsules sound_speed", options.channels->sound_speed,
              result.sound_speed == 0.0 || options.channels->sound_speed == result.sound_speed,
              "/render sound_speed is another");
}

// The rates against each other and against the numbers of samples, by which rendering allocates. `group`: of responses.
void check_rates(const std::filesystem::path& path, const Result& result, const std::string& group) {
  const Recording& recording = result.recording;
  const RenderOptions& options = result.options;
  check_value(path, "/raw sample_rate", recording.sample_rate, recording.sample_rate > 0.0, "a rate is above 0");
  if (recording.receivers.empty() || recording.sources.empty()) return;
  check_value(path, group + "/pressure sample_rate", result.rendered.sample_rate,
              result.rendered.sample_rate == options.output_rate, "/render output_rate is another");
  if (recording.samples < 1) damaged(path, "/raw holds records without samples");
  const double recorded =
      std::floor(static_cast<double>(recording.samples - 1) / recording.sample_rate * options.output_rate) + 2.0;
  const double expected =
      options.duration > 0.0 ? std::min(std::max(1.0, options.duration * options.output_rate), recorded) : recorded;
  check_value(path, "/raw sample_rate", recording.sample_rate,
              std::abs(static_cast<double>(result.rendered.samples) - expected) <= 2.0,
              "with it, the records are not as long as the responses");
}

// The room, and the places in it. Of rooms with a surface: its bounding box; of boxes: their sides.
void check_places(const std::filesystem::path& path, const Result& result) {
  constexpr double infinite = std::numeric_limits<double>::infinity(), rounding = 1e-6;
  const auto& box = result.room_box;
  const bool sides = box != std::array<double, 3>{};
  std::array<double, 3> low, high;
  low.fill(infinite);
  high.fill(-infinite);
  for (const auto& vertex : result.surface.vertices)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], vertex[d]);
      high[d] = std::max(high[d], vertex[d]);
    }
  const bool surface = !result.surface.vertices.empty();
  for (std::size_t d = 0; d < 3; ++d) {
    if (sides)
      check_value(path, "/provenance box", box[d], box[d] > 0.0 && box[d] <= longest_side,
                  "a side is above 0 and at most 10000 m");
    if (surface)
      check_value(path, "/room/vertices", high[d] - low[d], high[d] - low[d] >= 0.0 && high[d] - low[d] <= longest_side,
                  "a side is at most 10000 m");
    if (sides && surface)
      check_value(path, "/provenance box", box[d], std::abs(box[d] - (high[d] - low[d])) <= rounding * longest_side,
                  "the surface in /room has another side");
    if (surface) continue;
    low[d] = sides ? 0.0 : -infinite;
    high[d] = sides ? box[d] : infinite;
  }
  const auto check_side = [&](const char* group, const std::vector<ChannelId>& channels, const auto& positions) {
    for (std::size_t i = 0; i < positions.size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        const double x = positions[i][d], slack = rounding * (std::abs(x) + high[d] - low[d]);
        if (std::isfinite(slack) && !(x >= low[d] - slack && x <= high[d] + slack))
          damaged(path, fmt::format("{}/{} position: {:g} is outside the room", group, channels[i].name, x));
      }
  };
  check_side("/sources", result.recording.sources, result.source_positions);
  check_side("/receivers", result.recording.receivers, result.receiver_positions);
}

// Values that follow from others: peaks from responses, the sums of records from the records.
void check_derived(const std::filesystem::path& path, const SealedFile& file, const Result& result) {
  const Recording& recording = result.recording;
  const std::size_t sources = recording.sources.size(), receivers = recording.receivers.size();
  const bool arrays = file.integer("/", "schema_version") == schema_of_arrays;
  const auto check_peaks = [&](const std::string& name, const std::vector<double>& stored, std::size_t channel,
                               std::size_t step) {
    for (const double peak : stored) {
      const auto from = result.rendered.ir.begin() + static_cast<std::ptrdiff_t>(channel) * result.rendered.samples;
      double most = 0.0;
      std::for_each(from, from + result.rendered.samples, [&](double x) { most = std::max(most, std::abs(x)); });
      check_value(path, name, peak, peak == most, "its response has another peak");
      channel += step;
    }
  };
  const auto check_sums = [&](const std::string& name, std::size_t row, std::size_t channel) {
    const std::int64_t samples = recording.samples;
    const std::vector<double> sums = file.read<double>(name, Runs{static_cast<std::int64_t>(row) * samples, samples});
    double sum = 0.0;
    for (std::size_t n = 0; n < sums.size(); ++n) {
      sum += recording.pressure[channel * static_cast<std::size_t>(samples) + n];
      check_value(path, name, sums[n], sums[n] == sum, "the record sums to another pressure");
    }
  };
  if (arrays) {
    if (file.exists("/responses/peak")) {
      const auto peaks = file.read<double>("/responses/peak");
      if (peaks.size() != sources * receivers) damaged(path, "/responses/peak has not one value for each response");
      check_peaks("/responses/peak", peaks, 0, 1);
    }
    for (std::size_t c = 0; result.raw && c < sources * receivers; ++c) check_sums("/responses/raw_pressure", c, c);
    return;
  }
  for (std::size_t r = 0; r < receivers; ++r) {
    const std::string response = "/receivers/" + recording.receivers[r].name + "/pressure",
                      sums = "/raw/" + recording.receivers[r].name + "/pressure";
    if (file.has(response, "peak")) {
      const auto peaks = file.numbers(response, "peak");
      if (peaks.size() != sources) damaged(path, response + " peak has not one value for each source");
      check_peaks(response + " peak", peaks, r, receivers);
    }
    if (!file.exists(sums)) continue;
    const std::vector<std::int64_t> shape = file.shape(sums);
    if (shape != std::vector{static_cast<std::int64_t>(sources), recording.samples})
      damaged(path, sums + " does not have the shape sources x samples");
    for (std::size_t s = 0; s < sources; ++s) check_sums(sums, s, s * receivers + r);
  }
}

void check_figures(const std::filesystem::path& path, const Result& result) {
  if (!result.figures) return;
  const FigureTable& figures = *result.figures;
  const double length = static_cast<double>(result.rendered.samples) / std::max(result.rendered.sample_rate, 1e-9);
  double before = 0.0;
  for (std::size_t b = 0; b < figures.centres.size(); ++b) {
    const bool last = b + 1 == figures.centres.size();
    const double centre = figures.centres[b];
    check_value(path, "/metrics/centre", centre, last ? centre == 0.0 || centre > before : centre > before,
                "centres rise, and only the last is 0");
    before = centre;
  }
  for (const double onset : figures.onset)
    if (!std::isnan(onset))
      check_value(path, "/metrics/onset", onset, onset >= 0.0 && onset <= length, "it lies within the response");
  for (std::size_t f = 0; f < figure_count; ++f) {
    const std::string name = named_figures[f].name;
    const bool fraction = name == "D50", level = name == "C50" || name == "C80" || name == "G", centre = name == "Ts",
               time = name == "EDT" || name == "T20" || name == "T30";
    for (const double x : figures.values[f]) {
      if (std::isnan(x)) continue;
      const bool holds = fraction ? x >= 0.0 && x <= 1.0
                         : level  ? std::abs(x) <= largest_level
                         // An octave's filter has sound before the onset, too: a pulse alone has its centre there.
                         : centre ? x >= -1.0 && x <= longest_decay
                         : time   ? x >= 0.0 && x <= longest_decay
                                  : std::abs(x) <= longest_decay;
      check_value(path, "/metrics/" + name, x, holds,
                  fraction ? "a share lies between 0 and 1"
                  : level  ? "a level lies within 1000 dB"
                  : centre ? "a time lies between -1 and 1e6 s"
                  : time   ? "a time lies between 0 and 1e6 s"
                           : "it lies within 1e6");
    }
  }
}

void check_run(const std::filesystem::path& path, const Result& result) {
  check_value(path, "/provenance/run wall_seconds", result.run.wall_seconds,
              result.run.wall_seconds >= 0.0 && result.run.wall_seconds <= longest_run,
              "a time lies between 0 and 1e10 s");
  for (std::size_t s = 0; s < result.recording.energy.size(); ++s)
    for (const EnergyPoint& point : result.recording.energy[s])
      check_value(
          path,
          (result.recording.exchanged ? "/exchanged/" : "/energy/") + result.recording.senders()[s].name + "/step",
          static_cast<double>(point.step), point.step < std::max<std::int64_t>(result.recording.samples, 2),
          "the record has fewer samples");
}

}  // namespace

void check_result(const std::filesystem::path& path, const SealedFile& file, const Result& result) {
  const Recording& recording = result.recording;
  const bool arrays = file.integer("/", "schema_version") == schema_of_arrays;
  check_run(path, result);
  check_rates(path, result,
              recording.receivers.empty() ? ""
              : arrays                    ? "/responses"
                                          : "/receivers/" + recording.receivers[0].name);
  check_render(path, result);
  check_places(path, result);
  check_figures(path, result);
  check_derived(path, file, result);
}

}  // namespace fdtd

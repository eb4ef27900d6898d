#include "engine/results/response_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "base/error.hpp"
#include "engine/results/stored_value.hpp"

namespace fdtd {
namespace {

using Vectors = std::vector<std::array<double, 3>>;

[[noreturn]] void damaged(const std::filesystem::path& path, const std::string& what) {
  throw Error(Status::file, path.string() + ": " + what, "the file is damaged, or another program wrote it");
}

void write_values(H5File& file, const std::string& path, std::vector<std::uint64_t> shape,
                  std::span<const double> values) {
  file.write_later<double>(path, shape, [values](const H5File::Put& put) { put(std::as_bytes(values)); });
}

void write_vectors(H5File& file, const std::string& path, const Vectors& vectors) {
  std::vector<double> values;
  for (const auto& vector : vectors) values.insert(values.end(), vector.begin(), vector.end());
  file.write<double>(path, values, {vectors.size(), 3});
}

// The cumulative sums of every row of `samples` values.
void put_sums(std::span<const double> values, std::size_t samples, const H5File::Put& put) {
  std::vector<double> row(samples);
  for (std::size_t at = 0; samples > 0 && at < values.size(); at += samples) {
    double sum = 0.0;
    for (std::size_t n = 0; n < samples; ++n) row[n] = sum += values[at + n];
    put(std::as_bytes(std::span(row)));
  }
}

std::vector<double> peaks_of(const Rendered& rendered, std::size_t channels) {
  const auto samples = static_cast<std::size_t>(rendered.samples);
  std::vector<double> peaks(channels, 0.0);
  for (std::size_t i = 0; i < rendered.ir.size(); ++i) {
    double& peak = peaks[i / samples];
    peak = std::max(peak, std::abs(rendered.ir[i]));
  }
  return peaks;
}

Vectors read_vectors(const SealedFile& file, const std::filesystem::path& path, const std::string& name,
                     std::size_t count) {
  if (file.shape(name) != std::vector<std::int64_t>{static_cast<std::int64_t>(count), 3})
    damaged(path, name + " does not have the shape receivers x 3");
  const std::vector<double> values = file.read<double>(name);
  check_finite(path, name, values);
  Vectors vectors(count);
  for (std::size_t i = 0; i < values.size(); ++i) vectors[i / 3][i % 3] = values[i];
  return vectors;
}

// An array sources x receivers x samples; returns the number of samples.
std::int64_t read_samples(const SealedFile& file, const std::filesystem::path& path, const std::string& name,
                          const Recording& names, std::vector<double>& values) {
  const auto shape = file.shape(name);
  if (shape.size() != 3 || shape[0] != static_cast<std::int64_t>(names.sources.size()) ||
      shape[1] != static_cast<std::int64_t>(names.receivers.size()))
    damaged(path, name + " does not have the shape sources x receivers x samples");
  values = file.read<double>(name);
  check_finite(path, name, values);
  return shape[2];
}

}  // namespace

const char* response_convention() {
  return "digital filter: convolved with a monopole's free-field pressure at 1 m it gives the pressure at the "
         "receiver; "
         "sample 0 is the "
         "emission, the samples of one arrival over r metres sum to 1/r";
}

void write_response_arrays(H5File& file, const Result& result) {
  const Recording& recording = result.recording;
  const Rendered& rendered = result.rendered;
  const std::uint64_t sources = recording.sources.size(), receivers = recording.receivers.size();
  const auto samples = static_cast<std::uint64_t>(rendered.samples),
             steps = static_cast<std::uint64_t>(recording.samples);
  file.group("/responses");
  file.write_texts("/responses/name", channel_names(recording.receivers));
  write_vectors(file, "/responses/position", result.receiver_positions);
  if (std::ranges::any_of(result.receiver_directions, [](const auto& v) { return v != std::array<double, 3>{}; }))
    write_vectors(file, "/responses/direction", result.receiver_directions);
  write_values(file, "/responses/pressure", {sources, receivers, samples}, rendered.ir);
  file.set("/responses/pressure", "sample_rate", rendered.sample_rate);
  file.set("/responses/pressure", "convention", std::string(response_convention()));
  file.write<double>("/responses/peak", peaks_of(rendered, sources * receivers), {sources, receivers});
  write_values(file, "/responses/record", {sources, receivers, steps}, recording.pressure);
  if (result.raw)
    file.write_later<double>("/responses/raw_pressure", {sources, receivers, steps},
                             [&recording](const H5File::Put& put) {
                               put_sums(recording.pressure, static_cast<std::size_t>(recording.samples), put);
                             });
}

std::vector<ChannelId> read_response_channels(const SealedFile& file, const std::filesystem::path& path) {
  const std::vector<std::string> names = file.read_texts("/responses/name");
  check_stored_names(path, "/responses/name", names);
  if (std::set(names.begin(), names.end()).size() != names.size()) damaged(path, "/responses/name holds a name twice");
  return read_channel_names(names);
}

void read_response_arrays(const SealedFile& file, const std::filesystem::path& path, Result& result) {
  Recording& recording = result.recording;
  recording.receivers = read_response_channels(file, path);
  const std::size_t receivers = recording.receivers.size();
  result.receiver_positions = read_vectors(file, path, "/responses/position", receivers);
  result.receiver_directions = file.exists("/responses/direction")
                                   ? read_vectors(file, path, "/responses/direction", receivers)
                                   : Vectors(receivers);
  recording.samples = read_samples(file, path, "/responses/record", recording, recording.pressure);
  result.rendered.samples = read_samples(file, path, "/responses/pressure", recording, result.rendered.ir);
  result.rendered.sample_rate = file.number("/responses/pressure", "sample_rate");
  result.raw = file.exists("/responses/raw_pressure");
}

void write_figures(H5File& file, const Recording& recording, const FigureTable& figures) {
  const std::uint64_t sources = recording.sources.size(), receivers = recording.receivers.size(),
                      bands = figures.centres.size();
  file.write<double>("/metrics/centre", figures.centres);
  file.write<double>("/metrics/onset", figures.onset, {sources, receivers});
  for (std::size_t f = 0; f < figure_count; ++f)
    if (!figures.values[f].empty())
      file.write<double>(std::string("/metrics/") + named_figures[f].name, figures.values[f],
                         {sources, receivers, bands});
}

std::optional<FigureTable> read_figures(const SealedFile& file, const std::filesystem::path& path,
                                        const Recording& recording) {
  if (!file.exists("/metrics/centre")) return std::nullopt;
  FigureTable figures;
  figures.centres = file.read<double>("/metrics/centre");
  check_finite(path, "/metrics/centre", figures.centres);
  if (figures.centres.empty()) damaged(path, "/metrics/centre is empty");
  figures.channels = recording.sources.size() * recording.receivers.size();
  const auto read = [&](const std::string& name, std::vector<double>& values, std::size_t bands) {
    values = file.read<double>(name);
    if (values.size() != figures.channels * bands)
      damaged(path, fmt::format("{} does not hold {} values for each response", name, bands));
    const auto infinite = std::ranges::find_if(values, [](double x) { return std::isinf(x); });
    if (infinite != values.end())
      damaged(path, fmt::format("{}: value {} is infinite", name, infinite - values.begin()));
  };
  read("/metrics/onset", figures.onset, 1);
  for (std::size_t f = 0; f < figure_count; ++f) {
    const std::string name = std::string("/metrics/") + named_figures[f].name;
    if (f < main_figures || file.exists(name))
      read(name, figures.values[f], figures.centres.size());
    else if (f < figures_of_decay)  // files of older versions
      figures.values[f].assign(figures.channels * figures.centres.size(), std::numeric_limits<double>::quiet_NaN());
  }
  return figures;
}

}  // namespace fdtd

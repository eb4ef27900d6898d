#include "engine/session/measured_sofa.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "engine/files/h5_foreign.hpp"
#include "engine/measured/measured_value.hpp"

namespace fdtd {
namespace {

using Position = std::array<double, 3>;
constexpr std::uint64_t longest_sofa = std::uint64_t{1} << 23;  // samples a response

[[noreturn]] void refuse_sofa(const std::filesystem::path& file, const std::string& why,
                              const std::string& remedy = "") {
  throw Error(Status::file, fmt::format("{}: {}", file.string(), why), remedy);
}

// Positions in m by measurement; empty: not stated in a form that is known.
std::vector<Position> positions_in(const ForeignH5& file, const std::string& name, std::uint64_t measurements) {
  const auto shape = file.shape(name);
  if (!shape || shape->size() != 2 || (*shape)[1] != 3 || ((*shape)[0] != 1 && (*shape)[0] != measurements)) return {};
  const bool spherical = file.text(name, "Type").value_or("cartesian") == "spherical";
  std::vector<Position> list;
  for (std::uint64_t m = 0; m < measurements; ++m) {
    const std::vector<double> p = file.read(name, {(*shape)[0] == 1 ? 0 : m, 0}, {1, 3});
    const double azimuth = p[0] * std::numbers::pi / 180.0, elevation = p[1] * std::numbers::pi / 180.0;
    list.push_back(spherical ? Position{p[2] * std::cos(elevation) * std::cos(azimuth),
                                        p[2] * std::cos(elevation) * std::sin(azimuth), p[2] * std::sin(elevation)}
                             : Position{p[0], p[1], p[2]});
  }
  return list;
}

// "by measurement: A, B": one name for each measurement, as results/sofa.cpp writes them.
std::vector<std::string> described_names(const ForeignH5& file, const char* attribute, std::uint64_t measurements) {
  const std::string text = file.text("/", attribute).value_or(""), head = "by measurement: ";
  if (!text.starts_with(head)) return {};
  std::vector<std::string> names;
  for (std::size_t at = head.size(); at <= text.size();) {
    const std::size_t end = std::min(text.find(", ", at), text.size());
    names.push_back(text.substr(at, end - at));
    if (!name_fault(names.back()).empty()) return {};
    at = end + 2;
  }
  return names.size() == measurements ? names : std::vector<std::string>();
}

double distance(const Position& a, const Position& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

// Names by place: those of `known` within 10 cm, else numbers of different places.
std::vector<std::string> names_by_place(const std::vector<Position>& places, const std::vector<NamedPosition>& known,
                                        const char* what, std::uint64_t measurements) {
  constexpr double near = 0.1;
  std::vector<std::string> names;
  std::vector<Position> seen;
  for (const Position& place : places) {
    const NamedPosition* nearest = nullptr;
    for (const NamedPosition& one : known)
      if (distance(one.position, place) <= near &&
          (nearest == nullptr || distance(one.position, place) < distance(nearest->position, place)))
        nearest = &one;
    std::size_t number = 0;
    while (number < seen.size() && distance(seen[number], place) > 1e-6) ++number;
    if (number == seen.size()) seen.push_back(place);
    names.push_back(nearest != nullptr ? nearest->name : fmt::format("{} {}", what, number + 1));
  }
  if (places.empty())
    for (std::uint64_t m = 0; m < measurements; ++m) names.push_back(fmt::format("{} {}", what, m + 1));
  return names;
}

struct SofaShape {
  std::uint64_t measurements = 0, samples = 0;
  double rate = 0.0;
};

SofaShape shape_of(const std::filesystem::path& path, const ForeignH5& file, const ResponseFileOptions& how) {
  if (file.text("/", "Conventions") != "SOFA") refuse_sofa(path, "an HDF5 file, but none of SOFA");
  const auto shape = file.shape("Data.IR");
  if (file.text("/", "DataType") != "FIR" || !shape || shape->size() != 3)
    refuse_sofa(path, "holds no responses: its DataType is not FIR, with Data.IR of M x R x N",
                "convert it, for example to WAV files ir_SOURCE_RECEIVER.wav");
  if ((*shape)[0] < 1 || (*shape)[0] > max_measured_pairs || (*shape)[2] < 1 || (*shape)[2] > longest_sofa)
    refuse_sofa(path, fmt::format("{} responses of {} samples: at most {} of {}", (*shape)[0], (*shape)[2],
                                  max_measured_pairs, longest_sofa));
  if (static_cast<std::uint64_t>(how.channel) > (*shape)[1])
    refuse_sofa(path, fmt::format("has {} receivers (R) a measurement, not {}", (*shape)[1], how.channel),
                "choose another with --channel");
  const auto rates = file.shape("Data.SamplingRate");
  if (!rates || rates->size() != 1 || (*rates)[0] != 1)
    refuse_sofa(path, "its responses have no rate in common, Data.SamplingRate");
  const double rate = file.read("Data.SamplingRate", {0}, {1})[0];
  if (!(rate >= 100.0 && rate <= 1e7)) refuse_sofa(path, fmt::format("a sample rate of {:g} Hz", rate));
  return {(*shape)[0], (*shape)[2], rate};
}

}  // namespace

RoomFigures read_sofa_figures(const std::filesystem::path& path, const RoomFigures& run, const ResponseFileOptions& how,
                              std::vector<std::string>& warnings) {
  const ForeignH5 file(path);
  const SofaShape shape = shape_of(path, file, how);
  const auto names = [&](const char* attribute, const char* places, const std::vector<NamedPosition>& known,
                         const char* what) {
    std::vector<std::string> described = described_names(file, attribute, shape.measurements);
    return described.empty()
               ? names_by_place(positions_in(file, places, shape.measurements), known, what, shape.measurements)
               : described;
  };
  const std::vector<std::string> sources = names("SourceDescription", "SourcePosition", run.sources, "source"),
                                 listeners =
                                     names("ListenerDescription", "ListenerPosition", run.receivers, "listener");
  MetricsOptions options;
  options.valid_bandwidth = how.max_frequency;
  if (how.scale > 0.0) options.scale = how.scale;
  RoomFigures figures;
  figures.other_octaves = "not within the valid band of the responses";
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t m = 0; m < shape.measurements; ++m) {
    const std::string name = fmt::format("{}, measurement {}", path.string(), m + 1);
    if (!seen.emplace(sources[m], listeners[m]).second)
      refuse_sofa(path, fmt::format("measurement {} is another of {} at {}", m + 1, in_quotes(sources[m]),
                                    in_quotes(listeners[m])));
    const std::vector<double> samples =
        file.read("Data.IR", {m, static_cast<std::uint64_t>(how.channel - 1), 0}, {1, 1, shape.samples});
    for (const double sample : samples)
      if (!std::isfinite(sample)) refuse_sofa(path, fmt::format("measurement {}: a sample is not finite", m + 1));
    const ResponseFile found = measure_samples(name, samples, shape.rate, options, how.any_signal);
    add_response(figures, sources[m], listeners[m], found.metrics);
    for (const std::string& warning : found.warnings) warnings.push_back(name + ": " + warning);
  }
  return figures;
}

}  // namespace fdtd

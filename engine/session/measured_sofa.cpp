#include "engine/session/measured_sofa.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "engine/aes69/aes69_file.hpp"
#include "engine/measured/measured_value.hpp"

namespace fdtd {
namespace {

using Position = Aes69Vector;
constexpr std::uint64_t longest_sofa = std::uint64_t{1} << 23;  // samples a response

// Positions in m by measurement; empty: not stated in a form that is known.
std::vector<Position> positions_in(const Aes69File& file, const std::string& name, std::uint64_t measurements) {
  try {
    return file.vectors(name, measurements);
  } catch (const Error&) {
    return {};
  }
}

// "by measurement: A, "front, left"": one name for each measurement, as results/sofa.cpp writes them.
std::vector<std::string> described_names(const Aes69File& file, const char* attribute, std::uint64_t measurements) {
  const std::string text = file.text(attribute), head = "by measurement: ";
  if (!text.starts_with(head)) return {};
  std::vector<std::string> names;
  for (std::size_t at = head.size(); at <= text.size();) {
    const bool quoted = text[at] == '"';  // of a name that holds a comma
    const std::size_t begin = at + (quoted ? 1 : 0), close = quoted ? text.find('"', begin) : begin,
                      end = std::min(text.find(", ", close), text.size());
    if (quoted && close + 1 != end) return {};
    names.push_back(text.substr(begin, quoted ? close - begin : end - begin));
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

Aes69Shape shape_of(const Aes69File& file, const ResponseFileOptions& how) {
  if (file.data_type() != "FIR")
    file.refuse("holds no responses: its DataType is not FIR, with Data.IR of M x R x N",
                "convert it, for example to WAV files ir_SOURCE_RECEIVER.wav");
  const Aes69Shape shape = file.responses();
  if (shape.M > max_measured_pairs || shape.N > longest_sofa)
    file.refuse(
        fmt::format("{} responses of {} samples: at most {} of {}", shape.M, shape.N, max_measured_pairs, longest_sofa),
        "leave some out, or cut the responses");
  if (static_cast<std::uint64_t>(how.channel) > shape.R)
    file.refuse(fmt::format("has {} receivers (R) a measurement, not {}", shape.R, how.channel),
                "choose another with --channel");
  return shape;
}

}  // namespace

RoomFigures read_sofa_figures(const std::filesystem::path& path, const RoomFigures& run, const ResponseFileOptions& how,
                              std::vector<std::string>& warnings) {
  const Aes69File file(path);
  const Aes69Shape shape = shape_of(file, how);
  const double rate = file.sampling_rate();
  const auto names = [&](const char* attribute, const char* places, const std::vector<NamedPosition>& known,
                         const char* what) {
    std::vector<std::string> described = described_names(file, attribute, shape.M);
    return described.empty() ? names_by_place(positions_in(file, places, shape.M), known, what, shape.M) : described;
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
  for (std::size_t m = 0; m < shape.M; ++m) {
    const std::string name = fmt::format("{}, measurement {}", path.string(), m + 1);
    if (!seen.emplace(sources[m], listeners[m]).second)
      file.refuse(
          fmt::format("measurement {} is another of {} at {}", m + 1, in_quotes(sources[m]), in_quotes(listeners[m])));
    const std::vector<double> samples = file.response(m, static_cast<std::uint64_t>(how.channel - 1));
    const ResponseFile found = measure_samples(name, samples, rate, options, how.any_signal);
    add_response(figures, sources[m], listeners[m], found.metrics);
    for (const std::string& warning : found.warnings) warnings.push_back(name + ": " + warning);
  }
  return figures;
}

}  // namespace fdtd

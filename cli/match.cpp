// fdtd match RESULT MEASURED: how a run differs from what was measured in the room.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "cli/command.hpp"
#include "cli/documents.hpp"
#include "cli/terminal/say.hpp"
#include "engine/reports/match_report.hpp"
#include "engine/responses/octave_filter.hpp"
#include "engine/session/measured_room.hpp"

namespace fdtd::cli {
namespace {

struct MatchCommand {
  std::string result;
  std::vector<std::string> measured, pairs;
  std::string bands = "125:4000";
  ResponseFileOptions how;
  bool json = false;
};

struct MatchDocument {
  std::string result;
  std::vector<std::string> measured;
  const Match* match = nullptr;
};

const JsonFields<MatchDocument>& document_fields() {
  static const auto fields =
      JsonFields<MatchDocument>()
          .value("result", "", "Path of the result.", &MatchDocument::result)
          .value("measured", "", "Paths of what was measured.", &MatchDocument::measured)
          .include(match_fields(), [](const MatchDocument& of) -> const Match& { return *of.match; });
  return fields;
}

// "S:R" in two; R may be a microphone of an array, "D:m01" or "D::front".
std::optional<std::pair<std::string, std::string>> parted(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == text.npos || colon == 0 || colon + 1 == text.size()) return std::nullopt;
  return std::pair(text.substr(0, colon), text.substr(colon + 1));
}

// "S:R=S2:R2" or "S:R=FILE". Names may hold "=": S:R is the longest pair of the run that fits, and ends at the first "=" after
// its colon where none does.
PairNames parse_pair(const std::string& text, const RoomFigures& run_figures) {
  auto equal = text.find('=', std::min(text.find(':'), text.size()));
  std::size_t longest = 0;
  for (const PairFigures& pair : run_figures.pairs) {
    const std::string head = pair.source + ":" + pair.receiver;
    if (text.starts_with(head + "=") && head.size() > longest) equal = longest = head.size();
  }
  const auto run = parted(text.substr(0, equal));
  if (equal == text.npos || !run || equal + 1 == text.size())
    throw Error(Status::scene, fmt::format("--pair: {} does not pair a response with a measured one", in_quotes(text)),
                "write source and receiver of the run, then those of the measurement or the name of a file, as in "
                "--pair S1:R1=LS1:MP1 or --pair S1:R1=take3.wav");
  const std::string measured = text.substr(equal + 1);
  if (const auto names = parted(measured)) return {run->first, run->second, names->first, names->second};
  return {run->first, run->second, "", measured};
}

// "125:4000": two octaves.
std::pair<double, double> parse_bands(const std::string& text) {
  std::array<double, 2> band{};
  const auto colon = text.find(':');
  bool good = colon != text.npos;
  for (std::size_t i = 0; i < 2 && good; ++i) {
    const char *const begin = text.data() + (i == 0 ? 0 : colon + 1), *const end =
                                                                          text.data() + (i == 0 ? colon : text.size());
    const auto [last, error] = std::from_chars(begin, end, band[i]);
    good = error == std::errc() && last == end && std::ranges::count(nominal_octaves(), band[i]) == 1;
  }
  if (!good || band[0] > band[1])
    throw Error(Status::scene, fmt::format("--bands: {} is no range of octaves", in_quotes(text)),
                "write the lowest and the highest of 31.5, 63, 125, ..., 16000 Hz, as in 125:4000");
  return {band[0], band[1]};
}

void match(const MatchCommand& options) {
  MatchOptions how;
  std::tie(how.lowest, how.highest) = parse_bands(options.bands);
  const std::filesystem::path file = result_file(options.result);
  const RoomFigures run = room_figures(read_result(file));
  for (const std::string& pair : options.pairs) how.names.push_back(parse_pair(pair, run));
  const MeasuredRoom measured =
      read_measured_room({options.measured.begin(), options.measured.end()}, run, how.names, options.how);
  const Match found = match_figures(run, measured.figures, how);
  if (options.json)
    put_document(json_text(document_fields().write({file.string(), options.measured, &found}), 2) + "\n");
  else
    print_text("{}", match_text(found));
  for (const std::string& warning : measured.warnings) say("warning: {}\n", shortened(warning));
}

}  // namespace

DocumentFields match_document() { return document_fields().all(); }

void add_match(CLI::App& app, int& status) {
  auto options = std::make_shared<MatchCommand>();
  app.add_option("result", options->result, "folder of a run, or its result.h5")->required();
  app.add_option("measured", options->measured,
                 "what was measured: a file of figures (JSON, CSV); responses, as a SOFA file, a folder or files "
                 "ir_SOURCE_RECEIVER.wav (or .flac); or another run")
      ->required();
  app.add_option("--pair", options->pairs,
                 "a source and a receiver of the run and those measured, where names differ: S1:R1=LS1:MP1, or the "
                 "file of the response: S1:R1=take3.wav; repeatable")
      ->allow_extra_args(false);
  app.add_option("--bands", options->bands, "lowest and highest octave of the overall means, in Hz")
      ->capture_default_str();
  app.add_option("--channel", options->how.channel, "for responses: channel of files with several")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--max-frequency", options->how.max_frequency,
                 "for responses: frequency in Hz up to which they are valid; by default from the file's comment or its "
                 "spectrum")
      ->check(CLI::Range(1.0, 1e6));
  app.add_option("--scale", options->how.scale,
                 "for G of responses: the factor by which the samples of the direct sound at 1 m sum to 1")
      ->check(CLI::Range(1e-12, 1e12));
  app.add_flag("--any-signal", options->how.any_signal,
               "for responses: measure files that are no impulse response as well");
  app.add_flag("--json", options->json, "print one JSON document, with every pair, octave and figure");
  app.callback([options, &status] {
    match(*options);
    status = 0;
  });
}

}  // namespace fdtd::cli

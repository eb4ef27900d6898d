// fdtd report RESULT.h5: writes report.html again, or one with other responses. With a second result, the comparison of both.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/reports/result_page/compare_page.hpp"
#include "engine/reports/result_page/report_page.hpp"
#include "engine/reports/result_page/targets.hpp"
#include "engine/session/measured_room.hpp"

namespace fdtd::cli {
namespace {

struct ReportCommand {
  std::string result, other, output;
  ReportChoice choice;
  double megabytes = 1e-6 * static_cast<double>(PlayerChoice{}.most);
  bool force = false;
};

// A result may be named by its folder.
ReportCommand with_files(ReportCommand options) {
  options.result = result_file(options.result).string();
  if (!options.other.empty()) options.other = result_file(options.other).string();
  return options;
}

void write_comparison(const ReportCommand& options) {
  if (options.output.empty())
    throw Error(Status::scene, "a comparison of two results has no file of its own", "name one with -o");
  check_writable(options.output, options.force);
  const Result a = read_result(options.result), b = read_result(options.other);
  write_whole_file(options.output, comparison_html({a, options.result}, {b, options.other}, options.choice),
                   options.force);
  print_text("wrote {}\n", options.output);
}

void write_report(const ReportCommand& options) {
  if (!options.other.empty()) return write_comparison(options);
  const std::filesystem::path file = options.output.empty()
                                         ? std::filesystem::path(options.result).parent_path() / "report.html"
                                         : std::filesystem::path(options.output);
  check_writable(file, options.force);
  write_whole_file(file, report_html(read_result(options.result), options.choice), options.force);
  print_text("wrote {}\n", file.string());
}

}  // namespace

void add_report(CLI::App& app, int& status) {
  auto options = std::make_shared<ReportCommand>();
  app.add_option("result", options->result, "folder of a run, or its result.h5")->required();
  auto* const other = app.add_option("other", options->other,
                                     "the same of another run, to compare the first with: differences of the second "
                                     "less the first, in units and in just noticeable differences, and their curves");
  app.add_option("-o,--output", options->output,
                 "HTML file to write; by default report.html beside the result; required with two results");
  app.add_option("--source", options->choice.sources, "draw only the responses of this source; repeatable");
  app.add_option("--receiver", options->choice.receivers, "draw only the responses at this receiver; repeatable");
  app.add_option(
         "--use", options->choice.use,
         "draw the targets of a use, for the volume of the run: speech, teaching, inclusive, music (DIN 18041), "
         "concert (ISO 3382-1, typical ranges), studio (EBU Tech 3276, ITU-R BS.1116)")
      ->check(CLI::IsMember(room_uses()));
  auto* const dry = app.add_option(
      "--dry", options->choice.players.dry,
      "audio file (WAV, FLAC) with a dry (anechoic) sound to play through the responses: its first channel, "
      "20 s at most; by default a synthesised one");
  dry->excludes(other);
  app.add_option("--audio", options->megabytes, "most megabytes of the page for sound; 0: no players")
      ->check(CLI::Range(0.0, 500.0))
      ->excludes(other)
      ->capture_default_str();
  app.add_flag("--force", options->force, "replace the output file if it exists");
  app.callback([options, &status] {
    options->choice.players.most = static_cast<std::size_t>(1e6 * options->megabytes);
    write_report(with_files(*options));
    status = 0;
  });
}

}  // namespace fdtd::cli

// fdtd compare A B: how the figures of two runs differ, on the terminal and, with -o, as a page.
#include <CLI/App.hpp>

#include <filesystem>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/measured/match.hpp"
#include "engine/reports/match_report.hpp"
#include "engine/reports/result_page/compare_page.hpp"
#include "engine/results/result.hpp"
#include "engine/session/measured_room.hpp"

namespace fdtd::cli {
namespace {

MatchOptions of_runs() {
  MatchOptions options;
  options.words = words_of_runs();
  return options;
}

struct CompareCommand {
  std::string a, b, output;
  bool force = false;
};

void compare(const CompareCommand& options) {
  if (!options.output.empty()) check_writable(options.output, options.force);
  const std::filesystem::path file_a = result_file(options.a), file_b = result_file(options.b);
  const Result a = read_result(file_a), b = read_result(file_b);
  const Match match = match_figures(room_figures(b), room_figures(a), of_runs());
  print_text("A: {}, valid up to {:.6g} Hz\nB: {}, valid up to {:.6g} Hz\n", file_a.string(), a.valid_to(),
             file_b.string(), b.valid_to());
  print_text("{}", comparison_text(match));
  if (options.output.empty()) return;
  write_whole_file(options.output, comparison_html({a, file_a.string()}, {b, file_b.string()}), options.force);
  print_text("wrote {}\n", options.output);
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  auto options = std::make_shared<CompareCommand>();
  app.add_option("A", options->a, "folder of a run, or its result.h5");
  app.add_option("B", options->b, "the same of another run: differences are those of B less A");
  app.add_option("-o,--output", options->output,
                 "HTML file to write, with differences pair by pair and the curves of both over one another");
  app.add_flag("--force", options->force, "replace the output file if it exists");
  app.allow_extras();  // in 0.2 this name was that of the study of stencils, with other options
  app.callback([options, &status, &app] {
    if (options->b.empty() || !app.remaining().empty())
      throw Error(Status::scene, "compare takes two results: fdtd compare A B [-o FILE.html]",
                  "name the folders of two runs; stencil families are compared by `fdtd bench`");
    compare(*options);
    status = 0;
  });
}

}  // namespace fdtd::cli

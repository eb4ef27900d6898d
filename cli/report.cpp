// fdtd report RESULT.h5: the page that `fdtd run` wrote beside it, again or of other responses.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <filesystem>
#include <memory>

#include "cli/command.hpp"
#include "cli/report_page.hpp"
#include "engine/files/atomic_file.hpp"

namespace fdtd::cli {
namespace {

struct ReportCommand {
  std::string result, output;
  ReportChoice choice;
  bool force = false;
};

void write_report(const ReportCommand& options) {
  const std::filesystem::path file = options.output.empty()
                                         ? std::filesystem::path(options.result).parent_path() / "report.html"
                                         : std::filesystem::path(options.output);
  check_writable(file, options.force);
  write_whole_file(file, report_html(read_result(options.result), options.choice), options.force);
  fmt::print("wrote {}\n", file.string());
}

}  // namespace

void add_report(CLI::App& app, int& status) {
  auto options = std::make_shared<ReportCommand>();
  app.add_option("result", options->result, "a result.h5 that `fdtd run` wrote")->required();
  app.add_option("-o,--output", options->output, "the page; report.html beside the result by default");
  app.add_option("--source", options->choice.sources, "draw the responses of this source alone; any number of times");
  app.add_option("--receiver", options->choice.receivers,
                 "draw the responses at this receiver alone; any number of times");
  app.add_flag("--force", options->force, "replace a file that exists");
  app.callback([options, &status] {
    write_report(*options);
    status = 0;
  });
}

}  // namespace fdtd::cli

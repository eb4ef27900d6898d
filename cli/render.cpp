// fdtd render RESULT.h5: renders the impulse responses of a result again, at another rate or in another format.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>

#include "cli/command.hpp"
#include "cli/output_flags.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/threads.hpp"
#include "engine/files/output_folder.hpp"
#include "engine/results/outputs.hpp"
#include "engine/results/result.hpp"

namespace fdtd::cli {
namespace {

struct RenderCommand {
  std::string result;
  std::string folder;
  int rate = 0;           // 0: that of the result
  std::string format;     // empty: that of the result
  int threads = 0;        // 0: all
  double low_cut = -1.0;  // below 0: that of the result
  bool normalize = false;
  bool wave_only = false;
  std::set<std::string> outputs = outputs_of_render();
  bool force = false;
};

void render_result(const RenderCommand& options) {
  Result result = read_result(options.result);
  if (options.rate > 0) result.options.output_rate = options.rate;
  if (options.low_cut >= 0.0) result.options.low_cut = options.low_cut;
  if (!options.format.empty()) result.format = options.format;
  if (options.wave_only) result.above.reset();
  fdtd::render_result(result);

  OutputData data;
  data.result = &result;
  if (options.normalize) {
    double peak = 0.0;
    for (double value : result.rendered.ir) peak = std::max(peak, std::abs(value));
    for (const BinauralReceiver& one : result.binaural)
      for (double value : one.ears) peak = std::max(peak, std::abs(value));
    if (peak > 0.0) data.audio_scale = 1.0 / peak;
  }
  OutputRequest request;
  request.folder = options.folder.empty() ? std::filesystem::path(options.result).parent_path()
                                          : std::filesystem::path(options.folder);
  if (request.folder.empty()) request.folder = ".";
  request.sources = result.recording.sources;
  request.receivers = result.recording.receivers;
  request.rotations = rotations_of(result.binaural);
  request.wanted = options.outputs;
  request.force = options.force;
  OutputFolder folder(request.folder);
  check_outputs(request);
  const Written written = write_outputs(request, data);
  folder.keep();
  if (options.normalize) print_text("all files scaled by {:+.2f} dB\n", 20.0 * std::log10(data.audio_scale));
  for (const auto& remark : result.rendered.remarks) print_text("note: {}\n", remark);
  for (const auto& remark : written.remarks) print_text("note: {}\n", remark);
  print_text("wrote:\n");
  for (const auto& file : written.files) print_text("  {}\n", file.string());
}

}  // namespace

void add_render(CLI::App& app, int& status) {
  auto options = std::make_shared<RenderCommand>();
  app.add_option("result", options->result, "result.h5 of a run")->required();
  app.add_option("-o,--output", options->folder, "output folder; by default that of the result");
  app.add_option("--rate", options->rate, "sample rate in Hz; by default that of the result")
      ->check(CLI::Range(8000, 384000));
  app.add_option("--format", options->format, "sample format: float or pcm24; by default that of the result")
      ->check(CLI::IsMember({"float", "pcm24"}));
  app.add_option("--low-cut", options->low_cut,
                 "frequency of the high-pass in Hz, 0 for none; by default that of the result")
      ->check(CLI::Range(0.0, 1000.0));
  app.add_flag("--normalize", options->normalize, "scale all files by one factor so that the largest sample is 1");
  app.add_flag("--wave-only", options->wave_only,
               "leave out the sound above the waves' band that a scene's [above] adds");
  add_output_flags(app, options->outputs);
  add_threads_option(app, options->threads);
  app.add_flag("--force", options->force, "replace output files that exist");
  app.callback([options, &status] {
    take_threads(options->threads);
    render_result(*options);
    status = 0;
  });
}

}  // namespace fdtd::cli

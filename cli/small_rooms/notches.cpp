// fdtd notches SCENE: which wall makes which notch in the direct sound of a source at a receiver.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <cmath>
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/scene_options.hpp"
#include "cli/small_rooms/notches_report.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/threads.hpp"
#include "engine/reports/result_notches.hpp"
#include "engine/reports/shown_channels.hpp"
#include "engine/results/result.hpp"

namespace fdtd::cli {
namespace {

namespace fs = std::filesystem;

struct NotchesCommand : SceneOptions {
  double from = notch_band.from, to = notch_band.to;
  std::string result;
};

constexpr double same_place = 0.005;  // m

// Looks for the notches in the responses of a run of the scene.
void confirm(std::vector<PairNotches>& pairs, const std::string& path) {
  const fs::path file = fs::is_directory(path) ? fs::path(path) / "result.h5" : fs::path(path);
  const Result result = read_result(file);
  for (PairNotches& pair : pairs) {
    const auto channel = shown_channel(result.recording, pair.source, pair.receiver);
    if (!channel)
      throw Error(Status::scene,
                  fmt::format("{} has no response of {} at {}", file.string(), pair.source, pair.receiver),
                  "name the result of a run of this scene");
    if (pair.blocked) continue;
    if (std::abs(distance_of(result, *channel) - pair.distance) > same_place)
      throw Error(Status::scene,
                  fmt::format("in {} {} and {} are {:.4g} m apart, in the scene {:.4g} m", file.string(), pair.source,
                              pair.receiver, distance_of(result, *channel), pair.distance),
                  "name the result of a run of this scene, or run it again");
    find_dips(pair, result, *channel);
  }
}

void find_notches(const NotchesCommand& command) {
  if (!(command.to > command.from))
    throw Error(Status::scene, fmt::format("--from {:g} --to {:g}: no band of frequencies", command.from, command.to),
                "the second must be larger");
  const Scene scene = load(command);
  NotchesReport report{wall_notches(scene, command.from, command.to), command.from, command.to, {}};
  report.notes = notches_notes(scene);
  if (!command.result.empty()) confirm(report.pairs, command.result);
  if (command.json) return put_document(json_text(notches_json(report), 2) + "\n");
  put_document(notches_text(report));
}

constexpr const char* notches_footer =
    "The first reflection of each wall is added to the direct sound, with the law of the wall at the angle of "
    "incidence; of a rigid wall the notches are where the path of the reflection is longer by an odd number of half "
    "wavelengths, of a desk or a pillar its free edges shift them. A notch is listed where the sum is at least 3 dB "
    "below the direct sound alone. Nothing is run: the "
    "answer takes milliseconds.\n"
    "With --result the response of a run is looked at, averaged over a twelfth of an octave: a dip is its deepest "
    "local minimum within a twelfth of an octave of the notch that is at least 3 dB below the mean power of the octave "
    "around it. A dip may have other causes, too.\n";

}  // namespace

void add_notches(CLI::App& app, int& status) {
  auto command = std::make_shared<NotchesCommand>();
  add_scene_options(app, *command);
  app.add_option("--from", command->from, "lowest frequency in Hz")
      ->check(CLI::Range(5.0, 1000.0))
      ->capture_default_str();
  app.add_option("--to", command->to, "highest frequency in Hz")
      ->check(CLI::Range(10.0, 2000.0))
      ->capture_default_str();
  app.add_option("--result", command->result,
                 "result.h5 of a run of the scene, or its folder: its responses are searched for dips there");
  app.footer(notches_footer);
  app.callback([command, &status] {
    command->threads = take_threads(command->threads, false);
    find_notches(*command);
    status = 0;
  });
}

}  // namespace fdtd::cli

// fdtd place SCENE --source NAME: where a source, or a listener, has the flattest response.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/option_values.hpp"
#include "cli/scene_options.hpp"
#include "cli/small_rooms/place_report.hpp"
#include "cli/small_rooms/room_display.hpp"
#include "cli/small_rooms/wave_options.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/threads.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/output_folder.hpp"
#include "engine/files/output_lock.hpp"

namespace fdtd::cli {
namespace {

namespace fs = std::filesystem;

struct PlaceCommand : SceneOptions {
  WaveOptions waves;
  PlacesRequest how;
  std::string source, receiver, over, target = "flat", folder;
  bool force = false, quiet = false;
};

// "0.2,0.2,0.2,2,3,0.6": a corner and the opposite one.
PlaceBox parse_box(const std::string& text) {
  const auto numbers = parse_numbers(text, 6);
  if (!numbers || !std::ranges::all_of(*numbers, [](double one) { return std::isfinite(one); }))
    throw Error(Status::scene, fmt::format("--over: \"{}\" is no box: six numbers are needed", text),
                "write two opposite corners in m, x,y,z,x,y,z, as in 0.3,0.3,0.3,2,4,0.3");
  const std::vector<double>& values = *numbers;
  PlaceBox box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.low[d] = std::min(values[d], values[d + 3]);
    box.high[d] = std::max(values[d], values[d + 3]);
  }
  return box;
}

void place_in(PlaceCommand& command) {
  PlacesRequest& request = command.how;
  if (command.source.empty() == command.receiver.empty())
    throw Error(Status::scene, "place: one of --source and --receiver is needed", "name what is to be moved");
  request.receiver = command.source.empty();
  request.moved = request.receiver ? command.receiver : command.source;
  request.even = command.target == "even";
  if (!command.over.empty()) request.over = parse_box(command.over);
  set_waves(request.waves, command.waves, command);
  const fs::path folder = command.folder.empty()
                              ? fs::path("out") / (fs::path(command.scene).stem().string() + "-place")
                              : fs::path(command.folder);
  OutputFolder created(folder);
  const OutputLock lock(folder);
  for (const fs::path& file : place_files(folder)) check_writable(file, command.force);
  RoomDisplay display(command.quiet);
  const RoomPlaces result = room_places(request, display.calls());
  display.finish();
  PlaceReport report{&result, &request, {}};
  write_places(report, folder, command.force);
  created.keep();
  for (const fs::path& file : place_files(folder)) report.outputs.push_back(file.string());
  if (command.json) return put_document(json_text(place_json(report), 2) + "\n");
  put_document(place_text(report));
  for (const std::string& file : report.outputs) print_text("wrote {}\n", file);
}

constexpr const char* place_footer =
    "Each seat sends once, and the whole box of candidate places records: by reciprocity that is the response of the "
    "seat to a source at each place. With --source the seats are all receivers of the scene, with --receiver all its "
    "sources; the other sources stay silent. Levels are averages of power over a sixth of an octave. `flat` orders "
    "places by the standard deviation of level over frequency, `even` by that over the seats (the square root of the "
    "mean spatial variance of Welti and Devantier, 2006).\n";

}  // namespace

void add_place(CLI::App& app, int& status) {
  auto command = std::make_shared<PlaceCommand>();
  command->waves.to = 120.0;
  add_scene_options(app, *command);
  app.add_option("--source", command->source, "source to move, for all receivers");
  app.add_option("--receiver", command->receiver, "receiver to move, for all sources");
  app.add_option(
      "--over", command->over,
      "box of candidate places, two corners x,y,z,x,y,z in m; a plane where two are equal; by default the room");
  app.add_option("--target", command->target, "flat: over frequency; even: from seat to seat")
      ->check(CLI::IsMember({"flat", "even"}))
      ->capture_default_str();
  app.add_option("--step", command->how.step, "distance of candidate places in m, to the nearest node of the grid")
      ->check(CLI::Range(0.01, 100.0))
      ->capture_default_str();
  app.add_option("--wall", command->how.from_wall, "least distance of places from walls in m, along each axis")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  add_wave_options(app, command->waves);
  app.add_option("-o,--output", command->folder,
                 "folder of place.h5, place.csv and place.png; out/<scene>-place by default");
  app.add_flag("--force", command->force, "replace output files that exist");
  app.add_flag("--quiet", command->quiet, "print no progress");
  app.footer(place_footer);
  app.callback([command, &status] {
    command->threads = take_threads(command->threads, !command->quiet);
    place_in(*command);
    status = 0;
  });
}

}  // namespace fdtd::cli

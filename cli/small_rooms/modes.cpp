// fdtd modes SCENE: eigenfrequencies, decay times, levels and shapes of a room's modes.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/scene_options.hpp"
#include "cli/small_rooms/modes_report.hpp"
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

struct ModesCommand : SceneOptions {
  WaveOptions waves;
  ModesRequest how;
  std::string folder;
  bool force = false, quiet = false;
};

void find_modes_of(ModesCommand& command) {
  ModesRequest& request = command.how;
  set_waves(request.waves, command.waves, command);
  if (command.folder.empty() && command.force)
    throw Error(Status::scene, "--force applies to the files of --output", "add -o FOLDER, or leave it out");
  std::optional<OutputFolder> created;
  std::optional<OutputLock> lock;
  if (!command.folder.empty()) {
    created.emplace(command.folder);
    lock.emplace(command.folder);
    check_writable(fs::path(command.folder) / "modes.h5", command.force);
  }
  RoomDisplay display(command.quiet);
  const RoomModes room = room_modes(request, display.calls());
  display.finish();
  ModesReport report{&room, request.waves.from, request.waves.to, {}};
  if (created) {
    write_modes(room, command.folder, command.force);
    created->keep();
    for (const fs::path& file : modes_files(room, command.folder)) report.outputs.push_back(file.string());
  }
  if (command.json) return put_document(json_text(modes_json(report), 2) + "\n");
  put_document(modes_text(report));
  if (created)
    print_text("wrote {}{}\n", report.outputs[0],
               report.outputs.size() > 1 ? fmt::format(" and {} picture{} beside it", report.outputs.size() - 1,
                                                       report.outputs.size() == 2 ? "" : "s")
                                         : "");
}

constexpr const char* modes_footer =
    "A run of its own finds the modes, with walls as the scene has them: its duration and its grid are chosen for "
    "modes, and those of the scene do not count. Besides the sources of the scene, three nodes send, one of them in a "
    "corner, so that every mode is excited, and receivers all over the room record, so that none is missed at its "
    "nodes. The exponentials that all records share are found in bands, twice, by different parts of the records; a "
    "mode is one that both estimates share, and their difference is the error that is printed.\n"
    "Modes of one frequency and decay count as one of a multiplicity, which is at most the number of sources: >= marks "
    "a multiplicity that reaches it, and more modes may be there. Above the Schroeder frequency modes overlap, and "
    "the list may lack some. Levels are those of the mode alone at its frequency.\n"
    "With --output the shapes at the receivers all over the room are written, too: modes.h5, and a picture of the "
    "strongest horizontal plane of each.\n";

}  // namespace

void add_modes(CLI::App& app, int& status) {
  auto command = std::make_shared<ModesCommand>();
  command->waves.to = 200.0;
  add_scene_options(app, *command);
  add_wave_options(app, command->waves);
  app.add_option("--points", command->how.points, "number of receivers all over the room, at most")
      ->check(CLI::Range(std::int64_t{8}, std::int64_t{100000}))
      ->capture_default_str();
  app.add_option("-o,--output", command->folder, "folder for the shapes; without it none is written");
  app.add_flag("--force", command->force, "replace output files that exist");
  app.add_flag("--quiet", command->quiet, "print no progress");
  app.footer(modes_footer);
  app.callback([command, &status] {
    command->threads = take_threads(command->threads, !command->quiet);
    find_modes_of(*command);
    status = 0;
  });
}

}  // namespace fdtd::cli

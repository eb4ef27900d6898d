// The files that `fdtd run` and `fdtd render` write, as a table: the name by which a request wants them, their contents,
// their names, how they are written.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "engine/results/audio_files.hpp"

namespace fdtd {

class SnapshotWriter;
struct Result;

// Known before the run, so that files in the way are found before it.
struct OutputRequest {
  std::filesystem::path folder;
  std::vector<ChannelId> sources, receivers;  // their channels (plan/channel_id.hpp)
  Signals signals;                            // Responses::signals
  std::vector<MovingReceiver> moving;         // Responses::moving
  Rotations rotations;                        // of binaural receivers
  std::set<std::string> wanted;               // Output::name
  bool force = false;                         // replace files that exist
};

// The data of the outputs: known after the run.
struct OutputData {
  const Result* result = nullptr;
  double audio_scale = 1.0;                               // of the audio files
  std::function<std::string(const Result&)> report_html;  // the text of report.html, where it is wanted
  SnapshotWriter* snapshots = nullptr;                    // where snapshots are wanted
};

struct Output {
  const char* name;             // "sofa"
  const char *text, *contents;  // "responses*.sofa" and what they hold, in a few words
  // Of the flag by which users want the output, --NAME; empty: runs write it by themselves.
  const char* flag;
  std::vector<std::filesystem::path> (*files)(const OutputRequest&);
  // Throws Error (status file) when a file cannot be written whole.
  Written (*write)(const OutputRequest&, const OutputData&);
};

// In the order in which they are written: first what only the simulation can make again, last the page, by which a run
// is known to be complete.
const std::vector<Output>& outputs();

// The outputs of a run without flags, but for snapshots; of responses alone, as `fdtd render` writes them.
std::set<std::string> outputs_of_run();
std::set<std::string> outputs_of_render();

// Throws Error (status file) when a wanted file exists and may not be replaced, or its folder cannot be written.
void check_outputs(const OutputRequest& request);
// Writes all that is wanted.
Written write_outputs(const OutputRequest& request, const OutputData& data);

}  // namespace fdtd

// The files that `fdtd run` and `fdtd render` write, as a table: what each holds, when it is wanted, its names, how it
// is written.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/results/audio_files.hpp"

namespace fdtd {

class SnapshotWriter;
struct Result;

// Which outputs are wanted: known before the run, so that files in the way are found before it.
struct OutputRequest {
  std::filesystem::path folder;
  std::vector<std::string> sources, receivers;  // names of their channels (channels.hpp)
  Signals signals;                              // Responses::signals
  bool result = true;                           // result.h5 and report.html
  bool sofa = false;
  bool snapshots = false;
  bool force = false;  // replace files that exist
};

// The data of the outputs: known after the run.
struct OutputData {
  const Result* result = nullptr;
  double audio_scale = 1.0;                               // of the audio files
  std::function<std::string(const Result&)> report_html;  // the text of report.html, where it is wanted
  SnapshotWriter* snapshots = nullptr;                    // where snapshots are wanted
};

struct Output {
  const char *name, *contents;  // "result.h5" and what it holds, in a few words
  bool (*wanted)(const OutputRequest&);
  std::vector<std::filesystem::path> (*files)(const OutputRequest&);
  // Throws Error (status file) when a file cannot be written whole.
  Written (*write)(const OutputRequest&, const OutputData&);
};

// In the order in which they are written: first what only the simulation can make again, last the page, by which a run
// is known to be complete.
const std::vector<Output>& outputs();

// Throws Error (status file) when a wanted file exists and may not be replaced, or its folder cannot be written.
void check_outputs(const OutputRequest& request);
// Writes all that is wanted.
Written write_outputs(const OutputRequest& request, const OutputData& data);

}  // namespace fdtd

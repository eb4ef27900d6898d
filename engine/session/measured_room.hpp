// Measurements of a room, whatever file they are in: figures, responses, or another run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/measured/match.hpp"
#include "engine/session/response_file.hpp"

namespace fdtd {

// result.h5 of a run: the file, or the folder that it is in.
std::filesystem::path result_file(const std::filesystem::path& path);

struct MeasuredRoom {
  RoomFigures figures;
  std::vector<std::string> warnings;  // on responses
};

// `paths`: one file with figures (read_measured), a SOFA file (measured_sofa.hpp), result.h5 of a run, or responses: audio files, and folders of which
// every ir_*.wav and ir_*.flac counts. The response of a source and a receiver is ir_SOURCE_RECEIVER.wav (of a run with
// one source also ir_RECEIVER.wav); names are those of `run`, or those that `names` gives them in the measurement, where
// an empty measured_source means that measured_receiver is the name of the file. `how` applies to all audio files. Throws
// Error: as what it reads; status file for kinds of files that it does not know, or a response of no known name.
MeasuredRoom read_measured_room(const std::vector<std::filesystem::path>& paths, const RoomFigures& run,
                                const std::vector<PairNames>& names = {}, const ResponseFileOptions& how = {});

}  // namespace fdtd

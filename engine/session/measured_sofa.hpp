// Responses of a room in a SOFA file (AES69), of this program or any other, and their figures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/measured/room_figures.hpp"
#include "engine/session/response_file.hpp"

namespace fdtd {

// Each measurement (M) is a pair: its names are those that this program writes ("by measurement: ..."), else those of the
// source and the receiver of `run` that stand within 10 cm of its positions, else "source 1", "listener 2", numbered in
// the order of different positions. Of several receivers (R) `how.channel` counts. Data.IR is M x R x N at one rate, of
// DataType FIR; other files are refused with Error (status file), with the reason.
RoomFigures read_sofa_figures(const std::filesystem::path& file, const RoomFigures& run, const ResponseFileOptions& how,
                              std::vector<std::string>& warnings);

}  // namespace fdtd

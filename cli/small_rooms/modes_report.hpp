// The tables, the JSON and the files of `fdtd modes`.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/small_rooms/room_modes.hpp"

namespace fdtd::cli {

struct ModesReport {
  const RoomModes* room = nullptr;
  double from = 0.0, to = 0.0;
  std::vector<std::string> outputs;  // paths of the files that were written
};

std::string modes_text(const ModesReport& report);
nlohmann::ordered_json modes_json(const ModesReport& report);

// Of the folder: modes.h5, then one picture for each mode.
std::vector<std::filesystem::path> modes_files(const RoomModes& room, const std::filesystem::path& folder);
// Throws Error (file).
void write_modes(const RoomModes& room, const std::filesystem::path& folder, bool force);

}  // namespace fdtd::cli

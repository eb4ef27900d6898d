// The table, the JSON and the files of `fdtd place`.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/small_rooms/room_places.hpp"

namespace fdtd::cli {

struct PlaceReport {
  const RoomPlaces* result = nullptr;
  const PlacesRequest* request = nullptr;
  std::vector<std::string> outputs;  // paths of the files that were written
};

std::string place_text(const PlaceReport& report);
nlohmann::ordered_json place_json(const PlaceReport& report);

// place.h5, place.csv, place.png.
std::vector<std::filesystem::path> place_files(const std::filesystem::path& folder);
void write_places(const PlaceReport& report, const std::filesystem::path& folder, bool force);

}  // namespace fdtd::cli

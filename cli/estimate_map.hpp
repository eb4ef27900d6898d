// The map of level of `fdtd estimate`: a plane of the room, in estimate.h5 and as pictures.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/estimate/estimate.hpp"
#include "scenes/scene.hpp"

namespace fdtd::cli {

struct MapPlane {
  std::size_t axis = 2;
  double position = 0.0;  // m, in the scene
};
// "z=1.2"; throws Error (status scene) for anything else, and for a plane outside the room.
MapPlane parse_map_plane(const std::string& text, const Scene& scene);

// Levels at the centres of the cells that the plane cuts.
class LevelMap {
 public:
  LevelMap(const Scene& scene, const MapPlane& plane, std::vector<double> octaves);
  void add(const DiffusionRoom& room, const DiffusionModel& model, const DiffusionField& field, double attenuation,
           std::size_t band, std::size_t source);

  // The files that write() makes in a folder.
  std::vector<std::filesystem::path> files(const std::filesystem::path& folder) const;
  // estimate.h5 with all octaves, a picture of that of `picture` Hz a source. Throws Error (status file; status scene
  // where no octave has a level on the plane). Returns the levels in dB at the ends of the pictures' colours; nothing
  // where that octave has none.
  std::optional<std::pair<double, double>> write(const std::filesystem::path& folder, bool force, double picture) const;

 private:
  void shape(const DiffusionRoom& room);
  std::string png(std::size_t source, std::size_t band, double low, double high) const;
  const Scene* scene_;
  MapPlane plane_;
  std::vector<double> octaves_;
  std::size_t across_ = 0, up_ = 1;  // axes of the plane
  int width_ = 0, height_ = 0, layer_ = 0;
  std::vector<double> x_, y_;  // m, in the scene
  std::vector<std::uint8_t> air_;
  std::vector<std::vector<double>> levels_;  // by source: octave, row, column; G in dB, NaN in walls
};

}  // namespace fdtd::cli

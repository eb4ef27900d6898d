// result.h5: what a run leaves, so that it can be looked at, told where it comes from, and rendered again.
//
// Layout (schema version 1; R a receiver's name, S a source's; rows follow the sources' `index`):
//   /                          @schema_version, @format "fdtd result"
//   /provenance                @version @build @scene (the file's whole text) @overrides (--set, as given) @plan (JSON)
//                              @box (m), where the room is one
//   /provenance/run            @device @date @wall_seconds: the only values (their copies and checksums at the file's end
//                              with them) in which two runs of one build and scene on one kind of device may differ
//   /sources/S                 @index @position (m) @direction where it is aimed
//   /receivers/R               @index @position (m) @direction
//   /receivers/R/pressure      sources x samples, double, @sample_rate @peak (one a source) @convention: the impulse responses
//   /render                    @output_rate @low_cut @bandwidth @duration @remove_time_dispersion @format @remarks:
//   /render/gain               how they were made (RenderOptions); gain, tables x steps, only where there is one
//   /render/air                @temperature (degrees Celsius) @relative_humidity (%) @pressure (kPa) @sound_speed (m/s), where
//                              air absorbs
//   /render/capsules           @sound_speed (m/s), source_orders, receiver_orders, source_mixes, receiver_mixes (of, with, share,
//                              one after the other), cut (Hz), where sources or receivers have directivity: R is then a
//                              channel's name, "R1:00" an ambisonic channel, "R1:v" a cardioid's figure-eight (channels.hpp)
//   /raw                       @sample_rate (1 / time step) @drive (1, -1)
//   /raw/R/record              sources x samples, double: the grid's own samples for that drive, nothing done to them. Always
//                              there: `fdtd render` gives the same response from them again, bit for bit
//   /raw/R/pressure            with raw = true: their cumulative sum, the unfiltered response to a unit sample, at the grid's rate
//   /energy/S/...              step, stored, injected, dissipated, balance_error, one value a block of steps
//   /metrics                   @json, where there are any
//   /materials                 @json: what was asked of each material and the branches that it became (`fdtd run --json`)
//   /room                      @materials, vertices (m; x, y, z in turn), triangles (three vertices in turn), material (one a
//                              triangle): the room's surface, a box's as well
// Behind HDF5's bytes stands the index by which this program reads the file (h5_index.hpp).
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/responses/render.hpp"
#include "engine/results/room_surface.hpp"
#include "engine/run/recording.hpp"

namespace fdtd {

struct RunFacts {
  std::string device;  // up to 128 bytes are kept
  std::string date;    // up to 32 bytes, ISO 8601
  double wall_seconds = 0.0;
};

struct Result {
  std::string version, build;
  std::string scene_text;
  std::vector<std::string> overrides;
  std::string plan_json;
  std::string metrics_json;    // empty: none
  std::string materials_json;  // empty: none
  RunFacts run;
  std::vector<std::array<double, 3>> source_positions, receiver_positions;  // m, in the order of recording's names
  // Where they are aimed, zero or absent for no direction; the room's sides in m, zero when it is no box.
  std::vector<std::array<double, 3>> source_directions, receiver_directions;
  std::array<double, 3> room_box{};
  RoomSurface surface;  // without triangles: not known
  Recording recording;
  RenderOptions options;         // with which `rendered` was made of `recording`
  std::string format = "float";  // of the audio files: OutputSpec::format
  Rendered rendered;
  bool raw = false;  // OutputSpec::raw
};

// Throws Error: status file when it cannot be written whole or exists and `force` is false (then there is no new file); scene
// when sizes disagree, or a name is empty, repeated, "." or "..", or holds a slash.
void write_result(const std::filesystem::path& target, const Result& result, bool force);

// What a result was made of and by.
struct Provenance {
  std::string version, scene_text;
  std::vector<std::string> overrides;
};

// Both throw Error (status file) for what is missing, damaged, of another program or of a newer schema.
Provenance read_provenance(const std::filesystem::path& path);
Result read_result(const std::filesystem::path& path);

}  // namespace fdtd

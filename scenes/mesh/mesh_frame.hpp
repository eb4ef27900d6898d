// The unit and the orientation of a mesh's coordinates: applied, chosen for "auto", and doubted where they make no room.
//
// Rules of "auto", for the mesh of all files together:
// - up: the axis under which the bounding box holds every source and receiver, if that is one alone; of several the axis
//   y or z along which facets have 1.5 times the area of the other one, for a room is wider than high. That decides, too,
//   where no axis holds them all.
// - units: what the files state ("# File units = meters" of OBJ); else m, cm or mm, whichever makes the height 1.8 to
//   60 m and no side longer than 300 m. Feet and inches are never guessed.
// - Of several units those remain whose bounding box holds every source and receiver, and of these the one that makes
//   the room the smallest.
// Whatever is left without an answer, or with two directions, is an error.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/mesh/mesh.hpp"

namespace fdtd {

// A side of a room's bounding box, m.
inline constexpr double min_room_side = 0.01, max_room_side = 10000.0;

// Area that faces along each axis of the file, in its units: the projections of all facets whose material counts.
std::array<double, 3> facing_areas(const Mesh& raw, const std::function<bool(const std::string&)>& counts = {});
// The axis, y or z, along which clearly more of these areas faces, 1.5 times; nothing where they are alike.
std::optional<std::string> up_by_areas(const std::array<double, 3>& areas);

// From coordinates as a file has them to metres with z up.
void apply_frame(Mesh& mesh, const MeshFrame& frame);

// The frame that "auto" in `requested` stands for; nothing, and `why` and `hint`, where the rules give no answer. `raw`
// has the coordinates of its file; `stated` is the unit that the files state, or empty; positions in metres, z up.
std::optional<MeshFrame> settle_frame(const Mesh& raw, const MeshFrame& requested, const std::string& stated,
                                      const std::vector<std::array<double, 3>>& positions, std::string& why,
                                      std::string& hint);

// Inches or feet, which "auto" never takes: the one in which the mesh is 2 to 30 m high with this axis up, and no side longer
// than 300 m; of both, inches, the smaller room.
std::optional<std::string> feet_or_inches(const Mesh& raw, const std::string& up);

// The axis that "auto" took by the positions, and not by the facets, as a sentence without an end; else empty.
std::string remark_of_up(const Mesh& raw, const MeshFrame& requested, const MeshFrame& settled,
                         const std::vector<std::array<double, 3>>& positions);

// The oddities of a mesh in the given frame, each as a sentence without an end: its size, which another unit would
// make that of a room; its up axis, along which less of it faces than along another; positions outside, which another
// axis would have inside. Empty: nothing.
std::string doubt_of_units(const Mesh& raw, const MeshFrame& frame);
std::string doubt_of_up(const Mesh& raw, const MeshFrame& frame);
// The same of a box, whose sides are in metres.
std::string doubt_of_box(const std::array<double, 3>& sides);
std::string doubt_of_positions(const Mesh& raw, const MeshFrame& frame,
                               const std::vector<std::array<double, 3>>& positions);

// The unit that an OBJ text states in a comment of its first lines, or "".
std::string stated_units(std::string_view bytes);

}  // namespace fdtd

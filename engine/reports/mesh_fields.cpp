#include "engine/reports/mesh_fields.hpp"

#include <cmath>
#include <numbers>

namespace fdtd {
namespace {

using MaybeNumber = std::optional<double>;

const JsonFields<MeshSummary::Surface>& surface_fields() {
  using Surface = MeshSummary::Surface;
  static const auto fields =
      JsonFields<Surface>()
          .value("name", "", "Name in the mesh.", &Surface::name)
          .value("material", "", "Name of the scene's material.", &Surface::material)
          .value("area", "m²", "Area of its triangles.", &Surface::area)
          .value("area_in_room", "m²", "Area that borders on the simulated air.", &Surface::in_room);
  return fields;
}

const JsonFields<OpenRim>& rim_fields() {
  static const auto fields =
      JsonFields<OpenRim>()
          .value("centre", "m", "Centre of the bounding box of the group.", &OpenRim::centre)
          .value("extent", "m", "Longest side of that box.", &OpenRim::extent)
          .value("edges", "", "Number of its edges.", &OpenRim::edges)
          .value("length", "m", "Length of its edges together.", &OpenRim::length)
          .value("width", "m",
                 "Shorter side of the rectangle with the area and the length of the rim; null where it is no single "
                 "loop.",
                 [](const OpenRim& rim) { return rim.width > 0.0 ? MaybeNumber(rim.width) : std::nullopt; });
  return fields;
}

const JsonFields<MeshDefect>& defect_fields() {
  static const auto fields =
      JsonFields<MeshDefect>()
          .value("count", "", "How many.", &MeshDefect::count)
          .value("first", "m", "Position of one of them.", &MeshDefect::first)
          .only_if("`count` is not 0", [](const MeshDefect& defect) { return defect.count > 0; });
  return fields;
}

struct OpeningInPlan {
  const MeshOpening* opening = nullptr;
  double limit = 0.0;          // Hz, opening_limit
  double hertz_of_wave = 0.0;  // Hz m
};

std::vector<OpeningInPlan> openings_of(const MeshInPlan& of) {
  std::vector<OpeningInPlan> list;
  for (const MeshOpening& one : of.mesh->openings)
    list.push_back({&one, opening_limit(one, of.sound_speed), of.sound_speed / (2.0 * std::numbers::pi)});
  return list;
}

const JsonFields<OpeningInPlan>& opening_fields() {
  using Of = OpeningInPlan;
  static const auto fields =
      JsonFields<Of>()
          .value("position", "m", "Its middle, in the mesh.", [](const Of& of) { return of.opening->position; })
          .value("width", "m", "Its shorter side, about.", [](const Of& of) { return of.opening->width; })
          .value("volume_behind", "m³", "Of the smaller of the spaces that it joins.",
                 [](const Of& of) { return of.opening->behind; })
          .value("error", "dB",
                 "The flow that it lets through at low frequencies on the grid, over the same in the mesh; null: it is "
                 "closed.",
                 [](const Of& of) {
                   const double conductance = of.opening->conductance;
                   return conductance > 0.0 ? MaybeNumber(20.0 * std::log10(conductance)) : std::nullopt;
                 })
          .value("frequency", "Hz",
                 "Levels behind it, two voxels from it and farther, are expected within 2 dB up to about here; 0: "
                 "nowhere; null: no limit.",
                 [](const Of& of) { return std::isfinite(of.limit) ? MaybeNumber(of.limit) : std::nullopt; })
          .value("resonance", "Hz",
                 "Where the space behind it resonates with the air in its openings, in the mesh; null: it is no dead "
                 "end, or is too large.",
                 [](const Of& of) {
                   const double wave = of.opening->resonance;
                   return wave > 0.0 ? MaybeNumber(wave * of.hertz_of_wave) : std::nullopt;
                 })
          .value("resonance_on_grid", "Hz", "The same on the grid; null: as above, or the opening is closed.",
                 [](const Of& of) {
                   const double wave = of.opening->resonance_on_grid;
                   return wave > 0.0 ? MaybeNumber(wave * of.hertz_of_wave) : std::nullopt;
                 });
  return fields;
}

struct SealedInMesh {
  const SealedOpening* opening = nullptr;
  const Mesh* mesh = nullptr;
};

std::vector<SealedInMesh> sealed_of(const MeshInPlan& of) {
  std::vector<SealedInMesh> list;
  for (const SealedOpening& one : of.room->sealed) list.push_back({&one, of.room->mesh.get()});
  return list;
}

const JsonFields<SealedInMesh>& sealed_fields() {
  using Of = SealedInMesh;
  static const auto fields =
      JsonFields<Of>()
          .value("position", "m", "Of its surface, next to its middle.",
                 [](const Of& of) { return of.opening->position; })
          .value("width", "m", "Where it is widest.", [](const Of& of) { return of.opening->width; })
          .value("length", "m", "Its longer side.", [](const Of& of) { return of.opening->length; })
          .value("area", "m²", "Of the surface that closes it.", [](const Of& of) { return of.opening->area; })
          .value("name", "", "Name in the mesh of the material that closes most of it.",
                 [](const Of& of) { return of.mesh->materials[of.opening->material]; });
  return fields;
}

}  // namespace

const JsonFields<MeshDiagnosis>& diagnosis_fields() {
  using Found = MeshDiagnosis;
  static const auto fields =
      JsonFields<Found>()
          .value("tolerance", "m", "Vertices so near to each other count as one.", &Found::tolerance)
          .value("welded_vertices", "", "Vertices that others stand for.", &Found::welded)
          .value("open_edges", "", "Edges at which the surface ends.", &Found::open_edges)
          .list("open_rims", "Connected groups of open edges, the largest first.", rim_fields(), &Found::rims)
          .elements("the mesh is open")
          .object("gaps", "Corners of a rim that almost meet another rim.", defect_fields(), &Found::gaps)
          .object("flipped_edges", "Edges whose two triangles are oriented against each other.", defect_fields(),
                  &Found::flipped)
          .object("duplicate_facets", "Triangles that occur more than once.", defect_fields(), &Found::duplicate)
          .value("overlapping_area", "m²",
                 "Area on which facets of one material lie on each other; in `area` it counts once.",
                 [](const Found& found) { return found.overlap.area; })
          .object("degenerate_facets", "Triangles without an area.", defect_fields(), &Found::degenerate);
  return fields;
}

const JsonFields<MeshInPlan>& mesh_fields() {
  using Of = MeshInPlan;
  static const auto fields =
      JsonFields<Of>()
          .value("triangles", "", "Number of triangles.", [](const Of& of) { return of.mesh->triangles; })
          .value("vertices", "", "Number of different vertices.", [](const Of& of) { return of.mesh->vertices; })
          .value("volume", "m³", "Volume of the air.", [](const Of& of) { return of.mesh->volume; })
          .value("units", "",
                 "Length unit of its numbers, a name or its metres, as given or as \"auto\" or the file chose.",
                 [](const Of& of) { return of.room->frame.units; })
          .value("units_auto", "", "Whether \"auto\" or the file chose the unit.",
                 [](const Of& of) { return of.room->units_auto; })
          .value("up", "", "Axis of its files that points up, as given or as \"auto\" or the file chose.",
                 [](const Of& of) { return of.room->frame.up; })
          .value("up_auto", "", "Whether \"auto\" or the file chose the axis.",
                 [](const Of& of) { return of.room->up_auto; })
          .list("materials", "The materials of the mesh.", surface_fields(),
                [](const Of& of) { return of.mesh->surfaces; })
          .include(diagnosis_fields(), [](const Of& of) -> const MeshDiagnosis& { return of.mesh->diagnosis; })
          .value(
              "openings_searched", "",
              "Whether openings narrower than three voxels were looked for: not so on grids of more than 16 million.",
              [](const Of& of) { return of.mesh->openings_searched; })
          .list("openings", "Openings narrower than three voxels, the widest first, 24 at most.", opening_fields(),
                openings_of)
          .elements("there is one")
          .list("sealed", "Openings to the outside that `room.seal` has closed in the mesh, the largest first.",
                sealed_fields(), sealed_of)
          .elements("`room.seal` closes one");
  return fields;
}

}  // namespace fdtd

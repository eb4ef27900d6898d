// fdtd surface SCENE: the surface of the room as the program reads it, and its defects, without a plan: a room that leaks
// has one as well.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/documents.hpp"
#include "cli/terminal/say.hpp"
#include "engine/reports/mesh_fields.hpp"
#include "engine/results/room_surface.hpp"
#include "engine/session/scene_request.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/mesh_diagnosis.hpp"

namespace fdtd::cli {
namespace {

constexpr std::array box_walls = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

struct SurfaceCommand : SceneRequest {
  bool json = false;
};

// A wall of a box, or what one name of a mesh stands for.
struct NamedSurface {
  std::string name, material;
  double area = 0.0;  // m2
};

struct SurfaceDocument {
  bool box = false;
  RoomSurface drawn;
  std::vector<std::uint32_t> surface;  // of each triangle
  std::vector<NamedSurface> surfaces;
  std::optional<MeshDiagnosis> found;  // of a mesh
  std::vector<std::string> remarks;
};

SurfaceDocument document_of(const Room& room) {
  SurfaceDocument document{!room.mesh, surface_of(room), {}, {}, {}, {}};
  if (room.mesh) {
    document.found = diagnose(*room.mesh);
    for (std::size_t m = 0; m < room.surfaces.size(); ++m)
      document.surfaces.push_back({room.mesh->materials[m], room.surfaces[m], document.found->areas[m]});
    document.surface.assign(room.mesh->material.begin(), room.mesh->material.end());
    document.remarks = room.remarks;
    if (!room.doubt.empty()) document.remarks.push_back("mesh: " + room.doubt);
    for (const std::string& remark : remarks_of(*document.found)) document.remarks.push_back(remark);
    return document;
  }
  for (std::size_t side = 0; side < box_walls.size(); ++side) {
    const std::size_t d = side / 2;
    document.surfaces.push_back({box_walls[side], room.walls[side], room.box[(d + 1) % 3] * room.box[(d + 2) % 3]});
    document.surface.insert(document.surface.end(), 2, static_cast<std::uint32_t>(side));
  }
  return document;
}

const JsonFields<NamedSurface>& named_fields() {
  static const auto fields =
      JsonFields<NamedSurface>()
          .value("name", "", "Key of `room.walls`: a wall of a box, or a name in the mesh.", &NamedSurface::name)
          .value("material", "", "Name of the scene's material.", &NamedSurface::material)
          .value("area", "m²", "Area of its triangles.", &NamedSurface::area);
  return fields;
}

// Edges and defects of a mesh.
const JsonFields<MeshDiagnosis>& found_fields() {
  static const auto fields =
      JsonFields<MeshDiagnosis>()
          .include(diagnosis_fields())
          .value("open_edge_vertices", "", "Both vertices of each open edge, from 0.", &MeshDiagnosis::open)
          .value("flipped_edge_vertices", "", "The same of each edge of `flipped_edges`.", &MeshDiagnosis::turned);
  return fields;
}

const JsonFields<SurfaceDocument>& fields_of_surface() {
  using Of = SurfaceDocument;
  static const auto fields =
      JsonFields<Of>()
          .value("room", "", "`box` or `mesh`.", [](const Of& of) { return std::string(of.box ? "box" : "mesh"); })
          .value("vertices", "m", "Position of each vertex in the scene.",
                 [](const Of& of) { return of.drawn.vertices; })
          .value("triangles", "", "Vertices of each triangle, from 0.", [](const Of& of) { return of.drawn.triangles; })
          .value("surface", "", "The element of `surfaces` that each triangle belongs to, from 0.", &Of::surface)
          .list("surfaces", "Walls of the box, or materials of the mesh.", named_fields(), &Of::surfaces)
          .object("defects", "Edges and facets to look at.", found_fields(),
                  [](const Of& of) -> const MeshDiagnosis& { return *of.found; })
          .only_if("the room is a mesh", [](const Of& of) { return of.found.has_value(); })
          .value("remarks", "", "Sentences on the defects and on how materials were assigned.", &Of::remarks);
  return fields;
}

void print_surface(const SurfaceDocument& document) {
  print_text("{} of {} triangles\n", document.box ? "box" : "mesh", document.drawn.triangles.size());
  for (const NamedSurface& one : document.surfaces)
    print_text("  {}: {:.4g} m2 of {}\n", one.name, one.area, one.material);
  for (const std::string& remark : document.remarks) print_text("note: {}\n", remark);
}

}  // namespace

DocumentFields surface_document() { return fields_of_surface().all(); }

void add_surface(CLI::App& app, int& status) {
  auto options = std::make_shared<SurfaceCommand>();
  app.add_option("scene", options->scene, "scene file (TOML)")->required();
  app.add_option("--set", options->overrides, "replace a key of the scene: a.b=value; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--allow-outside", options->allow_outside, "allow the scene to name files outside its folder");
  app.add_flag("--json", options->json, "print one JSON document, with all triangles");
  app.callback([options, &status] {
    const SurfaceDocument document = document_of(load(*options).room);
    if (options->json)
      put_document(json_text(fields_of_surface().write(document)) + "\n");
    else
      print_surface(document);
    status = 0;
  });
}

}  // namespace fdtd::cli

// A furnished room: figures on the planned grid are those of a fine one, and stencils that cannot have them promise less.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

enum class Furniture { plates, posts };

// A box with four plates of 20 mm along the grid, or with twenty posts of 60 mm.
void write_room(const TemporaryFolder& folder, Furniture furniture, const std::string& simulation) {
  Mesh mesh;
  const std::array<std::string, 6> wood = {"wood", "wood", "wood", "wood", "wood", "wood"};
  add_box(mesh, {0, 0, 0}, {3.13, 2.71, 2.29}, {"wall", "wall", "wall", "wall", "wall", "ceiling"});
  for (int i = 0; furniture == Furniture::plates && i < 4; ++i) {
    const double x = 0.41 + 0.2 * i, z = 0.41 + 0.37 * i;
    add_box(mesh, {x, 0.53, z}, {x + 1.52, 1.97, z + 0.02}, wood);
  }
  for (int i = 0; furniture == Furniture::posts && i < 20; ++i) {
    const double x = 0.47 + 0.44 * (i / 4), y = 0.51 + 0.475 * (i % 4);
    add_box(mesh, {x, y, 0.17}, {x + 0.06, y + 0.06, 1.83}, wood);
  }
  std::string text;
  for (const auto& v : mesh.vertices) text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", v[0], v[1], v[2]);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    text += fmt::format("usemtl {}\nf {} {} {}\n", mesh.materials[mesh.material[t]], a + 1, b + 1, c + 1);
  }
  folder.write("room.obj", text);
  std::string scene = fmt::format(
      "schema = 1\n[simulation]\nduration = 0.6\nprecision = \"f32\"\ndevice = \"cpu\"\n{}\n[above]\nmethod = "
      "\"none\"\n[room]\nmesh = "
      "\"room.obj\"\n"
      "units = \"m\"\nup = \"z\"\n[materials.wall]\nadmittance = 0.02\n[materials.wood]\nadmittance = 0.03\n"
      "[materials.ceiling]\nadmittance = 0.12\n[[source]]\nname = \"S\"\nposition = [0.37, 0.31, 0.29]\n",
      simulation);
  int number = 0;
  for (const char* at : {"[2.71, 2.31, 1.13]", "[2.63, 0.47, 1.87]", "[0.57, 2.33, 1.57]", "[2.41, 1.33, 0.61]"})
    scene += fmt::format("[[receiver]]\nname = \"R{}\"\nposition = {}\n", number++, at);
  folder.write("scene.toml", scene);
}

// T20, EDT, C50 and G of the octaves of 125 and 250 Hz, means over the receivers.
std::map<std::string, double> figures(Furniture furniture, const std::string& simulation) {
  const TemporaryFolder folder;
  write_room(folder, furniture, simulation);
  const nlohmann::json found = json_of(run_fdtd({"run", "scene.toml", "-o", "out", "--json"}, folder.path()));
  std::map<std::string, double> means;
  for (const auto& receiver : found.at("receivers"))
    for (const auto& band : receiver.at("metrics").at("bands")) {
      const double centre = band.at("centre");
      if (centre != 125.0 && centre != 250.0) continue;
      for (const char* name : {"T20", "EDT", "C50", "G"})
        means[fmt::format("{} {:g}", name, centre)] += band.at(name).get<double>() / 4.0;
    }
  REQUIRE(means.size() == 8);
  return means;
}

}  // namespace

// The plan's promise: T20 within geometry_error, EDT within twice that; and C50 and G between plates.
TEST_CASE("T20 of furnished rooms on planned grids is within 10 %, EDT 20 %, C50 and G 1 dB of a fine grid's",
          "[cli]") {
  for (const Furniture furniture : {Furniture::plates, Furniture::posts}) {
    const auto fine = figures(furniture, "stencil = \"leggy-4\"\ngrid_spacing = 0.08\ngeometry_error = 10.0");
    for (const char* stencil : {"leggy-2", "compact-3/opt1"}) {
      CAPTURE(furniture == Furniture::posts, stencil);
      for (const auto& [name, value] :
           figures(furniture, fmt::format("stencil = \"{}\"\nmax_frequency = 375.0", stencil))) {
        CAPTURE(name, value, fine.at(name));
        const double fraction = name[0] == 'T' ? 0.1 : 0.2;
        const bool time = name[0] == 'T' || name[0] == 'E';
        if (time || furniture == Furniture::plates)
          CHECK(std::abs(value - fine.at(name)) < (time ? fraction * fine.at(name) : 1.0));
      }
    }
  }
}

// Posts of less than a voxel become a voxel thick, or none.
TEST_CASE("a stencil of whole voxels is refused where posts make T20 more than 10 % wrong", "[cli]") {
  const std::string grid = "stencil = \"compact-3/iwb\"\ngrid_spacing = 0.075";
  const auto fine = figures(Furniture::posts, "stencil = \"leggy-4\"\ngrid_spacing = 0.08\ngeometry_error = 10.0");
  const auto whole = figures(Furniture::posts, grid + "\ngeometry_error = 10.0");
  CHECK(std::abs(whole.at("T20 250") / fine.at("T20 250") - 1.0) > 0.1);
  const TemporaryFolder folder;
  write_room(folder, Furniture::posts, grid);
  const Outcome plan = run_fdtd({"plan", "scene.toml"}, folder.path());
  CHECK(plan.status == 2);
  CHECK_THAT(plan.err, Contains("belongs to furniture") && Contains("leggy-2"));
}

TEST_CASE("a plan says by how much T20 and EDT of furnished rooms may be wrong", "[cli]") {
  const TemporaryFolder folder;
  write_room(folder, Furniture::plates, "stencil = \"leggy-2\"\nmax_frequency = 375.0\ngeometry_error = 0.08");
  const Outcome plan = run_fdtd({"plan", "scene.toml"}, folder.path());
  CHECK_THAT(plan.out, Contains("T20 within 8 % and EDT within 16 %"));
}

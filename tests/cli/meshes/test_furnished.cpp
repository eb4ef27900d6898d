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

namespace {

// A box with four plates of 20 mm along the grid.
void write_room(const TemporaryFolder& folder, const std::string& simulation) {
  Mesh mesh;
  const std::array<std::string, 6> wood = {"wood", "wood", "wood", "wood", "wood", "wood"};
  add_box(mesh, {0, 0, 0}, {3.13, 2.71, 2.29}, {"wall", "wall", "wall", "wall", "wall", "ceiling"});
  for (int i = 0; i < 4; ++i) {
    const double x = 0.41 + 0.2 * i, z = 0.41 + 0.37 * i;
    add_box(mesh, {x, 0.53, z}, {x + 1.52, 1.97, z + 0.02}, wood);
  }
  std::string text;
  for (const auto& v : mesh.vertices) text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", v[0], v[1], v[2]);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    text += fmt::format("usemtl {}\nf {} {} {}\n", mesh.materials[mesh.material[t]], a + 1, b + 1, c + 1);
  }
  folder.write("room.obj", text);
  std::string scene = fmt::format(
      "schema = 1\n[simulation]\nduration = 0.6\nprecision = \"f32\"\ndevice = \"cpu\"\n{}\n[room]\nmesh = "
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
std::map<std::string, double> figures(const std::string& simulation) {
  const TemporaryFolder folder;
  write_room(folder, simulation);
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

TEST_CASE("figures of a furnished room on the planned grid are within 10 % and 1 dB of a fine grid's", "[cli]") {
  const auto fine = figures("stencil = \"leggy-4\"\ngrid_spacing = 0.08\ngeometry_error = 10.0");
  for (const char* stencil : {"leggy-2", "compact-3/opt1"}) {
    CAPTURE(stencil);
    for (const auto& [name, value] : figures(fmt::format("stencil = \"{}\"\nmax_frequency = 375.0", stencil))) {
      CAPTURE(name, value, fine.at(name));
      const bool time = name[0] == 'T' || name[0] == 'E';
      CHECK(std::abs(value - fine.at(name)) < (time ? 0.1 * fine.at(name) : 1.0));
    }
  }
}

TEST_CASE("a plan says to which frequency furniture lets a stencil of whole voxels be right", "[cli]") {
  const TemporaryFolder folder;
  write_room(folder, "stencil = \"compact-3/radial1\"\ngrid_spacing = 0.1");  // the interior holds 1500 Hz there
  nlohmann::json plan = json_of(run_fdtd({"plan", "scene.toml", "--json"}, folder.path()));
  if (plan.contains("plan")) plan = nlohmann::json(plan.at("plan"));
  CHECK(plan.at("limited_by") == "geometry");
  CHECK(plan.at("valid_bandwidth").get<double>() < 300.0);
  bool named = false;
  for (const auto& limit : plan.at("limits"))
    if (limit.at("what") == "geometry")
      named = limit.at("by").get<std::string>().find("belongs to furniture") != std::string::npos;
  CHECK(named);
}

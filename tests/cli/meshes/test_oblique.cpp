// Rooms without furniture whose walls lie along no plane of the grid: T20 on planned grids is that of a fine one.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// Four splayed walls below a ceiling that rises both ways.
void write_splayed(const TemporaryFolder& folder, const std::string& simulation) {
  const std::array<std::array<double, 2>, 4> corners = {{{0.0, 0.0}, {6.3, 0.4}, {5.7, 4.6}, {0.5, 4.1}}};
  std::string mesh;
  for (const auto& [x, y] : corners)
    mesh += fmt::format("v {} {} 0\nv {} {} {}\n", x, y, x, y, 2.6 + 0.11 * x + 0.05 * y);
  mesh +=
      "usemtl floor\nf 1 7 5 3\nusemtl ceiling\nf 2 4 6 8\nusemtl wall\nf 1 3 4 2\nf 3 5 6 4\nf 5 7 8 6\nf 7 1 2 8\n";
  folder.write("room.obj", mesh);
  std::string scene = fmt::format(
      "schema = 1\n[simulation]\nduration = 0.6\nprecision = \"f32\"\ndevice = \"cpu\"\ndispersion_error = 0.02\n{}\n"
      "[above]\nmethod = \"none\"\n[room]\nmesh = \"room.obj\"\nunits = \"m\"\nup = "
      "\"z\"\n[materials.wall]\nadmittance = 0.02\n[materials.floor]\n"
      "admittance = 0.07\n[materials.ceiling]\nadmittance = 0.04\n[[source]]\nname = \"S\"\nposition = [0.9, 0.6, "
      "0.9]\n",
      simulation);
  int number = 0;
  for (const char* at : {"[1.1, 3.2, 1.2]", "[4.9, 1.1, 1.6]", "[5.1, 3.7, 1.0]", "[2.6, 2.1, 2.2]", "[3.4, 0.9, 0.6]",
                         "[4.5, 2.9, 1.7]", "[1.7, 1.5, 2.3]", "[2.9, 3.6, 0.5]", "[5.3, 2.2, 2.4]", "[1.4, 2.4, 0.7]"})
    scene += fmt::format("[[receiver]]\nname = \"R{}\"\nposition = {}\n", number++, at);
  folder.write("scene.toml", scene);
}

struct Found {
  double decay = 0.0;   // T20 of the octave of 250 Hz, the mean over the receivers
  double points = 0.0;  // a wavelength, at max_frequency
};

Found found_with(const std::string& simulation) {
  const TemporaryFolder folder;
  write_splayed(folder, simulation);
  const nlohmann::json document = json_of(run_fdtd({"run", "scene.toml", "-o", "out", "--json"}, folder.path()));
  Found found;
  found.points = document.at("plan").at("points_per_wavelength").get<double>();
  const auto& receivers = document.at("receivers");
  for (const auto& receiver : receivers)
    for (const auto& band : receiver.at("metrics").at("bands"))
      if (band.at("centre") == 250.0)
        found.decay += band.at("T20").get<double>() / static_cast<double>(receivers.size());
  return found;
}

}  // namespace

// The octave ends at 354 Hz, where the plan's limit does.
TEST_CASE("T20 between splayed walls on planned grids, some 3 to 8 points a wavelength, is within 10 % of a fine one's",
          "[cli]") {
  const Found fine = found_with("stencil = \"leggy-4/opt1\"\ngrid_spacing = 0.12\ngeometry_error = 10.0");
  struct PlannedStencil {
    const char* stencil;
    double max_points;
  };
  for (const auto& [stencil, max_points] : {PlannedStencil{"leggy-4/warp1", 3.6},
                                            {"leggy-4/opt1", 3.3},
                                            {"leggy-8/warp1", 3.6},
                                            {"compact-4/opt1", 5.2},
                                            {"box-222/opt1", 5.2},
                                            {"compact-4/radial1", 8.8}}) {
    const Found found = found_with(fmt::format("stencil = \"{}\"\nmax_frequency = 355.0", stencil));
    CAPTURE(stencil, found.points, found.decay, fine.decay);
    CHECK(found.points < max_points);
    CHECK(found.decay == Approx(fine.decay).epsilon(0.1));
  }
}

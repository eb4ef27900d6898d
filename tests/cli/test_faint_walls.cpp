// Walls that absorb next to nothing leave the band as it is, and run in single precision.
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;

TEST_CASE("a wall's small admittance does not cut the band, whatever its size and the stencil", "[cli]") {
  const TemporaryFolder folder;
  SceneText text;
  text.box = "[2.5, 2.0, 1.5]";
  text.source = "[0.6, 0.55, 0.5]";
  text.receiver = "[1.9, 1.1, 0.7]";
  text.materials = "[materials.panel]\nadmittance = 0.02\n";
  folder.write("room.toml", text_of(text));
  for (const char* stencil : {"leggy-2", "leggy-4", "box-222", "compact-4/radial1"})
    for (const char* admittance : {"1e-30", "1e-12", "3e-8", "1e-7", "2e-6"}) {
      CAPTURE(stencil, admittance);
      const auto plan =
          json_of(run_fdtd({"plan", "room.toml", "--json", "--set", std::string("simulation.stencil=") + stencil,
                            "--set", std::string("materials.panel.admittance=") + admittance},
                           folder.path()));
      CHECK(plan["valid_bandwidth"].get<double>() == Approx(400.0));
    }
  for (const char* admittance : {"1e-30", "1e-12"}) {
    const auto run = json_of(run_fdtd({"run", "room.toml", "-o", "out", "--force", "--json", "--set",
                                       std::string("materials.panel.admittance=") + admittance},
                                      folder.path()));
    CHECK(run["energy"]["balance_error"].get<double>() < 1e-5);
  }
}

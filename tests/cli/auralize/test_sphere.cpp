// A rigid sphere hears the same whether it stands in the room as a mesh or its exact responses are the head of a binaural
// receiver.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "base/math/directions.hpp"
#include "base/math/fourier.hpp"
#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/head_file.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"
#include "tests/support/solutions/rigid_sphere.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

constexpr std::array<double, 3> size = {1.0, 0.98, 0.96}, centre = {0.5031, 0.4917, 0.4777};
constexpr double distance = 0.42, pi = std::numbers::pi;

std::string in_brackets(const Point& p) { return fmt::format("[{}, {}, {}]", p[0], p[1], p[2]); }

// A source to the left of the front, in a room whose walls absorb.
std::string scene_of(const std::string& room, const std::string& receivers) {
  const double turn = 55.0 * pi / 180.0;
  const Point source = {centre[0] + distance * std::cos(turn), centre[1] + distance * std::sin(turn), centre[2]};
  return fmt::format(R"(schema = 1
simulation = {{ duration = 0.014, grid_spacing = 0.012, geometry_error = 0.5, stencil = "leggy-4", precision = "f64" }}
above.method = "none"
output.low_cut = 0
materials.panel.admittance = 1.0
materials.hard.rigid = true
source = [{{ name = "S", position = {} }}]
{}
{})",
                     in_brackets(source), room, receivers);
}

Mesh room_with_sphere() {
  Mesh mesh;
  add_box(mesh, {0.0, 0.0, 0.0}, size, {"wall", "wall", "wall", "wall", "wall", "wall"});
  const Mesh sphere = sphere_mesh(centre, sphere_radius, 24);
  for (const auto& corners : sphere.triangles)
    add_triangle(mesh, {sphere.vertices[corners[0]], sphere.vertices[corners[1]], sphere.vertices[corners[2]]},
                 "sphere");
  merge_vertices(mesh);
  return mesh;
}

// Of direct sound, to 2.5 ms after it.
std::vector<std::complex<double>> direct_of(std::vector<double> response) {
  for (std::size_t n = 0; n < response.size(); ++n) {
    const double late = (static_cast<double>(n) / 48000.0 - distance / 343.2 - 2.5e-3) / 1e-3;
    response[n] *= late < 0.0 ? 1.0 : late < 1.0 ? 0.5 + 0.5 * std::cos(pi * late) : 0.0;
  }
  response.resize(4096, 0.0);
  return real_fft(response, 4096);
}

}  // namespace

TEST_CASE("a rigid sphere in the mesh hears what its exact responses hear as a head, within 1 dB to 4 kHz", "[cli]") {
  const TemporaryFolder folder;
  HeadFile far;
  far.distance = 1000.0;
  write_head_file(folder / "head.sofa", rigid_sphere_head(spiral(500), 48000.0, 256, 80.0), far);
  folder.write("room.obj", as_obj(room_with_sphere()));
  std::string ears;
  for (const double side : {1.0, -1.0}) {
    const double turn = side * 100.0 * pi / 180.0, reach = sphere_radius + 0.002;
    ears +=
        fmt::format("[[receiver]]\nname = \"{}\"\nposition = {}\n", side > 0.0 ? "left" : "right",
                    in_brackets({centre[0] + reach * std::cos(turn), centre[1] + reach * std::sin(turn), centre[2]}));
  }
  folder.write("mesh.toml", scene_of("room = { mesh = \"room.obj\", units = \"m\", up = "
                                     "\"z\", walls = { wall = \"panel\", sphere = \"hard\" } }",
                                     ears));
  folder.write("head.toml",
               scene_of(fmt::format("room = {{ box = {}, walls = {{ default = \"panel\" }} }}", in_brackets(size)),
                        fmt::format("[[receiver]]\nname = \"H\"\nposition = {}\npattern = \"binaural\"\norder "
                                    "= 9\nhrtf = \"head.sofa\"\ndirection = [1, 0, 0]\n",
                                    in_brackets(centre))));
  for (const char* scene : {"mesh", "head"}) {
    const Outcome outcome = run_fdtd({"run", std::string(scene) + ".toml", "-o", scene, "--quiet"}, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
  }
  const std::vector<std::vector<double>> head = read_audio(folder / "head/ir_H.wav").channels;
  const std::array<const char*, 2> files = {"mesh/ir_left.wav", "mesh/ir_right.wav"};
  for (std::size_t ear = 0; ear < 2; ++ear) {
    const auto as_mesh = direct_of(read_audio(folder / files[ear]).channels.at(0)), as_head = direct_of(head.at(ear));
    double worst = 0.0, at = 0.0;
    for (std::size_t k = 35; static_cast<double>(k) * 48000.0 / 4096.0 <= 4000.0; ++k)  // from 410 Hz on
      if (const double off = std::abs(20.0 * std::log10(std::abs(as_head[k]) / std::abs(as_mesh[k]))); off > worst)
        worst = off, at = static_cast<double>(k) * 48000.0 / 4096.0;
    INFO(files[ear] << ": " << worst << " dB at " << at << " Hz");
    CHECK(worst < 1.0);
  }
}

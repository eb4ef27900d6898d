// Decays through the whole pipeline: a box of small equal absorption against its exact modes, and an irregular room
// against the statistical theory of diffuse fields.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/responses/metrics.hpp"
#include "engine/responses/render.hpp"
#include "engine/run/run.hpp"
#include "engine/transducers/source_gain.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;

namespace {

constexpr double speed = 343.0, rate = 48000.0;

struct Heard {
  PlanResult planned;
  Rendered rendered;
  std::span<const double> ir(std::size_t receiver) const {
    const auto samples = static_cast<std::size_t>(rendered.samples);
    return {rendered.ir.data() + receiver * samples, samples};
  }
};

// `accuracy`: further keys of [simulation].
Heard simulate(const std::string& room, double max_frequency, double duration, const test::Place& source,
               const std::vector<test::Place>& receivers, const std::filesystem::path& folder,
               const std::string& accuracy) {
  const auto list = [](const test::Place& p) { return fmt::format("[{}, {}, {}]", p[0], p[1], p[2]); };
  test::SceneText scene;
  scene.simulation =
      fmt::format("duration = {}\nmax_frequency = {}\nstencil = \"leggy-4\"\n{}", duration, max_frequency, accuracy);
  scene.air = fmt::format("sound_speed = {}\n", speed);
  scene.room = room;
  scene.walls = scene.materials = scene.receiver = "";
  scene.source = list(source);
  for (std::size_t r = 0; r < receivers.size(); ++r)
    scene.more += fmt::format("[[receiver]]\nname = \"R{}\"\nposition = {}\n", r, list(receivers[r]));
  const ParsedScene parsed = parse_scene(text_of(scene), folder / "room.toml");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(parsed.problems.empty());
  Heard heard{make_plan(parsed.scene, *find_stencil("leggy-4")), {}};
  const Recording recording = run(heard.planned.plan, *make_cpu_backend({1, ""}));
  RenderOptions options;
  options.bandwidth = max_frequency;
  options.duration = duration;
  options.frequency_map = heard.planned.choice.frequency_map;
  options.gain = channel_gain(heard.planned.plan);
  heard.rendered = render(recording, options);
  return heard;
}

// By the sum over its modes. With a small real admittance b on all walls a mode falls as e^{-d t}, d = c b sum e_i /
// L_i, e_i = 1 where it does not vary along axis i and 2 where it does (H. Kuttruff, Room Acoustics, section 3.2, in
// this limit).
std::vector<double> modal_response(const test::Place& box, double admittance, const test::Place& source,
                                   const test::Place& receiver, double max_frequency, double duration) {
  std::vector<double> ir(static_cast<std::size_t>(duration * rate), 0.0);
  for (int a = 0; a < 30; ++a) {
    for (int b = 0; b < 30; ++b) {
      for (int c = 0; c < 30; ++c) {
        const std::array<int, 3> mode = {a, b, c};
        double square = 0.0, strength = 1.0, damping = 0.0;
        for (std::size_t d = 0; d < 3; ++d) {
          const double k = std::numbers::pi * mode[d] / box[d], e = mode[d] == 0 ? 1.0 : 2.0;
          square += k * k;
          strength *= e * std::cos(k * source[d]) * std::cos(k * receiver[d]);
          damping += speed * admittance * e / box[d];
        }
        const double omega = speed * std::sqrt(square);
        if (omega == 0.0 || omega > 2.0 * std::numbers::pi * max_frequency) continue;
        for (std::size_t n = 0; n < ir.size(); ++n) {
          const double t = static_cast<double>(n) / rate;
          ir[n] += strength / omega * std::exp(-damping * t) * std::sin(omega * t);
        }
      }
    }
  }
  return ir;
}

double T30(std::span<const double> ir, double centre, double bandwidth) {
  for (const BandMetrics& band : measure(ir, rate, {bandwidth, 1.0, false}).bands)
    if (band.centre == centre) return band.T30.value.value();
  FAIL("no band");
  return 0.0;
}

}  // namespace

TEST_CASE("T30 of a box with small equal absorption is that of its exact modes to 3 %", "[physics]") {
  const test::Place box = {2.6, 2.2, 1.8}, source = {0.3, 0.35, 0.25};
  const std::vector<test::Place> receivers = {{2.2, 1.8, 1.5}, {1.1, 0.4, 1.4}, {2.3, 0.5, 0.6}};
  constexpr double admittance = 0.01, max_frequency = 370.0, duration = 0.8;
  const std::string room =
      fmt::format("box = [{}, {}, {}]\n[room.walls]\ndefault = \"paint\"\n[materials.paint]\nadmittance = {}\n", box[0],
                  box[1], box[2], admittance);
  const Heard heard =
      simulate(room, max_frequency, duration, source, receivers, ".", "dispersion_error = 0.01\nprecision = \"f64\"\n");
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    const auto exact = modal_response(box, admittance, source, receivers[r], max_frequency, duration);
    for (const double centre : {125.0, 250.0}) {
      const double wanted = T30(exact, centre, max_frequency);
      CAPTURE(r, centre, wanted);
      CHECK(T30(heard.ir(r), centre, max_frequency) == Approx(wanted).epsilon(0.03));
    }
  }
}

namespace {

// Six walls of which no two are parallel, each next to one of the other material, and two boxes in the air; `scale` 1:
// 68 m3. Writes room.obj with the materials "wall" and "panel".
void write_irregular_room(const test::TemporaryFolder& folder, double scale) {
  const std::array<test::Place, 8> corner = {
      test::Place{0.0, 0.0, 0.0}, {5.2, 0.4, -0.2}, {0.3, 4.1, 0.15}, {4.6, 4.7, 0.1},
      {-0.3, 0.3, 3.0},           {5.0, -0.2, 3.7}, {0.1, 4.4, 3.5},  {5.1, 4.2, 3.1}};
  constexpr std::array<std::array<std::size_t, 4>, 6> sides = {
      {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}}};
  Mesh mesh;
  for (std::size_t i = 0; i < sides.size(); ++i)
    test::add_quad(mesh, {corner[sides[i][0]], corner[sides[i][1]], corner[sides[i][2]], corner[sides[i][3]]},
                   i % 2 == 0 ? "wall" : "panel", test::unturned);
  test::add_box(mesh, {1.0, 2.4, 0.6}, {1.7, 3.1, 1.5}, {"wall", "wall", "wall", "wall", "wall", "wall"},
                test::turned(20.0, 0.0, {0.9, -0.6, 0.0}));
  test::add_box(mesh, {3.3, 1.0, 1.9}, {4.1, 1.5, 2.5}, {"wall", "wall", "wall", "wall", "wall", "wall"},
                test::turned(5.0, 15.0));
  merge_vertices(mesh);
  std::string obj;
  for (const auto& v : mesh.vertices)
    obj += fmt::format("v {:.9g} {:.9g} {:.9g}\n", scale * v[0], scale * v[1], scale * v[2]);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    obj += fmt::format("usemtl {}\nf {} {} {}\n", mesh.materials[mesh.material[t]], a + 1, b + 1, c + 1);
  }
  folder.write("room.obj", obj);
}

struct Absorption {
  double centre, asked, found;
};

// By Eyring's law for the mean of six receivers' decays in the irregular room, against the requested absorption
// averaged over the areas on the grid. `walls`: [room.walls] and the materials.
std::vector<Absorption> absorption_found(const std::string& walls, double scale, double max_frequency, double duration,
                                         const std::vector<double>& centres, const std::string& accuracy = "") {
  const test::TemporaryFolder folder;
  write_irregular_room(folder, scale);
  const auto scaled = [&](const test::Place& p) { return test::Place{scale * p[0], scale * p[1], scale * p[2]}; };
  std::vector<test::Place> receivers;
  for (const test::Place& p : {test::Place{4.2, 3.6, 2.6},
                               {0.7, 3.7, 2.9},
                               {4.5, 0.5, 0.5},
                               {2.5, 2.2, 1.8},
                               {0.5, 2.0, 0.8},
                               {2.8, 3.8, 0.7}})
    receivers.push_back(scaled(p));
  const Heard heard = simulate("mesh = \"room.obj\"\n" + walls, max_frequency, duration, scaled({0.8, 0.9, 0.5}),
                               receivers, folder.path(), accuracy);
  const MeshSummary& mesh = *heard.planned.mesh;
  double area = 0.0;
  for (const auto& surface : mesh.surfaces) area += surface.in_room;
  std::vector<std::vector<BandMetrics>> measured;
  for (std::size_t r = 0; r < receivers.size(); ++r)
    measured.push_back(measure(heard.ir(r), rate, {max_frequency, 1.0, false}).bands);
  std::vector<Absorption> result;
  for (const double centre : centres) {
    double asked = 0.0, decay = 0.0;
    for (const auto& surface : mesh.surfaces)
      for (const MaterialFit& fit : heard.planned.materials)
        if (fit.name == surface.material)
          asked += surface.in_room / area *
                   fit.asked.at(static_cast<std::size_t>(std::ranges::find(fit.bands, centre) - fit.bands.begin()));
    for (const auto& bands : measured)
      decay += 1.0 / std::ranges::find(bands, centre, &BandMetrics::centre)->T30.value.value() /
               static_cast<double>(receivers.size());
    const double exponent = 24.0 * std::log(10.0) / speed * mesh.volume / area * decay;
    result.push_back({centre, asked, 1.0 - std::exp(-exponent)});
  }
  return result;
}

}  // namespace

TEST_CASE("requested octave-band absorption equals that of decays in an irregular room, to 10 %", "[physics]") {
  for (const double alpha : {0.12, 0.3}) {
    const std::string walls = fmt::format(
        "[room.walls]\ndefault = \"cloth\"\n[materials.cloth]\n"
        "absorption = {{ bands = [63, 125, 250, 500], alpha = [{0}, {0}, {0}, {0}] }}\n",
        alpha);
    for (const auto& [centre, asked, found] :
         absorption_found(walls, 1.0, 370.0, 0.12 / alpha + 0.2, {250.0}, "dispersion_error = 0.01\n")) {
      CAPTURE(centre, found);
      CHECK(asked == Approx(alpha));
      CHECK(found == Approx(asked).epsilon(0.1));
    }
  }
}

// Eyring's law holds for rooms much larger than the wavelength: modes along the walls decay more slowly, and their
// fraction is S lambda / (8 V) (R. V. Waterhouse, J. Acoust. Soc. Am. 27 (1955)). So each pair of bands has its own
// room, eight wavelengths of the upper band across: the fraction is small, and a grid of 75 000 nodes suffices.
TEST_CASE("the absorption of two materials that differ by band equals that of decays from 125 to 1000 Hz, to 10 %",
          "[physics]") {
  const std::string walls =
      "[room.walls]\nwall = \"carpet\"\npanel = \"board\"\n"
      "[materials.carpet]\nabsorption = { bands = [63, 125, 250, 500, 1000, 2000], "
      "alpha = [0.10, 0.10, 0.12, 0.15, 0.18, 0.20] }\n"
      "[materials.board]\nabsorption = { bands = [63, 125, 250, 500, 1000, 2000], "
      "alpha = [0.30, 0.28, 0.25, 0.20, 0.16, 0.12] }\n";
  std::vector<Absorption> all = absorption_found(walls, 2.0, 370.0, 1.2, {125.0, 250.0});
  std::ranges::copy(absorption_found(walls, 0.5, 1480.0, 0.3, {500.0, 1000.0}), std::back_inserter(all));
  REQUIRE(all.size() == 4);
  for (const auto& [centre, asked, found] : all) {
    CAPTURE(centre);
    CHECK(found == Approx(asked).epsilon(0.1));
  }
}

// The library of materials, and materials from files.
#include <fstream>

#include "scenes/toml/material_file.hpp"
#include "scenes/toml/material_library.hpp"
#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string scene_with(const std::string& material) {
  test::SceneText scene;
  scene.materials = "[materials.panel]\n" + material + "\n";
  return text_of(scene);
}

std::string why_of(const std::filesystem::path& file) {
  std::string why;
  CHECK_FALSE(read_material_file(file, why));
  return why;
}

}  // namespace

TEST_CASE("material_library: every entry is sound and says where it is from") {
  const auto& library = material_library();
  REQUIRE(library.size() >= 30);
  for (const LibraryMaterial& one : library) {
    INFO(one.name);
    CHECK(find_library_material(one.name) == &one);
    CHECK(one.about.size() > 5);
    CHECK(one.source.find("20") != std::string::npos);
    REQUIRE(one.alpha.size() >= 6);
    REQUIRE(one.bands.size() == one.alpha.size());
    for (const double a : one.alpha) CHECK((a > 0.0 && a <= 1.0));
  }
  CHECK(find_library_material("carpet-heavy")->alpha[2] == 0.57);
  CHECK(find_library_material("vibranium") == nullptr);
}

TEST_CASE("materials: a scene takes them from the library, with a hint for a misspelt one") {
  const ParsedScene good = parse_scene(scene_with("library = \"marble\""), "x.toml");
  REQUIRE(good.problems.empty());
  const Material& wall = good.scene.materials.at("panel");
  CHECK(wall.kind == Material::Kind::absorption);
  CHECK(wall.alpha.front() == 0.01);
  CHECK(wall.origin.find("Vorlaender") != std::string::npos);
  const ParsedScene bad = parse_scene(scene_with("library = \"marbel\""), "x.toml");
  REQUIRE(bad.problems.size() == 1);
  CHECK(bad.problems[0].place.line == 11);
  CHECK(bad.problems[0].hint.find("marble") != std::string::npos);
  CHECK(parse_scene(scene_with("library = \"marble\"\nrigid = true"), "x.toml").problems.size() == 1);
}

TEST_CASE("materials: impedance tables and porous layers in a scene") {
  const ParsedScene table = parse_scene(
      scene_with("impedance = { frequencies = [100, 200], real = [1, 2], imaginary = [-3, 0.5] }"), "x.toml");
  REQUIRE(table.problems.empty());
  CHECK(table.scene.materials.at("panel").impedance.values[0] == std::complex<double>(1.0, -3.0));
  const ParsedScene layer =
      parse_scene(scene_with("porous = { flow_resistivity = 12000, thickness = 0.05, air_gap = 0.1 }"), "x.toml");
  REQUIRE(layer.problems.empty());
  CHECK(layer.scene.materials.at("panel").porous.flow_resistivity == 12000.0);
  CHECK(layer.scene.materials.at("panel").porous.air_gap == 0.1);
  for (const char* bad :
       {"impedance = { frequencies = [100, 200], real = [1, 2], imaginary = [-3] }",
        "impedance = { frequencies = [200, 100], real = [1, 2], imaginary = [1, 1] }",
        "impedance = { frequencies = [100, 200], real = [1, -2], imaginary = [1, 1] }",
        "impedance = { frequencies = [100, 200], real = [1, 2] }",
        "impedance = { frequencies = [], real = [], imaginary = [] }", "porous = { flow_resistivity = 12000 }",
        "porous = { flow_resistivity = -1, thickness = 0.05 }",
        "porous = { flow_resistivity = 12000, thickness = 0.05, air_gab = 0.1 }"}) {
    INFO(bad);
    CHECK(parse_scene(scene_with(bad), "x.toml").problems.size() == 1);
  }
}

TEST_CASE("materials: files of coefficients, of impedances, and in TOML") {
  const TemporaryFolder folder;
  std::string why;
  write(folder / "a.csv", "# measured\nfrequency,alpha\n125,0.1\n250,0.25\n\n500,0.5\n");
  const auto a = read_material_file(folder / "a.csv", why);
  REQUIRE(a);
  CHECK(a->kind == Material::Kind::absorption);
  CHECK(a->bands == std::vector<double>{125, 250, 500});
  CHECK(a->alpha == std::vector<double>{0.1, 0.25, 0.5});
  write(folder / "z.csv", "\xEF\xBB\xBFImaginary; Frequency; Real\r\n-3; 100; 1.5\r\n0.5; 200; 2e0\r\n");
  const auto z = read_material_file(folder / "z.csv", why);
  REQUIRE(z);
  CHECK(z->kind == Material::Kind::impedance);
  CHECK(z->impedance.frequencies == std::vector<double>{100, 200});
  CHECK(z->impedance.values[0] == std::complex<double>(1.5, -3.0));
  write(folder / "t.txt", "frequency   alpha\n125   0.1\n 250  0.2");
  REQUIRE(read_material_file(folder / "t.txt", why));
  write(folder / "m.toml", "porous = { flow_resistivity = 9000, thickness = 0.1 }\n");
  REQUIRE(read_material_file(folder / "m.toml", why)->kind == Material::Kind::porous);

  const ParsedScene scene = parse_scene(scene_with("file = \"a.csv\""), folder / "x.toml");
  REQUIRE(scene.problems.empty());
  CHECK(scene.scene.materials.at("panel").alpha.size() == 3);
  CHECK(scene.scene.materials.at("panel").name == "panel");
  CHECK(scene.scene.materials.at("panel").origin == "the file a.csv");
}

TEST_CASE("materials: a bad file is reported with its name and line") {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"frequency,alpha\n125,0,1\n", "b.csv:2: 3 columns"},
      {"frequency,alpha\n125,nan\n", "b.csv:2: \"nan\" is not a number"},
      {"frequency,alpha\n125,1.5\n", "not between 0 and 1"},
      {"frequency,alpha\n250,0.1\n125,0.1\n", "b.csv:3: frequencies must increase"},
      {"frequency,beta\n125,0.1\n", "\"beta\" is not a known column"},
      {"frequency,frequency\n", "appears twice"},
      {"frequency,real\n125,0.1\n", "the first line must name"},
      {"frequency,real,imaginary\n125,-0.1,0\n", "would generate energy"},
      {"frequency,alpha\n", "no line of numbers"},
      {"", "no line of numbers"},
  };
  for (const auto& [text, expected] : bad) {
    write(folder / "b.csv", text);
    const std::string why = why_of(folder / "b.csv");
    INFO(text << "\n" << why);
    CHECK(why.find(expected) != std::string::npos);
    CHECK(why.find("b.csv") != std::string::npos);
  }
  write(folder / "b.toml", "porus = 1\n");
  CHECK(why_of(folder / "b.toml").find("b.toml:1:1") != std::string::npos);
  write(folder / "b.toml", "file = \"b.toml\"\n");  // no file that names itself
  CHECK_FALSE(why_of(folder / "b.toml").empty());
  write(folder / "b.toml", "[[[");
  CHECK_FALSE(why_of(folder / "b.toml").empty());
  CHECK_FALSE(why_of(folder / "missing.csv").empty());
  CHECK_FALSE(why_of(folder.path()).empty());
  const ParsedScene scene = parse_scene(scene_with("file = \"b.csv\""), folder / "x.toml");
  REQUIRE(scene.problems.size() == 1);
  CHECK(scene.problems[0].message.find("b.csv") != std::string::npos);
  CHECK(parse_scene(scene_with("file = \"../b.csv\""), folder / "x.toml").problems.size() == 1);
}

TEST_CASE("materials: absorption and admittances may have a smooth law, other kinds may not") {
  for (const char* kind :
       {"absorption = { bands = [125], alpha = [0.3] }", "library = \"marble\"", "admittance = 0.1"}) {
    for (const auto& [law, smooth] :
         {std::pair{"", false}, {"\nlaw = \"smooth\"", true}, {"\nlaw = \"fewest\"", false}}) {
      const ParsedScene read = parse_scene(scene_with(std::string(kind) + law), "x.toml");
      REQUIRE(read.problems.empty());
      CHECK(read.scene.materials.at("panel").smooth_law == smooth);
    }
  }
  for (const auto& [keys, why] :
       {std::pair{"rigid = true\nlaw = \"smooth\"", "has a smooth law"},
        {"law = \"smooth\"\nbranches = [{ D = 1e-3, E = 0.8, F = 120.0 }]", "has a smooth law"},
        {"admittance = 0.1\nlaw = \"few\"", "fewest"},
        {"admittance = 0.1\nlaw = true", "law"}}) {
    const ParsedScene read = parse_scene(scene_with(keys), "x.toml");
    REQUIRE(read.problems.size() == 1);
    const Problem& problem = read.problems[0];
    CHECK_THAT(problem.where + ": " + problem.message + problem.hint, Catch::Contains(why));
  }
  const test::TemporaryFolder folder;
  folder.write("own.csv", "frequency,alpha\n125,0.3\n");
  const ParsedScene own = parse_scene(scene_with("law = \"smooth\"\nfile = \"own.csv\""), folder / "x.toml");
  REQUIRE(own.problems.empty());
  CHECK(own.scene.materials.at("panel").smooth_law);
}

// Inputs as other programs and spreadsheets write them: read, or refused with what to write instead.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"

using namespace fdtd::test;
using nlohmann::json;

namespace {

constexpr std::size_t max_bytes = 2048;  // of a message

// A box of `side` units with each wall a facet, after lines that `before` gives for it.
std::string box_obj(double side, const std::vector<std::string>& before) {
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += fmt::format("v {} {} {}\n", i % 2 * side, i / 2 % 2 * 0.8 * side, i / 4 * 0.6 * side);
  const std::vector<std::string> faces = {"1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"};
  for (std::size_t f = 0; f < faces.size(); ++f) text += before[f] + "f " + faces[f] + "\n";
  return text;
}

std::string mesh_scene(const std::string& room) {
  return "schema = 1\nsimulation = { duration = 0.05, max_frequency = 300.0, stencil = \"leggy-2\" }\n" + room +
         "[materials.w]\nadmittance = 0.02\n"
         "[[source]]\nname = \"S\"\nposition = [1.2, 1.1, 1.0]\n"
         "[[receiver]]\nname = \"R\"\nposition = [3.1, 2.2, 1.4]\n";
}

const std::vector<std::string> three_groups = {"g floor\n", "g ceiling\n", "g walls\n", "", "", ""};

}  // namespace

TEST_CASE("tables of spreadsheets are read: semicolons, tabs, decimal commas, quotes, byte order marks", "[cli]") {
  const TemporaryFolder folder;
  for (const char* table : {"Frequency;Alpha\n125;0,45\n250;0,85\n", "frequency\talpha\r\n125\t0,45\r\n250\t0,85\r\n",
                            "\xEF\xBB\xBF"
                            "frequency,alpha\n125,\"0,45\"\n250,\"0,85\"\n",
                            "\"frequency\",\"alpha\"\n\"125\",\"0.45\"\n\"250\",\"0.85\"\n",
                            "sep=;\nfrequency;alpha\n125;0.45\n250;0.85\n", "frequency alpha\n125 0,45\n250 0,85\n",
                            "frequency, alpha\n125, 0.45\n250, 0.85\n", "alpha;frequency\n0,45;125,0\n0,85;250,00\n"}) {
    CAPTURE(table);
    folder.write("a.csv", table);
    const Outcome read = run_fdtd({"materials", "a.csv", "--json"}, folder.path());
    REQUIRE(read.status == 0);
    const json fit = json::parse(read.out)[0];
    CHECK(fit["asked"] == json({0.45, 0.85}));
    CHECK(fit["bands"] == json({125.0, 250.0}));
  }
}

TEST_CASE("a table that is not understood says where, what and what to write", "[cli]") {
  const TemporaryFolder folder;
  struct Row {
    std::string table, place, says;
  };
  for (const Row& row :
       std::vector<Row>{{"frequency,alpha\n125,0.45\n500,1.15\n", "a.csv:3: ", "write 1"},
                        {"frequency,alpha\n125,1.05\n250,45\n", "a.csv:2: ", "per cent"},
                        {"frequency,alpha\n125,45%\n", "a.csv:2: ", "per cent"},
                        {"frequency,alpha\n125,0,45\n", "a.csv:2: ", "with a point"},
                        {"frequency;alpha\n500;0,4\n1,000;0,5\n", "a.csv:3: ", "thousand"},
                        {"frequency;alpha\n1.000;0,5\n", "a.csv:2: ", "thousand"},
                        {"frequency;alpha\n500;0.4\n1.000;0.5\n", "a.csv:3: ", "thousand"},
                        {"frequency;alpha\n1 000;0,5\n", "a.csv:2: ", "without spaces"},
                        {"frequency;alpha\n125;0,4,5\n", "a.csv:2: ", "decimal point"},
                        {"freq,alpha\n125,0.4\n", "a.csv:1: ", "frequency, alpha or frequency, real, imaginary"},
                        {"frequency\n125\n", "a.csv:1: ", "it has \"frequency\""},
                        {"125,0.4\n250,0.5\n", "a.csv:1: ", "the first line names them"},
                        {"\xFF\xFE"
                         "f",
                         "a.csv: ", "UTF-8"},
                        {std::string(100000, 'x'), "a.csv:1: ", "frequency"}}) {
    CAPTURE(row.table.substr(0, 60));
    folder.write("a.csv", row.table);
    const Outcome refused = run_fdtd({"materials", "a.csv"}, folder.path());
    CHECK(refused.status == 2);
    CHECK(refused.err.find(row.place) != refused.err.npos);
    CHECK(refused.err.find(row.says) != refused.err.npos);
    CHECK(refused.err.size() <= max_bytes);
  }
  folder.write("room.toml", mesh_scene("room.box = [5, 4, 3]\nroom.walls.default = \"e\"\n[materials.e]\n"
                                       "absorption = { bands = [125, 250], alpha = [0.9, 1.2] }\n"));
  const Outcome edge = run_fdtd({"plan", "room.toml"}, folder.path());
  CHECK(edge.status == 2);
  CHECK(edge.err.find("room.toml:6:") != edge.err.npos);
  CHECK(edge.err.find("write 1") != edge.err.npos);
  const Outcome cents =
      run_fdtd({"plan", "room.toml", "--set", "materials.e.absorption.alpha=[45, 90]"}, folder.path());
  CHECK(cents.err.find("per cent") != cents.err.npos);
}

TEST_CASE("the library is searched by word, and names that it lacks bring what is alike", "[cli]") {
  const TemporaryFolder folder;
  const Outcome found = run_fdtd({"materials", "--search", "Carpet concrete"}, folder.path());
  CHECK(found.status == 0);
  CHECK(found.out.find("carpet") != found.out.npos);
  CHECK(found.out.find("marble") == found.out.npos);
  const json all = json_of(run_fdtd({"materials", "--json"}, folder.path()));
  const json some = json_of(run_fdtd({"materials", "--search", "carpet", "--json"}, folder.path()));
  CHECK(!some.empty());
  CHECK(some.size() < all.size());
  CHECK(json_of(run_fdtd({"materials", "--search", "xyzzy", "--json"}, folder.path())).empty());
  CHECK(run_fdtd({"materials", "--search", "xyzzy"}, folder.path()).out.find("no entry") != std::string::npos);
  for (const auto& [word, name] :
       std::vector<std::pair<std::string, std::string>>{{"carpets", "carpet-thin"},
                                                        {"Drywall", "plasterboard"},
                                                        {"desk", "wood-solid"},
                                                        {"tables", "wood-solid"},
                                                        {"people standing", "audience-standing"},
                                                        {"mineral tile grid", "ceiling-mineral-grid"},
                                                        {"parquet concrete", "parquet"},
                                                        {"glass", "glass-ordinary"}}) {
    CAPTURE(word);
    const json held = json_of(run_fdtd({"materials", "--search", word, "--json"}, folder.path()));
    CHECK(std::any_of(held.begin(), held.end(), [&](const json& one) { return one["name"] == name; }));
    CHECK(held.size() < all.size() / 2);
  }
  CHECK(run_fdtd({"materials", "marble", "--search", "carpet"}, folder.path()).status == 2);
  CHECK(run_fdtd({"materials"}, folder.path()).out.find("\nrigid ") != std::string::npos);
  CHECK(run_fdtd({"materials", "rigid"}, folder.path()).status == 0);
  CHECK(run_fdtd({"materials", "carpet"}, folder.path()).err.find("carpet-heavy") != std::string::npos);
  for (const auto& [wall, says] : {std::pair{"carpet", "carpet-heavy"}, {"rigidd", "\"rigid\""}}) {
    folder.write("room.toml", mesh_scene(fmt::format("room.box = [5, 4, 3]\nroom.walls.default = \"{}\"\n", wall)));
    const Outcome refused = run_fdtd({"plan", "room.toml"}, folder.path());
    CHECK(refused.status == 2);
    CHECK(refused.err.find(says) != refused.err.npos);
  }
  folder.write("room.toml", mesh_scene("room.box = [5, 4, 3]\nroom.walls = { default = \"w\", floor = \"rigid\" }\n"));
  CHECK(run_fdtd({"plan", "room.toml"}, folder.path()).status == 0);
}

TEST_CASE("units of a mesh may be a factor, and a message lists the names", "[cli]") {
  const TemporaryFolder folder;
  folder.write("m.obj", box_obj(2500.0, {"usemtl w\n", "", "", "", "", ""}));
  const auto plan = [&](const std::string& units, bool as_json) {
    folder.write("room.toml", mesh_scene("[room]\nmesh = \"m.obj\"\n" + units));
    std::vector<std::string> words = {"plan", "room.toml"};
    if (as_json) words.emplace_back("--json");
    return run_fdtd(words, folder.path());
  };
  const json found = json_of(plan("units = 0.002\n", true));
  CHECK(double(found["mesh"]["volume"]) == Approx(5.0 * 4.0 * 3.0).epsilon(1e-6));
  CHECK(found["mesh"]["units"] == "0.002");
  for (const char* units : {"units = 0", "units = -1", "units = inf", "units = nan", "units = true",
                            "units = \"0.002\"", "units = \"1/500\"", "units = \"metre\"", "units = [1]"}) {
    CAPTURE(units);
    const Outcome refused = plan(std::string(units) + "\n", false);
    CHECK(refused.status == 2);
    CHECK(refused.err.find("room.toml:5:") != refused.err.npos);
    CHECK(refused.err.size() <= max_bytes);
  }
  for (const char* units : {"units = true", "units = \"0.002\"", "units = \"metre\""})
    CHECK(plan(std::string(units) + "\n", false).err.find("cm, mm, in, ft, auto") != std::string::npos);
  folder.write("box.toml", mesh_scene("[room]\nbox = [5, 4, 3]\nunits = 0.002\nwalls.default = \"w\"\n"));
  const Outcome box = run_fdtd({"plan", "box.toml"}, folder.path());
  CHECK(box.status == 2);
  CHECK(box.err.find("metres") != box.err.npos);
}

TEST_CASE("groups of an OBJ without materials are materials where the scene names them", "[cli]") {
  const TemporaryFolder folder;
  const auto surfaces = [&](const std::string& walls) {
    folder.write("room.toml", mesh_scene("room.mesh = \"m.obj\"\n" + walls));
    return run_fdtd({"plan", "room.toml", "--json"}, folder.path());
  };
  folder.write("m.obj", box_obj(5.0, three_groups));
  const json named = json_of(surfaces("room.walls = { floor = \"w\", ceiling = \"rigid\", walls = \"w\" }\n"));
  REQUIRE(named["mesh"]["materials"].size() == 3);
  const json defaulted = json_of(surfaces("room.walls = { floor = \"rigid\", default = \"w\" }\n"));
  CHECK(defaulted["mesh"]["materials"].size() == 3);
  // Nothing names a group: one material, as before.
  CHECK(json_of(surfaces("room.walls = { default = \"w\" }\n"))["mesh"]["materials"].size() == 1);
  const Outcome unknown = surfaces("room.walls = { flor = \"w\", default = \"w\" }\n");
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("groups") != unknown.err.npos);
  CHECK(unknown.err.find("\"ceiling\"") != unknown.err.npos);
  CHECK(unknown.err.size() <= max_bytes);
  // Objects, where there are no groups; a file that names one material keeps to materials.
  folder.write("m.obj", box_obj(5.0, {"o floor\n", "o rest of it\n", "", "", "", ""}));
  const json objects = json_of(surfaces("room.walls = { floor = \"w\", \"rest of it\" = \"rigid\" }\n"));
  CHECK(objects["mesh"]["materials"].size() == 2);
  folder.write("m.obj", box_obj(5.0, {"g floor\nusemtl a\n", "g ceiling\n", "", "", "", ""}));
  CHECK(surfaces("room.walls = { floor = \"w\", default = \"w\" }\n").status == 2);
}

TEST_CASE("fdtd without a command prints its help as a mistake", "[cli]") {
  const TemporaryFolder folder;
  const Outcome bare = run_fdtd({}, folder.path());
  CHECK(bare.status == 2);
  CHECK(bare.out.empty());
  CHECK(bare.err == run_fdtd({"--help"}, folder.path()).out);
}

TEST_CASE("a leak says how to close an opening and how to keep it, a face of admittance 1 keeps it", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", mesh_scene("room.mesh = \"m.obj\"\nroom.walls = { default = \"w\" }\n"));
  std::string box = box_obj(5.0, {"usemtl wall\n", "", "", "", "", "usemtl window\n"});
  const std::string closed = box;
  box.erase(box.rfind("f "));
  folder.write("m.obj", box);
  const Outcome leaks = run_fdtd({"plan", "room.toml"}, folder.path());
  CHECK(leaks.status == 2);
  CHECK(leaks.err.find("close it in the mesh") != leaks.err.npos);
  CHECK(leaks.err.find("admittance = 1") != leaks.err.npos);
  folder.write("m.obj", closed);
  folder.write("room.toml", mesh_scene("room.mesh = \"m.obj\"\nroom.walls = { default = \"w\" }\n"
                                       "[materials.window]\nadmittance = 1.0\n"));
  const json open = json_of(run_fdtd({"plan", "room.toml", "--json"}, folder.path()));
  CHECK(open["mesh"]["materials"].size() == 2);
}

TEST_CASE("parts of a scene that are seldom meant are noted in the plan, in text and in JSON", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml",
               "schema = 1\nsimulation = { duration = 0.02, max_frequency = 250.0, stencil = \"leggy-2\" }\n"
               "room.box = [5, 4, 3]\nroom.walls.default = \"w\"\nabove.method = \"none\"\n"
               "[materials.w]\nadmittance = 0.02\n[materials.spare]\nrigid = true\n"
               "[[source]]\nname = \"S\"\nposition = [0, 1.1, 1.0]\n"
               "[[receiver]]\nname = \"R\"\nposition = [3.1, 2.2, 0]\n");
  const std::vector<std::string> parts = {"no wall has the material \"spare\" (line 8)",
                                          "source on walls: S on x_min (w)", "receiver on walls: R on z_min (w)",
                                          "max_frequency, 250 Hz, is the centre of the octave of 250 Hz"};
  const json plan = json_of(run_fdtd({"plan", "room.toml", "--json"}, folder.path()));
  const std::string warnings = plan["warnings"].dump(-1, ' ', false);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(warnings.find(json(part).dump().substr(1, part.size() - 1)) != warnings.npos);
  }
  const Outcome text = run_fdtd({"plan", "room.toml"}, folder.path());
  CHECK(text.out.find("note: no wall has the material \"spare\"") != text.out.npos);
  CHECK(text.out.find("note: max_frequency, 250 Hz, is the centre of the octave") != text.out.npos);
  const Outcome whole = run_fdtd({"plan", "room.toml", "--set", "simulation.max_frequency=355"}, folder.path());
  CHECK(whole.out.find("is the centre of the octave") == whole.out.npos);
  // A box in millimetres is too large, and the refusal says why.
  const Outcome large = run_fdtd({"plan", "room.toml", "--set", "room.box=[5000, 4000, 3000]"}, folder.path());
  CHECK(large.status != 0);
  CHECK(large.err.find("millimetres") != large.err.npos);
  CHECK(large.err.find("box = [5, 4, 3]") != large.err.npos);
}

TEST_CASE("a source on a rigid wall is 6 dB louder than in the room, as its note says", "[cli]") {
  const TemporaryFolder folder;
  const auto level = [&](const std::string& name, double x) {
    folder.write(
        name + ".toml",
        fmt::format("schema = 1\nsimulation = {{ duration = 0.012, max_frequency = 800.0, stencil = \"leggy-2\" }}\n"
                    "room.box = [4, 4, 4]\nroom.walls = {{ default = \"open\", x_min = \"rigid\" }}\n"
                    "materials.open.admittance = 1.0\nabove.method = \"none\"\n"
                    "[[source]]\nname = \"S\"\nposition = [{}, 2, 2]\n"
                    "[[receiver]]\nname = \"R\"\nposition = [{}, 2, 2]\n",
                    x, x + 1.0));
    REQUIRE(run_fdtd({"run", name + ".toml", "-o", name}, folder.path()).status == 0);
    const std::vector<double> response = fdtd::read_audio(folder.path() / name / "ir_R.wav").channels[0];
    std::complex<double> sum;  // at 400 Hz, before reflections arrive
    for (std::size_t i = 0; i < response.size() && i < 432; ++i)
      sum += response[i] * std::polar(1.0, -2.0 * std::numbers::pi * 400.0 / 48000.0 * static_cast<double>(i));
    return 20.0 * std::log10(std::abs(sum));
  };
  CHECK(level("wall", 0.0) - level("room", 1.3) == Approx(6.02).margin(0.3));
}

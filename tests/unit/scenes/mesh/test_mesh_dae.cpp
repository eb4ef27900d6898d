// COLLADA: what is read, in which frame, and what is refused.
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "scenes/mesh/mesh.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

Mesh box() {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {5.1, 4.3, 2.7}, {"wall", "wall", "wall", "wall", "wood floor", "ceiling"});
  return mesh;
}

Mesh good(const std::string& bytes) {
  const TemporaryFolder folder;
  std::string why;
  const auto mesh = read_mesh(folder.write("room.DAE", bytes), {"m", "z"}, why);
  INFO(why);
  REQUIRE(mesh);
  return *mesh;
}

std::string message(const std::string& bytes) {
  const TemporaryFolder folder;
  std::string why;
  CHECK(!read_mesh(folder.write("room.dae", bytes), {"m", "z"}, why));
  return why;
}

std::string with(std::string text, const std::string& before, const std::string& after) {
  const std::size_t at = text.find(before);
  REQUIRE(at != text.npos);
  return text.replace(at, before.size(), after);
}

// One quadrilateral of a unit square and a triangle beside it, by any of the elements.
std::string polygons(const std::string& group) {
  std::string text = as_dae(box());
  const std::size_t from = text.find("<triangles"), to = text.rfind("</triangles>") + 12;
  text.replace(from, to - from, group);
  const std::size_t numbers = text.find('>', text.find("<float_array")) + 1;
  text.replace(numbers, text.find("</float_array>") - numbers, "0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0");
  return with(text, "count=\"36\" stride", "count=\"6\" stride");
}

}  // namespace

TEST_CASE("COLLADA is the mesh that OBJ is, with the names that its scene binds") {
  const TemporaryFolder folder;
  std::string why;
  const auto obj = read_mesh(folder.write("room.obj", as_obj(box())), {}, why);
  REQUIRE(obj);
  const Mesh mesh = good(as_dae(box()));
  CHECK(mesh.triangles.size() == 12);
  CHECK(mesh.materials == obj->materials);
  CHECK(mesh.low == obj->low);
  CHECK(mesh.high == std::array{5.1, 4.3, 2.7});
  CHECK(mesh.stated_units == "m");
  CHECK(mesh.stated_up == "z");
  // Without a scene each geometry is read where it is, by its own symbols.
  const std::string library = with(as_dae(box()), "<scene><instance_visual_scene url=\"#s\"/></scene>", "");
  CHECK(good(library).materials.front() == "s0");
}

TEST_CASE("COLLADA: the unit and the up axis are those of the file") {
  const auto frame = [](const std::string& unit, const std::string& up = "Z_UP") {
    return good(as_dae(box(), unit, "", up));
  };
  CHECK(frame("<unit meter=\"0.0254\" name=\"inch\"/>").stated_units == "in");
  CHECK(frame("<unit meter=\"0.01\"/>").stated_units == "cm");
  CHECK(frame("").stated_units == "m");
  const Mesh yard = frame("<unit meter=\"0.9144\" name=\"yard\"/>");  // has no name here: applied
  CHECK(yard.stated_units == "m");
  CHECK(yard.high[0] == Approx(5.1 * 0.9144));
  CHECK(frame("", "Y_UP").stated_up == "y");
  const Mesh lying = frame("", "X_UP");  // x up, -y right
  CHECK(lying.stated_up == "z");
  CHECK(lying.high[2] == Approx(5.1));
  CHECK(lying.low[0] == Approx(-4.3));
}

TEST_CASE("COLLADA: transforms are applied in their order, nodes inside nodes and by reference") {
  const Mesh moved =
      good(as_dae(box(), "", "<translate>1 2 3</translate><rotate>0 0 1 90</rotate><scale>2 1 1</scale>"));
  CHECK(moved.low[0] == Approx(1 - 4.3));  // x = 1 - y, y = 2 + 2 x
  CHECK(moved.high[0] == Approx(1.0));
  CHECK(moved.high[1] == Approx(2 + 10.2));
  CHECK(moved.low[2] == Approx(3.0));
  const Mesh matrix = good(as_dae(box(), "", "<matrix>1 0 0 10 0 1 0 0 0 0 1 0 0 0 0 1</matrix>"));
  CHECK(matrix.low[0] == 10.0);
  const std::string twice =
      with(as_dae(box()), "<node id=\"room\">",
           "<node id=\"outer\"><translate>100 0 0</translate><instance_node url=\"#room\"/></node>"
           "<node id=\"room\">");
  const Mesh both = good(twice);
  CHECK(both.triangles.size() == 24);
  CHECK(both.high[0] == Approx(105.1));
}

TEST_CASE("COLLADA: polygons of every kind are triangles") {
  const std::string input = "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>";
  const auto triangles = [&](const std::string& kind, const std::string& body) {
    return good(polygons(fmt::format("<{0} material=\"s0\" count=\"2\">{1}{2}</{0}>", kind, input, body))).triangles;
  };
  CHECK(triangles("polylist", "<vcount>4 0 2 3</vcount><p>0 1 2 3 0 1 1 4 5</p>").size() == 3);
  CHECK(triangles("polygons", "<p>0 1 2 3</p><p>1 4 5</p>").size() == 3);
  const std::vector<std::array<std::uint32_t, 3>> fan = triangles("trifans", "<p>0 1 2 3</p>"),
                                                  strip = triangles("tristrips", "<p>0 1 3 2</p>");
  CHECK(fan == std::vector<std::array<std::uint32_t, 3>>{{0, 1, 2}, {0, 2, 3}});
  CHECK(strip == std::vector<std::array<std::uint32_t, 3>>{{0, 1, 2}, {2, 1, 3}});
  CHECK(message(polygons("<polygons count=\"1\">" + input + "<ph><p>0 1 2 3</p><h>1 4 5</h></ph></polygons>"))
            .find("polygons with holes are not read: export triangles") != std::string::npos);
}

TEST_CASE("COLLADA that is hostile, truncated or not for this program is refused with the place and the reason") {
  const std::string text = as_dae(box());
  CHECK_THAT(message(text.substr(0, text.size() / 2)), Contains("its XML cannot be read: byte "));
  CHECK(message("<a/>") == "it is no COLLADA: it has no element COLLADA");
  CHECK_THAT(message(std::string(5'000'000, '<')), Contains("more than 4000000 elements"));
  CHECK_THAT(message(with(text, "url=\"#g\"", "url=\"/etc/passwd#g\"")), Contains("names nothing in this file"));
  CHECK_THAT(message(with(text, "url=\"#g\"", "url=\"#m0\"")), Contains("there is no geometry \"m0\""));
  CHECK_THAT(message(with(text, "count=\"36\" stride", "count=\"99\" stride")),
             Contains("source \"p\": it states 99 vertices and holds 36"));
  CHECK_THAT(message(with(text, "<p> 0 0", "<p> 99 0")),
             Contains("geometry \"g\", triangles: vertex 99: there are 36"));
  CHECK_THAT(message(with(text, "<p> 0 0", "<p> -1 0")), Contains("\"-1\" is no index"));
  CHECK_THAT(message(with(text, "5.1", "nan")), Contains("float_array \"a\": \"nan\" is no finite number"));
  CHECK_THAT(message(with(text, "5.1", "1e13")), Contains("is not a coordinate"));
  CHECK_THAT(message(with(text, "stride=\"3\"", "stride=\"0\"")), Contains("stride 0"));
  CHECK_THAT(message(as_dae(box(), "<unit meter=\"0\"/>")), Contains("meter = \"0\" is no length"));
  CHECK_THAT(message(as_dae(box(), "", "<rotate>0 0 0 90</rotate>")), Contains("its axis has no length"));
  CHECK_THAT(message(as_dae(box(), "", "<skew>45 0 1 0 1 0 0</skew>")), Contains("export the scene with matrices"));
  CHECK_THAT(message(as_dae(box(), "", "<instance_controller url=\"#c\"/>")), Contains("without its armature"));
  CHECK_THAT(message(as_dae(box(), "", "<instance_node url=\"#room\"/>")), Contains("contains itself"));
  // A thousand million instances in a few lines.
  std::string nodes;
  for (int i = 0; i < 30; ++i)
    nodes +=
        fmt::format("<node id=\"n{0}\"><instance_node url=\"#n{1}\"/><instance_node url=\"#n{1}\"/></node>", i, i + 1);
  nodes += "<node id=\"n30\"/>";
  CHECK_THAT(message(with(text, "<node id=\"room\">", nodes + "<node id=\"room\">")),
             Contains("more than 1000000 objects"));
  // Entities are not expanded.
  CHECK_THAT(message(with(with(text, "<COLLADA", "<!DOCTYPE x [<!ENTITY a \"9.9\">]><COLLADA"), "5.1", "&a;")),
             Contains("is no finite number"));
}

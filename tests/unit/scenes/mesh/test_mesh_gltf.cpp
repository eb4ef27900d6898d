// glTF and GLB: what is read, in which frame, and what is refused.
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

const MeshFrame y_up = {"m", "y"};

Mesh box() {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {5.1, 4.3, 2.7}, {"wall", "wall", "wall", "wall", "wood floor", "ceiling"});
  return mesh;
}

Mesh good(const TemporaryFolder& folder, const std::string& name, const std::string& bytes) {
  std::string why;
  const auto mesh = read_mesh(folder.write(name, bytes), y_up, why);
  INFO(why);
  REQUIRE(mesh);
  return *mesh;
}

std::string message(const std::string& bytes, const std::string& name = "room.gltf") {
  const TemporaryFolder folder;
  std::string why;
  CHECK(!read_mesh(folder.write(name, bytes), y_up, why));
  return why;
}

std::string with(std::string text, const std::string& before, const std::string& after) {
  const std::size_t at = text.find(before);
  REQUIRE(at != text.npos);
  return text.replace(at, before.size(), after);
}

bool same(const Mesh& a, const Mesh& b) {
  return a.vertices == b.vertices && a.triangles == b.triangles && a.material == b.material &&
         a.materials == b.materials;
}

}  // namespace

TEST_CASE("glTF as text, as GLB and with a buffer beside it is the mesh that OBJ is") {
  const TemporaryFolder folder;
  std::string why;
  const auto obj = read_mesh(folder.write("room.obj", as_obj(box())), {}, why);
  REQUIRE(obj);
  CHECK(same(good(folder, "room.gltf", as_gltf(box())), *obj));
  const Mesh glb = good(folder, "room.GLB", as_glb(box()));
  CHECK(same(glb, *obj));
  CHECK(glb.stated_units == "m");
  CHECK(glb.stated_up == "y");
  CHECK(glb.high == std::array{5.1, 4.3, 2.7});  // the decimal numbers, not their nearest floats
  const std::string own = R"("asset": {"generator": "https://github.com/mikedh/trimesh", )";  // it states no axis
  CHECK(good(folder, "t.gltf", with(as_gltf(box()), R"("asset": {)", own)).stated_up.empty());
  CHECK(good(folder, "b.gltf", with(as_gltf(box()), R"("asset": {)", R"("asset": {"generator": "Khronos glTF", )"))
            .stated_up == "y");
  const GltfParts apart = gltf_parts(box(), "my%20room.bin");
  folder.write("my room.bin", apart.buffer);
  CHECK(same(good(folder, "apart.gltf", apart.json), *obj));
}

TEST_CASE("glTF: nodes are applied, outer ones last, by matrix or by translation, rotation and scale") {
  const TemporaryFolder folder;
  // A quarter turn about y (single precision, as files have it), twice the size, moved.
  const Mesh moved = good(folder, "a.gltf",
                          as_gltf(box(),
                                  "\"mesh\": 0, \"translation\": [1, 2, 3], \"rotation\": [0, 0.70710677, 0, "
                                  "0.70710677], \"scale\": [2, 2, 2]"));
  // (x, y, z) -> (1 + 2 z, 2 + 2 y, 3 - 2 x) in the file; there z = -(room's y).
  CHECK(moved.low[0] == Approx(1 - 8.6).margin(1e-12));
  CHECK(moved.high[0] == 1.0);
  CHECK(moved.low[1] == -3.0);
  CHECK(moved.high[1] == Approx(7.2).margin(1e-12));
  CHECK(moved.low[2] == 2.0);
  CHECK(moved.high[2] == Approx(7.4).margin(1e-12));
  const Mesh nested = good(folder, "b.gltf",
                           as_gltf(box(),
                                   "\"children\": [1, 2], \"translation\": [10, 0, 0]}, {\"mesh\": 0, \"matrix\": "
                                   "[2,0,0,0, 0,1,0,0, 0,0,1,0, 1,0,0,1]}, {\"mesh\": 0"));
  CHECK(nested.triangles.size() == 24);
  CHECK(nested.low[0] == 10.0);
  CHECK(nested.high[0] == Approx(21.2).margin(1e-12));
}

TEST_CASE("glTF: strips and fans are triangles, points and lines are skipped") {
  const TemporaryFolder folder;
  const std::string text = as_gltf(box());
  const Mesh strip = good(folder, "a.gltf", with(text, "\"indices\": 1,", "\"indices\": 1, \"mode\": 5,"));
  CHECK(strip.triangles.size() == 24 - 2 + 4);
  CHECK(good(folder, "b.gltf", with(text, "\"indices\": 1,", "\"indices\": 1, \"mode\": 1,")).triangles.size() == 4);
  CHECK(good(folder, "c.gltf", with(text, "{\"name\": \"ceiling\"}", "{}")).materials.back() == "material 2");
}

TEST_CASE("glTF that is hostile, truncated or not for this program is refused with the place and the reason") {
  const std::string text = as_gltf(box()), glb = as_glb(box());
  CHECK_THAT(message("{"), Contains("its JSON: line 1, column 2: the text ends"));
  CHECK(message("[]") == "it is no glTF: it has no object \"asset\"");
  CHECK(message(std::string(100'000, '[')) == "its JSON is nested deeper than 64");
  CHECK(message("[" + std::string(5'000'000, ',')) == "its JSON has more than 4000000 values");
  CHECK(message(with(text, "2.0", "1.0")) == "asset.version: is not 2.0: export glTF 2.0");
  CHECK(message(with(text, "\"count\": 36", "\"count\": 4294967295")) ==
        "accessors[0]: 4294967295 elements of 12 bytes from byte 0 on in a bufferView of 432 bytes");
  CHECK(message(with(text, "\"count\": 36", "\"count\": 1e300")) ==
        "accessors[0].count: is not a whole number from 0 on");
  CHECK_THAT(message(with(text, "\"count\": 36", "\"count\": 3")), Contains("is vertex") && Contains("there are 3"));
  CHECK_THAT(message(with(text, "\"byteLength\": 432", "\"byteLength\": 4000000000")),
             Contains("bufferViews[0]: bytes 0 to 4000000000 of a buffer of"));
  CHECK_THAT(message(with(text, "base64,AAAA", "base64,")), Contains("buffers[0]: it is truncated"));
  CHECK(message(with(text, "base64,AAAA", "base64,A*AA")) == "buffers[0]: its data are no base64 text");
  CHECK_THAT(message(with(text, "\"mesh\": 0", "\"mesh\": 7")), Contains("nodes[0]: meshes[7] does not exist"));
  CHECK(message(with(text, "\"mesh\": 0", "\"children\": [0]")) == "nodes[0]: is in the scene twice, or below itself");
  CHECK(message(with(text, "\"mesh\": 0", "\"scale\": [1e30, 1, 1], \"mesh\": 0")).find("is not a coordinate") !=
        std::string::npos);
  CHECK_THAT(
      message(with(text, "\"indices\": 1", "\"extensions\": {\"KHR_draco_mesh_compression\": {}}, \"indices\": 1")),
      Contains("export it without compression"));
  Mesh nan = box();
  nan.vertices[3][1] = std::nan("");
  CHECK(message(as_gltf(nan)) == "accessors[0]: element 3: nan is not a coordinate");
  for (const std::size_t bytes : {std::size_t{6}, std::size_t{19}, std::size_t{30}, glb.size() - 1}) {
    CAPTURE(bytes);
    CHECK_THAT(message(glb.substr(0, bytes), "room.glb"), Contains("truncated") || Contains("JSON"));
  }
  // Two hundred nodes of one object each are the limit of depth.
  std::string chain = "\"children\": [1]";
  for (int i = 1; i < 300; ++i) chain += fmt::format("}}, {{\"children\": [{}]", i + 1);
  CHECK_THAT(message(with(text, "\"mesh\": 0", chain + "}, {\"mesh\": 0")), Contains("is nested deeper than 200"));
}

TEST_CASE("glTF: no buffer outside the folder of the model is opened") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "models");
  folder.write("room.bin", gltf_parts(box()).buffer);
  std::filesystem::create_symlink(folder.path() / "room.bin", folder.path() / "models/link.bin");
  for (const std::string& uri : {std::string("../room.bin"), std::string("%2e%2e/room.bin"), std::string("link.bin"),
                                 (folder.path() / "room.bin").string(), std::string("file:///etc/passwd"),
                                 std::string("https://host/room.bin")}) {
    std::string why;
    CHECK(!read_mesh(folder.write("models/room.gltf", gltf_parts(box(), uri).json), y_up, why));
    CHECK_THAT(why, Contains("buffers[0]: ") && Contains("is no file in the folder of the model"));
  }
  std::string why;
  CHECK(!read_mesh(folder.write("models/room.gltf", gltf_parts(box(), "none.bin").json), y_up, why));
  CHECK(why == "buffers[0]: \"none.bin\": no such file");
}

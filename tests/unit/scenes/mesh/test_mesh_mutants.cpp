// Broken mesh files by the hundred: each is read or refused with a reason, in bounded time, and what is read can be
// voxelised. The sanitizers' builds make more of this test.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/voxels/voxelise_mesh.hpp"
#include "scenes/mesh/mesh_diagnosis.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/mutants.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using fdtd::test::TemporaryFolder;

TEST_CASE("a thousand broken mesh files are read or refused with a reason") {
  const Mesh room = fdtd::test::box_mesh({0, 0, 0}, {2, 1.5, 1});
  struct Kind {
    std::string name, bytes;
  };
  const std::vector<Kind> kinds = {{"m.obj", test::as_obj(room)},        {"m.stl", test::as_stl(room)},
                                   {"m.stl", test::as_stl_text(room)},   {"m.ply", test::as_ply(room, true)},
                                   {"m.ply", test::as_ply(room, false)}, {"m.gltf", test::as_gltf(room)},
                                   {"m.glb", test::as_glb(room)},        {"m.dxf", test::as_dxf(test::dxf_faces(room))},
                                   {"m.dae", test::as_dae(room)}};
  const TemporaryFolder folder;
  std::mt19937 random(20'260'101);
  int read = 0, refused = 0;
  for (const Kind& kind : kinds) {
    std::string why;
    REQUIRE(read_mesh(folder.write(kind.name, kind.bytes), {}, why));
    for (int i = 0; i < 250; ++i) {
      why.clear();
      const auto mesh = read_mesh(folder.write(kind.name, fdtd::test::mutated(kind.bytes, random)), {}, why);
      if (!mesh) {
        ++refused;
        if (why.empty()) FAIL("refused without a reason");
        continue;
      }
      ++read;
      diagnose(*mesh);
      const MeshGrid grid{{12, 9, 6}, {0.17, 0.17, 0.17}, {0.0, 0.0, 0.0}};
      double reach = 0.0;
      for (std::size_t d = 0; d < 3; ++d) reach = std::max({reach, std::abs(mesh->low[d]), std::abs(mesh->high[d])});
      if (reach < 1000.0) voxelise_mesh(*mesh, mesh->materials, grid, {{1, 0.7, 0.5}}, {});
    }
  }
  CHECK(read > 100);
  CHECK(refused > 400);
}

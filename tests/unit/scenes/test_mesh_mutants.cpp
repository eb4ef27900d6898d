// Broken mesh files by the hundred: each is read or refused with a reason, in bounded time, and what is read can be
// voxelised. The sanitizers' builds make more of this test.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "scenes/mesh_diagnosis.hpp"
#include "scenes/voxelise_mesh.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/mutants.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using fdtd::test::TemporaryFolder;

namespace {

std::string as_obj(const Mesh& mesh) {
  std::string text = "o room\nmtllib x.mtl\n";
  for (const auto& v : mesh.vertices) text += fmt::format("v {} {} {}\n", v[0], v[1], v[2]);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    text += fmt::format("usemtl {}\nf", mesh.materials[mesh.material[t]]);
    for (const std::uint32_t corner : mesh.triangles[t]) text += fmt::format(" {}/1/1", corner + 1);
    text += "\n";
  }
  return text;
}

std::string as_stl_text(const Mesh& mesh) {
  std::string text = "solid room\n";
  for (const auto& triangle : mesh.triangles) {
    text += "facet normal 0 0 1\nouter loop\n";
    for (const std::uint32_t corner : triangle) {
      text += "vertex";
      for (const double x : mesh.vertices[corner]) text += fmt::format(" {}", x);
      text += "\n";
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid room\n";
}

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string as_stl(const Mesh& mesh) {
  std::string bytes(80, ' ');
  put(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& triangle : mesh.triangles) {
    for (int i = 0; i < 3; ++i) put(bytes, 0.0F);
    for (const std::uint32_t corner : triangle) {
      for (const double x : mesh.vertices[corner]) put(bytes, static_cast<float>(x));
    }
    put(bytes, std::uint16_t{0});
  }
  return bytes;
}

std::string as_ply(const Mesh& mesh, bool text) {
  std::string bytes = fmt::format(
      "ply\nformat {} 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
      "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      text ? "ascii" : "binary_little_endian", mesh.vertices.size(), mesh.triangles.size());
  for (const auto& v : mesh.vertices) {
    for (const double x : v) {
      if (text) {
        bytes += fmt::format("{} ", x);
      } else {
        put(bytes, static_cast<float>(x));
      }
    }
    if (text) bytes += "\n";
  }
  for (const auto& triangle : mesh.triangles) {
    if (text) {
      bytes += "3";
    } else {
      put(bytes, std::uint8_t{3});
    }
    for (const std::uint32_t corner : triangle) {
      if (text) {
        bytes += fmt::format(" {}", corner);
      } else {
        put(bytes, corner);
      }
    }
    if (text) bytes += "\n";
  }
  return bytes;
}

}  // namespace

TEST_CASE("a thousand broken mesh files are read or refused with a reason") {
  const Mesh room = fdtd::test::box_mesh({0, 0, 0}, {2, 1.5, 1});
  struct Kind {
    std::string name, bytes;
  };
  const std::vector<Kind> kinds = {{"m.obj", as_obj(room)},
                                   {"m.stl", as_stl(room)},
                                   {"m.stl", as_stl_text(room)},
                                   {"m.ply", as_ply(room, true)},
                                   {"m.ply", as_ply(room, false)}};
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

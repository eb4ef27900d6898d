// Meshes as files of each format that is read.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "scenes/mesh.hpp"

namespace fdtd::test {

inline std::string as_obj(const Mesh& mesh) {
  std::string text = "o room\nmtllib x.mtl\n";
  for (const auto& v : mesh.vertices) text += fmt::format("v {} {} {}\n", v[0], v[1], v[2]);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    text += fmt::format("usemtl {}\nf", mesh.materials[mesh.material[t]]);
    for (const std::uint32_t corner : mesh.triangles[t]) text += fmt::format(" {}/1/1", corner + 1);
    text += "\n";
  }
  return text;
}

inline std::string as_stl_text(const Mesh& mesh) {
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

inline std::string as_stl(const Mesh& mesh) {
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

inline std::string as_ply(const Mesh& mesh, bool text) {
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

}  // namespace fdtd::test

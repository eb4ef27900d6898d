// Meshes as files of each format that is read.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "scenes/mesh/mesh.hpp"

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

inline std::string base64(const std::string& bytes) {
  const char* const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[three >> (18 - 6 * k) & 63];
  }
  return text;
}

// As other programs export rooms with z up: y up in the file. One primitive a material; `uri` is that of the
// buffer, `node` the members of the node.
struct GltfParts {
  std::string json, buffer;
};
inline GltfParts gltf_parts(const Mesh& mesh, const std::string& uri = "", const std::string& node = "\"mesh\": 0") {
  GltfParts parts;
  for (const auto& v : mesh.vertices)
    for (const double x : {v[0], v[2], 0.0 - v[1]}) put(parts.buffer, static_cast<float>(x));
  const std::size_t places = parts.buffer.size();
  std::string primitives, materials, accessors, views;
  for (std::size_t m = 0; m < mesh.materials.size(); ++m) {
    const std::size_t begin = parts.buffer.size();
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      if (mesh.material[t] != m) continue;
      for (const std::uint32_t corner : mesh.triangles[t]) put(parts.buffer, corner);
    }
    const std::size_t bytes = parts.buffer.size() - begin;
    materials += fmt::format("{}{{\"name\": \"{}\"}}", m == 0 ? "" : ", ", mesh.materials[m]);
    primitives += fmt::format("{}{{\"attributes\": {{\"POSITION\": 0}}, \"indices\": {}, \"material\": {}}}",
                              m == 0 ? "" : ", ", m + 1, m);
    accessors += fmt::format(", {{\"bufferView\": {}, \"componentType\": 5125, \"count\": {}, \"type\": \"SCALAR\"}}",
                             m + 1, bytes / 4);
    views += fmt::format(", {{\"buffer\": 0, \"byteOffset\": {}, \"byteLength\": {}}}", begin, bytes);
  }
  parts.json = fmt::format(
      "{{\"asset\": {{\"version\": \"2.0\"}}, \"scene\": 0, \"scenes\": [{{\"nodes\": [0]}}], \"nodes\": [{{{}}}],\n"
      "\"meshes\": [{{\"primitives\": [{}]}}],\n\"materials\": [{}],\n\"accessors\": [{{\"bufferView\": 0, "
      "\"componentType\": 5126, \"count\": {}, \"type\": \"VEC3\"}}{}],\n\"bufferViews\": [{{\"buffer\": 0, "
      "\"byteLength\": {}}}{}],\n\"buffers\": [{{{}\"byteLength\": {}}}]}}",
      node, primitives, materials, mesh.vertices.size(), accessors, places, views,
      uri.empty() ? "" : fmt::format("\"uri\": \"{}\", ", uri), parts.buffer.size());
  return parts;
}

inline std::string as_gltf(const Mesh& mesh, const std::string& node = "\"mesh\": 0") {
  return gltf_parts(mesh, "data:application/octet-stream;base64," + base64(gltf_parts(mesh).buffer), node).json;
}

inline std::string as_glb(const Mesh& mesh) {
  GltfParts parts = gltf_parts(mesh);
  while (parts.json.size() % 4 != 0) parts.json += ' ';
  std::string bytes = "glTF";
  put(bytes, std::uint32_t{2});
  put(bytes, static_cast<std::uint32_t>(28 + parts.json.size() + parts.buffer.size()));
  put(bytes, static_cast<std::uint32_t>(parts.json.size()));
  bytes += "JSON" + parts.json;
  put(bytes, static_cast<std::uint32_t>(parts.buffer.size()));
  return bytes + std::string("BIN\0", 4) + parts.buffer;
}

// 3DFACEs, whose layers are the materials;
inline std::string dxf_faces(const Mesh& mesh) {
  std::string text;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    text += fmt::format("  0\n3DFACE\n  8\n{}\n", mesh.materials[mesh.material[t]]);
    for (int i = 0; i < 4; ++i)
      for (int d = 0; d < 3; ++d)
        text += fmt::format(
            " {}\n{}\n", 10 * (d + 1) + i,
            mesh.vertices[mesh.triangles[t][static_cast<std::size_t>(std::min(i, 2))]][static_cast<std::size_t>(d)]);
  }
  return text;
}
// `units` is the number of $INSUNITS.
inline std::string as_dxf(const std::string& entities, const std::string& blocks = "", int units = 6) {
  return fmt::format(
      "  0\nSECTION\n  2\nHEADER\n  9\n$INSUNITS\n 70\n{}\n  0\nENDSEC\n  0\nSECTION\n  2\nBLOCKS\n{}  0\nENDSEC\n"
      "  0\nSECTION\n  2\nENTITIES\n{}  0\nENDSEC\n  0\nEOF\n",
      units, blocks, entities);
}

// COLLADA, z up: a list of positions, and triangles for each material, bound by the scene. `unit`: the element; `node`:
// what stands before the instance.
inline std::string as_dae(const Mesh& mesh, const std::string& unit = "<unit meter=\"1\" name=\"meter\"/>",
                          const std::string& node = "", const std::string& up = "Z_UP") {
  std::string materials, bound, groups, positions;
  for (std::size_t m = 0; m < mesh.materials.size(); ++m) {
    materials += fmt::format("<material id=\"m{}\" name=\"{}\"><instance_effect url=\"#e\"/></material>\n", m,
                             mesh.materials[m]);
    bound += fmt::format("<instance_material symbol=\"s{0}\" target=\"#m{0}\"/>", m);
    std::string corners;
    std::size_t count = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      if (mesh.material[t] != m) continue;
      for (const std::uint32_t corner : mesh.triangles[t]) corners += fmt::format(" {} 0", corner);
      ++count;
    }
    groups += fmt::format(
        "<triangles material=\"s{}\" count=\"{}\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
        "<input semantic=\"NORMAL\" source=\"#n\" offset=\"1\"/><p>{}</p></triangles>\n",
        m, count, corners);
  }
  for (const auto& v : mesh.vertices) positions += fmt::format("{} {} {}\n", v[0], v[1], v[2]);
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n"
      "<asset>{}<up_axis>{}</up_axis></asset>\n<library_materials>\n{}</library_materials>\n"
      "<library_geometries><geometry id=\"g\" name=\"room\"><mesh>\n<source id=\"p\"><float_array id=\"a\" "
      "count=\"{}\">\n{}</float_array><technique_common><accessor source=\"#a\" count=\"{}\" stride=\"3\">"
      "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/>"
      "</accessor></technique_common></source>\n<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/>"
      "</vertices>\n{}</mesh></geometry></library_geometries>\n<library_visual_scenes><visual_scene id=\"s\">"
      "<node id=\"room\">{}<instance_geometry url=\"#g\"><bind_material><technique_common>{}</technique_common>"
      "</bind_material></instance_geometry></node></visual_scene></library_visual_scenes>\n"
      "<scene><instance_visual_scene url=\"#s\"/></scene>\n</COLLADA>\n",
      unit, up, materials, 3 * mesh.vertices.size(), positions, mesh.vertices.size(), groups, node, bound);
}

}  // namespace fdtd::test

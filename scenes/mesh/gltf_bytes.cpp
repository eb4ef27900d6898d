#include "scenes/mesh/gltf_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "scenes/mesh/mesh_bytes.hpp"
#include "scenes/mesh/mesh_shape.hpp"

namespace fdtd {

void refuse_gltf(const std::string& where, const std::string& what) {
  throw MeshRefused{where.empty() ? what : where + ": " + what};
}

void judge_json_size(std::string_view text) {
  constexpr std::size_t max_values = 4'000'000, deepest = 64;
  std::size_t values = 0, depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    quoted = c == '"';
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (c == ',' || c == '[' || c == '{') ++values;
    if (depth > deepest) refuse_gltf("", fmt::format("its JSON is nested deeper than {}", deepest));
    if (values > max_values) refuse_gltf("", fmt::format("its JSON has more than {} values", max_values));
  }
}

GltfChunks gltf_chunks(std::string_view bytes) {
  if (!bytes.starts_with("glTF")) return {bytes, {}};
  if (bytes.size() < 20) refuse_gltf("", "it is truncated: a GLB file has a header of 20 bytes");
  if (whole_at(bytes, 4, 4) != 2)
    refuse_gltf("", fmt::format("it is of version {} of glTF; version 2 is read", whole_at(bytes, 4, 4)));
  if (whole_at(bytes, 8, 4) > bytes.size())
    refuse_gltf("", fmt::format("it is truncated: its header states {} bytes, and there are {}", whole_at(bytes, 8, 4),
                                bytes.size()));
  GltfChunks chunks;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::size_t length = whole_at(bytes, at, 4), kind = whole_at(bytes, at + 4, 4);
    at += 8;
    if (length > bytes.size() - at)
      refuse_gltf("", fmt::format("a chunk of {} bytes where {} are left", length, bytes.size() - at));
    constexpr std::size_t json = 0x4E4F534A, binary = 0x004E4942;
    if (kind == json && chunks.json.empty()) chunks.json = bytes.substr(at, length);
    if (kind == binary && chunks.binary.empty()) chunks.binary = bytes.substr(at, length);
    at += length;
  }
  if (chunks.json.empty()) refuse_gltf("", "it has no chunk of JSON");
  return chunks;
}

std::string from_base64(std::string_view text, const std::string& where) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int held = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    std::uint32_t six = 0;
    if (c >= 'A' && c <= 'Z') {
      six = static_cast<std::uint32_t>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      six = static_cast<std::uint32_t>(c - 'a') + 26;
    } else if (c >= '0' && c <= '9') {
      six = static_cast<std::uint32_t>(c - '0') + 52;
    } else if (c == '+' || c == '/') {
      six = c == '+' ? 62 : 63;
    } else {
      refuse_gltf(where, "its data are no base64 text");
    }
    bits = (bits << 6 | six) & 0xFFFFFF;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xFF);
  }
  return bytes;
}

std::string without_escapes(std::string_view uri) {
  std::string text;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned code = 0;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        std::from_chars(uri.data() + i + 1, uri.data() + i + 3, code, 16).ptr == uri.data() + i + 3) {
      text += static_cast<char>(code);
      i += 2;
    } else {
      text += uri[i];
    }
  }
  return text;
}

std::size_t bytes_of_component(std::size_t component, const std::string& where) {
  switch (component) {
    case 5120:
    case 5121:
      return 1;
    case 5122:
    case 5123:
      return 2;
    case 5125:
    case 5126:
      return 4;
    default:
      refuse_gltf(where, fmt::format("its componentType {} is unknown", component));
  }
}

std::uint32_t whole_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

double coordinate_at(std::string_view bytes, std::size_t at, std::size_t component, bool normalized) {
  const std::uint32_t word = whole_at(bytes, at, bytes_of_component(component, ""));
  if (component == 5126) {
    float value = 0.0F;
    std::memcpy(&value, &word, sizeof value);
    return shortest_decimal(value);
  }
  double value = word, most = 1.0;  // KHR_mesh_quantization
  switch (component) {
    case 5120:
      value = static_cast<std::int8_t>(word);
      most = 127.0;
      break;
    case 5121:
      most = 255.0;
      break;
    case 5122:
      value = static_cast<std::int16_t>(word);
      most = 32767.0;
      break;
    default:
      most = 65535.0;
      break;
  }
  return normalized ? std::max(value / most, -1.0) : value;
}

}  // namespace fdtd

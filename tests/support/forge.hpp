// A file of ours as a forger makes it: other values, and every checksum right again.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "engine/files/checksum.hpp"
#include "engine/files/h5_index.hpp"
#include "tests/support/files.hpp"

namespace fdtd::test {

// `change` may also change the bytes of arrays, at their offsets.
inline void forge(const std::filesystem::path& from, const std::filesystem::path& to,
                  const std::function<void(H5Index&, std::string&)>& change) {
  const std::string bytes = read_file(from);
  const std::string_view unsealed(bytes.data(), bytes.size() - seal_bytes);
  const std::uint64_t length = word_at(bytes.data() + bytes.size() - 24);
  H5Index index = read_index(unsealed.substr(static_cast<std::size_t>(length)), length);
  std::string image(unsealed.substr(0, static_cast<std::size_t>(length)));
  change(index, image);
  const std::string seal = index_and_seal(image, index);
  std::ofstream(to, std::ios::binary) << image << seal;
}

// Element `i` of an array of doubles.
inline void put_double(const H5Index& index, std::string& image, const std::string& array, std::size_t i,
                       double value) {
  std::memcpy(image.data() + index.arrays.at(array).offset + 8 * i, &value, sizeof value);
}

// Renames a group and all that is in it.
inline void rename_group(H5Index& index, const std::string& from, const std::string& to) {
  const auto renamed = [&](const std::string& path) {
    const bool in = path == from || path.starts_with(from + "/");
    return in ? to + path.substr(from.size()) : path;
  };
  H5Index other;
  for (const auto& group : index.groups) other.groups.insert(renamed(group));
  for (const auto& [path, array] : index.arrays) other.arrays[renamed(path)] = array;
  for (const auto& [key, value] : index.values) other.values[{renamed(key.first), key.second}] = value;
  index = std::move(other);
}

}  // namespace fdtd::test

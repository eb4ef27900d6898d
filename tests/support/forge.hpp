// A file of ours as a forger makes it: other values, and every checksum right again.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
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

// Forges every number of a file to absurd ones, one at a time, and returns "object @name = value" of those with which
// `read` takes the file; it throws Error (file) with the file's name where it does not.
inline std::vector<std::string> taken_numbers(const std::filesystem::path& good,
                                              const std::function<void(const std::filesystem::path&)>& read) {
  constexpr double infinite = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> reals = {none, infinite, 1e300, -1e300};
  const std::vector<std::int64_t> wholes = {-3, std::int64_t{1} << 60};
  std::vector<std::string> taken;
  const std::filesystem::path bad = good.parent_path() / "bad.h5";
  const auto attempt = [&](const std::string& where, auto absurd,
                           const std::function<void(H5Index&, std::string&)>& change) {
    forge(good, bad, change);
    const std::string what = fmt::format("{} = {}", where, absurd);
    try {
      read(bad);
      taken.push_back(what);
    } catch (const Error& error) {
      if (error.status != Status::file || std::string(error.what()).find("bad.h5") == std::string::npos)
        taken.push_back(what + ": " + error.what());
    }
  };
  H5Index index;
  forge(good, bad, [&](H5Index& of, std::string&) { index = of; });
  for (const auto& [place, stored] : index.values) {
    const std::string name = place.first + " @" + place.second;
    const auto put = [&, at = place](auto absurd, const StoredValue& whole) {
      attempt(name, absurd, [&](H5Index& of, std::string&) { of.values[at] = whole; });
    };
    if (std::holds_alternative<double>(stored))
      for (const double absurd : reals) put(absurd, absurd);
    if (std::holds_alternative<std::int64_t>(stored))
      for (const std::int64_t absurd : wholes) put(absurd, absurd);
    const auto* const list = std::get_if<std::vector<double>>(&stored);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
      for (const double absurd : reals) {
        std::vector<double> numbers = *list;
        numbers[i] = absurd;
        put(absurd, numbers);
      }
  }
  for (const auto& [path, array] : index.arrays) {
    std::uint64_t bytes = 0;
    if (!count_bytes(array, bytes) || bytes == 0) continue;
    const std::size_t width = bytes_of(array.type), count = static_cast<std::size_t>(bytes) / width;
    for (const std::size_t i : {std::size_t{0}, count / 2, count - 1}) {
      const auto put = [&, name = path, at = array.offset + i * width](auto absurd) {
        attempt(name, absurd,
                [&](H5Index&, std::string& image) { std::memcpy(image.data() + at, &absurd, sizeof absurd); });
      };
      for (const double absurd : reals) {
        if (array.type == ElementType::f64) put(absurd);
        if (array.type == ElementType::f32) put(static_cast<float>(std::isfinite(absurd) ? absurd / 1e265 : absurd));
      }
      for (const std::int64_t absurd : wholes)
        if (array.type == ElementType::i64) put(absurd);
      if (array.type == ElementType::u8) put(std::uint8_t{77});
    }
  }
  return taken;
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

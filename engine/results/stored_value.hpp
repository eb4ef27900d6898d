// Names and values in files, which anybody may have made: names are printed and become parts of paths, values are used
// in sums and as sizes. Each function throws Error (file) with the file, the object and what is wrong with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace fdtd {

// A name that is empty, is a path, or holds characters that are not printable is refused as one in a scene is.
void check_stored_name(const std::filesystem::path& path, const std::string& object, const std::string& name);
void check_stored_names(const std::filesystem::path& path, const std::string& object,
                        const std::vector<std::string>& names);

// A number that is not finite, or for which `holds` is false; `rule` says what it must be.
void check_value(const std::filesystem::path& path, const std::string& object, double value, bool holds,
                 const char* rule);

// Values that must all be finite and at most 1e30, of an object from value `first` on.
void check_finite(const std::filesystem::path& path, const std::string& object, std::span<const double> values,
                  std::uint64_t first = 0);
void check_finite(const std::filesystem::path& path, const std::string& object, std::span<const float> values,
                  std::uint64_t first = 0);

}  // namespace fdtd

// Files of ours as others read them: by the HDF5 library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fdtd::test {

// Each throws std::runtime_error where the library finds no such thing.
std::vector<std::int64_t> h5_shape(const std::filesystem::path& file, const std::string& dataset);
std::vector<double> h5_values(const std::filesystem::path& file, const std::string& dataset);
std::vector<double> h5_attribute(const std::filesystem::path& file, const std::string& object, const std::string& name);
// An attribute of the file that is a text.
std::string h5_text(const std::filesystem::path& file, const std::string& name);

// Adds an array of doubles of that shape of which no value is stored: huge ones take no disk.
void h5_add_unstored(const std::filesystem::path& file, const std::string& dataset,
                     const std::vector<std::uint64_t>& shape);

// Paths of all groups and datasets, and of their attributes: "/raw", "/raw@sample_rate".
std::vector<std::string> h5_objects(const std::filesystem::path& file);

}  // namespace fdtd::test

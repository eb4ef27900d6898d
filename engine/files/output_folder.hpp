// The folder that a command writes to, removed again when the command fails before it has written anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fdtd {

class OutputFolder {
 public:
  // Creates the folder and those above it that do not exist. Throws Error (status file) when it cannot.
  explicit OutputFolder(const std::filesystem::path& folder);
  ~OutputFolder();  // removes the folders that it created and that are empty, unless `keep` was called
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  void keep() { created_.clear(); }

 private:
  std::vector<std::filesystem::path> created_;  // innermost first
};

// Removes PREFIX, a number of `digits` digits or more, and ENDING from `folder` for numbers from `first` on: pictures of an
// earlier command, which had more.
void remove_numbered(const std::filesystem::path& folder, const std::string& prefix, std::size_t digits,
                     const std::string& ending, std::uint64_t first);

}  // namespace fdtd

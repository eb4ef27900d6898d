// Reading a text file that somebody names: never more of it than a scene may have, never a device or a folder.
#include <fmt/format.h>

#include <fstream>

#include "scenes/document.hpp"

namespace fdtd {

std::optional<std::string> read_small_file(const std::filesystem::path& file, std::string& why) {
  namespace fs = std::filesystem;
  const auto refuse = [&why](std::string reason) {
    why = std::move(reason);
    return std::nullopt;
  };
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) return refuse("no such file");
  if (fs::is_directory(status)) return refuse("is a folder, not a file");
  if (!fs::is_regular_file(status)) return refuse("is not a regular file");
  const auto bytes = fs::file_size(file, error);
  if (!error && bytes > largest_scene_bytes)
    return refuse(fmt::format("{} bytes are too many: at most {} MiB", bytes, largest_scene_bytes >> 20));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return refuse("can't be opened for reading");
  std::string text(largest_scene_bytes + 1, '\0');  // one more than may be: a file can grow, or hide its size
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return refuse("can't be read");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace fdtd

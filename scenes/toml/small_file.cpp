// Reads a text file that a user names: only a regular file, and at most max_scene_bytes of it.
#include <fmt/format.h>

#include <fstream>

#include "scenes/toml/document.hpp"

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
  if (!error && bytes > max_scene_bytes)
    return refuse(fmt::format("{} bytes are too many: at most {} MiB", bytes, max_scene_bytes >> 20));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return refuse("cannot be opened for reading");
  std::string text;  // the reported size may be wrong (/proc) or grow: read to the end
  for (std::size_t step = 1 << 16; stream && text.size() <= max_scene_bytes;) {
    const std::size_t before = text.size();
    text.resize(before + step);
    stream.read(text.data() + before, static_cast<std::streamsize>(step));
    text.resize(before + static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return refuse("cannot be read");
  return text;
}

}  // namespace fdtd

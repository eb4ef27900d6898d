#include "engine/measured/read_measured.hpp"

#include "base/error.hpp"
#include "engine/files/input_file.hpp"
#include "engine/measured/measured_json.hpp"
#include "engine/measured/measured_value.hpp"

namespace fdtd {
namespace {

std::string text_of(const std::filesystem::path& path) {
  const InputFile file(path);
  if (file.size() > max_measured_bytes)
    throw Error(Status::file, path.string() + ": too long for figures: at most 64 MiB");
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, text.data(), text.size());
  return text;
}

}  // namespace

RoomFigures read_measured(const std::filesystem::path& path) {
  if (path.extension() != ".json")
    throw Error(Status::file, path.string() + ": neither figures nor responses", "figures are JSON (*.json)");
  std::string why;
  auto figures = read_measured_json(text_of(path), why);
  if (!figures) throw Error(Status::file, path.string() + ": " + why);
  return std::move(*figures);
}

}  // namespace fdtd

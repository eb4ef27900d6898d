#include "engine/measured/read_measured.hpp"

#include "base/error.hpp"
#include "engine/files/input_file.hpp"
#include "engine/measured/measured_csv.hpp"
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
  const bool json = path.extension() == ".json", csv = path.extension() == ".csv" || path.extension() == ".txt";
  if (!json && !csv)
    throw Error(Status::file, path.string() + ": of no kind that holds figures",
                "figures are JSON (*.json) or a table (*.csv, *.txt)");
  std::string why;
  auto figures = json ? read_measured_json(text_of(path), why) : read_measured_csv(text_of(path), why);
  if (!figures) throw Error(Status::file, path.string() + ": " + why);
  return std::move(*figures);
}

}  // namespace fdtd

#include "engine/directivity/read_balloons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/lower_case.hpp"
#include "engine/directivity/balloon_data.hpp"
#include "engine/directivity/balloon_fit.hpp"
#include "engine/files/input_file.hpp"

namespace fdtd {
namespace {

bool is_hdf5(const std::filesystem::path& path) {
  const InputFile file(path);
  constexpr std::array<unsigned char, 8> mark = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  std::array<unsigned char, 8> begin{};
  if (file.size() < begin.size()) return false;
  file.read(0, begin.data(), begin.size());
  return begin == mark;
}

Balloon balloon_of(const BalloonFile& measured, const Directivity& directivity) {
  const bool table = !is_hdf5(measured.path);
  if (table && measured.path.extension() == ".sofa")
    throw Error(Status::file, measured.path.string() + ": no HDF5 file, as files of SOFA are",
                "download or export it again");
  const std::string kind = lower_case(measured.path.extension().string());
  if (table && (kind == ".cf1" || kind == ".cf2" || kind == ".gll"))
    throw Error(Status::file, measured.path.string() + ": a binary format without a published description",
                "give the text from which a CF1 or CF2 file was made (.tab), or export levels as a table");
  if (table && measured.measurement != 0)
    throw Error(Status::file, measured.path.string() + ": a table has one measurement",
                "leave the key measurement out");
  const BalloonData data =
      table ? read_balloon_text(measured.path) : read_balloon_sofa(measured.path, measured.measurement);
  BalloonAim aim;
  aim.direction = directivity.direction;
  aim.up = measured.up;
  aim.flat = measured.flat;
  if (directivity.order_place.line > 0 || directivity.order_place.set > 0) aim.order = directivity.order;
  return fit_balloon(data, aim, measured.path.string());
}

}  // namespace

std::vector<Problem> read_balloons(Scene& scene) {
  std::vector<Problem> problems;
  for (SourceSpec& source : scene.sources) {
    Directivity& directivity = source.directivity;
    if (directivity.pattern != measured_pattern) continue;
    try {
      directivity.balloon = std::make_shared<const Balloon>(balloon_of(source.measured, directivity));
    } catch (const Error& error) {
      Problem& one = problems.emplace_back();
      one.place = directivity.pattern_place;
      one.where = fmt::format("source.{}.directivity", source.name);
      one.message = error.what();
      one.hint = error.remedy;
      if (one.place.set > 0) one.set = scene.overrides.at(static_cast<std::size_t>(one.place.set) - 1);
    }
  }
  return problems;
}

}  // namespace fdtd

#include "engine/session/measured_room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "base/problem.hpp"
#include "engine/measured/read_measured.hpp"
#include "engine/reports/match_report.hpp"
#include "engine/session/measured_sofa.hpp"

namespace fdtd {
namespace {

namespace fs = std::filesystem;

std::string ending_of(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending;
}

bool is_audio(const fs::path& path) {
  const std::string ending = ending_of(path);
  return ending == ".wav" || ending == ".flac";
}

// The responses of a folder, in the order of their names.
std::vector<fs::path> responses_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator one(folder, error), end; !error && one != end; one.increment(error))
    if (is_audio(one->path()) && one->path().filename().string().starts_with("ir_")) files.push_back(one->path());
  if (error) throw Error(Status::file, fmt::format("{}: {}", folder.string(), error.message()));
  if (files.empty())
    throw Error(Status::file, folder.string() + ": holds neither result.h5 nor a response ir_SOURCE_RECEIVER.wav",
                "name files one by one, with --pair SOURCE:RECEIVER=FILE for each whose name is another");
  std::ranges::sort(files);
  return files;
}

// The names of a response by the name of its file.
using NamesOfFile = std::map<std::string, std::pair<std::string, std::string>>;

NamesOfFile known_files(const RoomFigures& run, const std::vector<PairNames>& names) {
  NamesOfFile known;
  std::set<std::string> sources;
  for (const PairFigures& pair : run.pairs) sources.insert(pair.source);
  for (const PairFigures& pair : run.pairs) {
    known["ir_" + pair.source + "_" + pair.receiver] = {pair.source, pair.receiver};
    if (sources.size() == 1) known["ir_" + pair.receiver] = {pair.source, pair.receiver};
  }
  for (const PairNames& one : names) {
    if (!one.measured_source.empty())
      known["ir_" + one.measured_source + "_" + one.measured_receiver] = {one.measured_source, one.measured_receiver};
    else
      known[one.measured_receiver] = {"", one.measured_receiver};
  }
  return known;
}

// Of a response of no known name in a folder: what its name says where names hold no underscores.
std::pair<std::string, std::string> parted_name(const std::string& stem) {
  const std::string rest = stem.substr(3);
  const auto line = rest.rfind('_');
  return line == rest.npos ? std::pair(std::string(), rest) : std::pair(rest.substr(0, line), rest.substr(line + 1));
}

struct ResponseToRead {
  fs::path file;
  std::string source, receiver;
};

std::vector<ResponseToRead> responses_of(const std::vector<fs::path>& paths, const NamesOfFile& known) {
  std::vector<ResponseToRead> list;
  std::set<std::pair<std::string, std::string>> seen;
  const auto add = [&](const fs::path& file, bool from_folder) {
    const std::string name = file.filename().string(), stem = file.stem().string();
    auto found = known.find(name);
    if (found == known.end()) found = known.find(stem);
    if (found == known.end() && !from_folder)
      throw Error(Status::file, file.string() + ": no source and receiver of the run have a response of this name",
                  fmt::format("name it ir_SOURCE_RECEIVER{}, or say whose it is, as in --pair S1:R1={}",
                              file.extension().string(), name));
    const auto names = found == known.end() ? parted_name(stem) : found->second;
    if (!seen.insert(names).second)
      throw Error(Status::file, fmt::format("{}: another file has the response of {} at {}", file.string(),
                                            in_quotes(names.first), in_quotes(names.second)));
    list.push_back({file, names.first, names.second});
  };
  for (const fs::path& path : paths)
    if (!fs::is_directory(path) && !is_audio(path))
      throw Error(Status::file, path.string() + ": not a response (*.wav, *.flac)",
                  "several files are responses: name figures (*.json, *.csv) alone");
  for (const fs::path& path : paths) {
    if (fs::is_directory(path)) {
      for (const fs::path& file : responses_in(path)) add(file, true);
    } else {
      add(path, false);
    }
  }
  return list;
}

MeasuredRoom measure_responses(const std::vector<ResponseToRead>& responses, const ResponseFileOptions& how) {
  std::vector<ResponseFile> files(responses.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < responses.size(); ++i)
    failure.guard([&] { files[i] = measure_response_file(responses[i].file.string(), how); });
  failure.rethrow();
  MeasuredRoom room;
  room.figures.other_octaves = "not within the valid band of the responses";
  for (std::size_t i = 0; i < responses.size(); ++i) {
    add_response(room.figures, responses[i].source, responses[i].receiver, files[i].metrics);
    for (const std::string& warning : files[i].warnings)
      room.warnings.push_back(responses[i].file.string() + ": " + warning);
  }
  return room;
}

}  // namespace

fs::path result_file(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? path / "result.h5" : path;
}

MeasuredRoom read_measured_room(const std::vector<fs::path>& paths, const RoomFigures& run,
                                const std::vector<PairNames>& names, const ResponseFileOptions& how) {
  if (paths.size() == 1) {
    const fs::path result = result_file(paths[0]);
    if (ending_of(result) == ".h5" && (fs::is_regular_file(result) || !fs::is_directory(paths[0])))
      return {room_figures(read_result(result)), {}};
    if (ending_of(paths[0]) == ".sofa") {
      MeasuredRoom room;
      room.figures = read_sofa_figures(paths[0], run, how, room.warnings);
      return room;
    }
    if (!fs::is_directory(paths[0]) && !is_audio(paths[0])) return {read_measured(paths[0]), {}};
  }
  return measure_responses(responses_of(paths, known_files(run, names)), how);
}

}  // namespace fdtd

#include "engine/files/output_folder.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "base/error.hpp"

namespace fdtd {

OutputFolder::OutputFolder(const std::filesystem::path& folder) {
  std::error_code error;
  for (std::filesystem::path part = folder; !part.empty() && !std::filesystem::exists(part, error);
       part = part.parent_path()) {
    created_.push_back(part);
    if (part == part.parent_path()) break;
  }
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    created_.clear();
    throw Error(Status::file,
                fmt::format("the folder {} cannot be made: {}", folder.string(),
                            error ? error.message() : "a file is in the way"),
                "name another with -o");
  }
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;  // `remove` removes empty folders only
  for (const auto& folder : created_) std::filesystem::remove(folder, ignored);
}

void remove_numbered(const std::filesystem::path& folder, const std::string& prefix, std::size_t digits,
                     const std::string& ending, std::uint64_t first) {
  std::vector<std::filesystem::path> old;
  std::error_code error;
  for (std::filesystem::directory_iterator one(folder, error), end; !error && one != end; one.increment(error)) {
    const std::string name = one->path().filename().string();
    if (name.size() < prefix.size() + digits + ending.size() || !name.starts_with(prefix) || !name.ends_with(ending))
      continue;
    const char *const begin = name.data() + prefix.size(), *const stop = name.data() + name.size() - ending.size();
    std::uint64_t number = 0;
    const auto [last, failed] = std::from_chars(begin, stop, number);
    if (failed == std::errc() && last == stop && number >= first) old.push_back(one->path());
  }
  for (const auto& path : old)
    if (!std::filesystem::remove(path, error) && error)
      throw Error(Status::file, path.string() + ": an earlier picture cannot be removed: " + error.message());
}

}  // namespace fdtd

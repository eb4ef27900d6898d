#include "engine/files/output_folder.hpp"

#include <fmt/format.h>

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

}  // namespace fdtd

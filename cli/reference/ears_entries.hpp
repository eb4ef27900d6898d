// The part of result.h5 that binaural receivers have.
#pragma once

#include <vector>

#include "cli/reference/tables.hpp"

namespace fdtd::cli {

std::vector<FileEntry> ears_entries();

}  // namespace fdtd::cli

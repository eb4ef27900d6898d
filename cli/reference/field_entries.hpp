// Entries of files of fields: of estimate.h5, levels on a plane, and of snapshots.h5, pressure on planes or everywhere.
#pragma once

#include <vector>

#include "cli/reference/tables.hpp"

namespace fdtd::cli {

std::vector<FileEntry> estimate_entries();
std::vector<FileEntry> modes_entries();
std::vector<FileEntry> place_entries();
std::vector<FileEntry> snapshot_entries();

}  // namespace fdtd::cli

// What tells ParaView and VisIt how the arrays of a snapshots.h5 lie in space and time: XDMF 2, a small XML file beside it.
#pragma once

#include <string>

namespace fdtd {

struct SnapshotList;

// `file`: the HDF5 file's name, relative to where the text will lie. One temporal collection a snapshot and source.
std::string xdmf_text(const SnapshotList& list, const std::string& file);

}  // namespace fdtd

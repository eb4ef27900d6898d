// The XDMF 2 description of a snapshots.h5, a small XML file by which ParaView and VisIt place its arrays in space and
// time.
#pragma once

#include <string>

namespace fdtd {

struct SnapshotList;

// `file`: the HDF5 file's name, relative to the location of the text. One temporal collection per snapshot and source.
std::string xdmf_text(const SnapshotList& list, const std::string& file);

}  // namespace fdtd

// Responses as SOFA files (AES69-2022), convention SingleRoomSRIR 1.0: netCDF-4, that is HDF5 with dimension scales.
//
// One file holds all pairs of a source and a receiver with the same number of channels, one measurement (M) per pair:
// receivers of one channel together, ambisonic ones by order, with their channels (R) as spherical harmonics, ACN and
// SN3D; binaural ones together, one measurement per pair and rotation, R being the left and the right ear; and each array
// of microphones by itself, with the places of its microphones (R) about their mean. Positions are in metres in the
// coordinates of the scene.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/results/result.hpp"

namespace fdtd {

struct SofaFile {
  std::string name;       // "responses.sofa", "responses_ambisonic_2.sofa", "responses_binaural.sofa"
  int channels = 1;       // of each receiver
  std::string array{};    // the name of the array whose microphones they are; empty: no array
  bool binaural = false;  // left and right ear
};
// The files for a recording.
std::vector<SofaFile> sofa_files(const Recording& recording);

// Throws Error (status file), as write_result does.
void write_sofa(const std::filesystem::path& target, const Result& result, const SofaFile& file, bool force);

}  // namespace fdtd

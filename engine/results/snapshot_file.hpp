// snapshots.h5: the frames of a run, written during the run.
//
// Layout, for h5py, MATLAB and, through snapshots.xdmf (xdmf.hpp), ParaView; NAME is that of a snapshot, S that of a
// source:
//   /                   @format "fdtd snapshots" @version (of the program) @snapshots @sources (their names in order)
//   /NAME               @axis (0: x, 1: y, 2: z, 3: a volume) @origin (m, position of the first node in the scene;
//                       x, y, z) @spacing (m; x, y, z)
//   /NAME/times         s, one per frame: time steps of the grid, nearest to the requested times
//   /NAME/air           z x y x x, 1 for air, 0 for walls
//   /NAME/S/pressure    frames x z x y x x, float: the pressure due to a pulse with the peak 1 (free field, 1 m)
//                       (snapshots.hpp). Frames that a run does not reach (simulation.stop) are zero
//
// During the run the file is snapshots.h5.part, with its full size from the start: every frame has a fixed place, where
// it is written as soon as it is complete. A resumed run continues the file; frames that a killed session wrote after
// its checkpoint are written again with the same bytes. At the end the file is sealed like all files of this program
// (h5_index.hpp), for which it is read once, and renamed.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/files/h5_index.hpp"
#include "engine/files/positional_file.hpp"
#include "engine/files/sealed_file.hpp"
#include "engine/plan/plan.hpp"
#include "engine/results/snapshot_list.hpp"

namespace fdtd {

class SnapshotWriter {
 public:
  // Of a plan with snapshots; scene coordinates are the grid's less `offset` (m). `resumed`: continue the .part file in
  // the folder, which must belong to this run. Throws Error (status file): no space on disk, no such file, one of
  // another run.
  SnapshotWriter(const std::filesystem::path& folder, const Plan& plan, const std::array<double, 3>& offset,
                 bool resumed);
  // A frame of the plan's source `source`, which is not a hidden channel.
  void write(int source, std::int64_t snapshot, std::int64_t frame, std::span<const float> values);
  void flush() { file_->flush(); }  // before a checkpoint that relies on the frames written
  // Seals and renames the file and writes snapshots.xdmf beside it; returns both paths.
  std::vector<std::filesystem::path> finish();

 private:
  void resume(const std::filesystem::path& part);
  std::filesystem::path folder_;
  SnapshotList list_;
  H5Index index_;
  std::vector<std::string> owners_;  // of the plan's sources
  std::optional<PositionalFile> file_;
};

// The files of a run in `folder`: after it has ended, and during it.
std::vector<std::filesystem::path> snapshot_files(const std::filesystem::path& folder);
std::filesystem::path unfinished_snapshots(const std::filesystem::path& folder);

class SnapshotReader {
 public:
  explicit SnapshotReader(
      const std::filesystem::path& path);  // throws Error (status file): no or a damaged snapshots.h5
  const SnapshotList& list() const { return list_; }
  std::vector<float> frame(const SnapshotSet& set, const std::string& source, std::size_t frame) const;
  std::vector<std::uint8_t> air(const SnapshotSet& set) const;
  // A plane of nodes across `axis` (0: x, 1: y, 2: z), the other two axes in their order, the first fastest. The rest
  // of the frame is not kept; the file is read in pieces of 1 MiB that contain the plane, to check their checksums.
  std::vector<float> plane(const SnapshotSet& set, const std::string& source, std::size_t frame, int axis,
                           std::int64_t index) const;
  std::vector<std::uint8_t> plane_of_air(const SnapshotSet& set, int axis, std::int64_t index) const;

 private:
  std::filesystem::path path_;
  SealedFile file_;
  SnapshotList list_;
};

}  // namespace fdtd

// snapshots.h5: the frames of a run, written as they come.
//
// Layout, for h5py, MATLAB and, by way of snapshots.xdmf (xdmf.hpp), ParaView; NAME is a snapshot's, S a source's:
//   /                   @format "fdtd snapshots" @version (of the program) @snapshots @sources (their names in order)
//   /NAME               @axis (0: x, 1: y, 2: z, 3: a volume) @origin (m, the first node's place in the scene; x, y, z)
//                       @spacing (m; x, y, z)
//   /NAME/times         s, one a frame: the grid's own, nearest to what was asked
//   /NAME/air           z x y x x, 1 where there is air
//   /NAME/S/pressure    frames x z x y x x, float: what a pulse of 1 at its peak (free field, 1 m) becomes (snapshots.hpp).
//                       Frames that a run did not come to (simulation.stop) are zero
//
// While a run goes on the file is snapshots.h5.part, of its full size from the beginning: a frame has its place, and is
// written there as soon as it is whole. A run that is gone on with writes on; what a lost session wrote beyond its checkpoint
// is written again, the same bytes. At the end it is sealed as all files of this program are (h5_index.hpp), which takes reading
// it once, and given its name.
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

namespace fdtd {

struct SnapshotSet {
  std::string name;
  int axis = 2;                               // 3: a volume
  std::array<std::int64_t, 3> size{};         // nodes along x, y, z; 1 across a plane
  std::array<double, 3> origin{}, spacing{};  // m
  std::vector<double> times;                  // s
  std::int64_t values() const { return size[0] * size[1] * size[2]; }
};

struct SnapshotList {
  std::vector<std::string> sources;  // the scene's
  std::vector<SnapshotSet> sets;
};

class SnapshotWriter {
 public:
  // Of a plan with snapshots; scene coordinates are the grid's less `offset` (m). `go_on`: with the folder's .part file, which
  // must be this run's. Throws Error (status file): no room on the disk, no such file, one of another run.
  SnapshotWriter(const std::filesystem::path& folder, const Plan& plan, const std::array<double, 3>& offset,
                 bool go_on);
  // A frame of the plan's source `source`, which is no part of another.
  void write(int source, std::int64_t snapshot, std::int64_t frame, std::span<const float> values);
  void flush() { file_->flush(); }  // before a checkpoint counts on what is written
  // Seals the file, gives it its name and writes snapshots.xdmf beside it; both paths.
  std::vector<std::filesystem::path> finish();

 private:
  void go_on_with(const std::filesystem::path& part);
  std::filesystem::path folder_;
  SnapshotList list_;
  H5Index index_;
  std::vector<std::string> owners_;  // of the plan's sources
  std::optional<PositionalFile> file_;
};

// The files of a run in `folder`: when it is done, and while it goes on.
std::vector<std::filesystem::path> snapshot_files(const std::filesystem::path& folder);
std::filesystem::path unfinished_snapshots(const std::filesystem::path& folder);

class SnapshotReader {
 public:
  explicit SnapshotReader(
      const std::filesystem::path& path);  // throws Error (status file): no or a damaged snapshots.h5
  const SnapshotList& list() const { return list_; }
  std::vector<float> frame(const SnapshotSet& set, const std::string& source, std::size_t frame) const;
  std::vector<std::uint8_t> air(const SnapshotSet& set) const;
  // A plane of nodes across `axis` (0: x, 1: y, 2: z), the other two axes in their order, the first fastest. Nothing else of
  // the frame is kept; of the file is read what the plane lies in, in pieces of a MiB, for their checksums.
  std::vector<float> plane(const SnapshotSet& set, const std::string& source, std::size_t frame, int axis,
                           std::int64_t index) const;
  std::vector<std::uint8_t> plane_of_air(const SnapshotSet& set, int axis, std::int64_t index) const;

 private:
  SealedFile file_;
  SnapshotList list_;
};

}  // namespace fdtd

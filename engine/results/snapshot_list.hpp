// The snapshots of a run: their nodes and times.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace fdtd

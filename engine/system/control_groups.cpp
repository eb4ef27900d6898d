// The kernel names the groups of a process in /proc/self/cgroup, "0::/slice/job" (version 2) and "7:memory:/slice/job"
// (version 1), and where they are mounted in /proc/self/mountinfo, whose fields are id, parent, device, root, mount
// point, options, any number of others, "-", type, source, options of the file system. In a container the root is the
// container's group, and the groups above it are not mounted.
#include "engine/system/control_groups.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace fdtd {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

// The names of the files of a version. In version 1, memory.stat also states the limit of the groups above, mounted or
// not.
struct Version {
  const char *type, *limit, *used, *reclaimable, *limit_above;
};
constexpr Version versions[] = {
    {"cgroup2", "memory.max", "memory.current", "inactive_file", nullptr},
    {"cgroup", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file", "hierarchical_memory_limit"},
};

struct Mount {
  std::string root;
  fs::path point;
};

bool has_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != list.npos;
}

// Blanks in paths are written as \040.
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape =
        text[i] == '\\' && i + 3 < text.size() &&
        std::all_of(text.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                    text.begin() + static_cast<std::ptrdiff_t>(i) + 4, [](char c) { return c >= '0' && c <= '7'; });
    out +=
        escape ? static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0')) : text[i];
    i += escape ? 3 : 0;
  }
  return out;
}

std::vector<Mount> mounts_of(const Version& version, const fs::path& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == line.npos) continue;
    std::istringstream before(line), after(line.substr(dash + 3));
    std::string id, parent, device, in, point, type, source, options;
    if (!(before >> id >> parent >> device >> in >> point) || !(after >> type >> source >> options)) continue;
    if (type != version.type || (version.limit_above != nullptr && !has_word(options, "memory"))) continue;
    mounts.push_back({unescaped(in), root / fs::path(unescaped(point)).relative_path()});
  }
  return mounts;
}

// The path of this process's group; "" without one.
std::string group_of(const Version& version, const fs::path& root) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version.limit_above != nullptr ? has_word(controllers, "memory") : line.compare(0, second + 1, "0::") == 0)
      return line.substr(second + 1);
  }
  return {};
}

// The number in a file of one; none for "max" and for a missing file.
std::int64_t number_in(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  return file >> value ? value : unlimited;
}

// The number after `key` in lines of "key number"; `missing` without one.
std::int64_t number_after(const fs::path& path, const std::string& key, std::int64_t missing) {
  std::ifstream file(path);
  std::string word;
  for (std::int64_t value = 0; file >> word >> value;)
    if (word == key) return value;
  return missing;
}

// The memory that one group still allows. Its file cache counts as used, but the kernel drops it when memory is needed.
std::int64_t left_in(const fs::path& group, const Version& version) {
  std::int64_t limit = number_in(group / version.limit);
  if (version.limit_above != nullptr)
    limit = std::min(limit, number_after(group / "memory.stat", version.limit_above, unlimited));
  const std::int64_t used = number_in(group / version.used);
  if (limit == unlimited || used == unlimited) return unlimited;
  const std::int64_t cache =
      std::clamp<std::int64_t>(number_after(group / "memory.stat", version.reclaimable, 0), 0, used);
  return std::max<std::int64_t>(0, limit - (used - cache));
}

std::int64_t left_by(const Version& version, const fs::path& root) {
  const std::vector<Mount> mounts = mounts_of(version, root);
  const std::string group = group_of(version, root);
  std::int64_t left = unlimited;
  for (const Mount& mount : mounts) {
    // Below the mount's root; a group elsewhere shows as the root itself.
    const std::string prefix = mount.root == "/" ? "" : mount.root;
    const bool inside = group.compare(0, prefix.size(), prefix) == 0 && group.find("/..") == group.npos &&
                        (group.size() == prefix.size() || group[prefix.size()] == '/');
    fs::path at = mount.point;
    left = std::min(left, left_in(at, version));
    if (!inside) continue;
    for (const fs::path& name : fs::path(group.substr(prefix.size())).relative_path()) {
      at /= name;
      left = std::min(left, left_in(at, version));
    }
  }
  return left;
}

}  // namespace

std::int64_t control_group_memory_left(const fs::path& root) {
  std::int64_t left = unlimited;
  for (const Version& version : versions) left = std::min(left, left_by(version, root));
  return left;
}

}  // namespace fdtd

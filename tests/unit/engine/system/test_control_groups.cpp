#include "engine/system/control_groups.hpp"

#include <filesystem>
#include <limits>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// A root folder with what the kernel shows of the groups of a process.
struct Machine {
  TemporaryFolder folder;
  Machine(const std::string& groups, const std::string& mounts) {
    write("proc/self/cgroup", groups);
    write("proc/self/mountinfo", mounts);
  }
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder / name).parent_path());
    folder.write(name, text);
  }
  void group(const std::string& path, const std::string& limit, long used, long cache = 0) {
    write(path + "/memory.max", limit + "\n");
    write(path + "/memory.current", std::to_string(used) + "\n");
    write(path + "/memory.stat", "anon 5\ninactive_file " + std::to_string(cache) + "\nactive_file 7\n");
  }
  void old_group(const std::string& path, const std::string& limit, long used,
                 const std::string& above = "9223372036854771712") {
    write(path + "/memory.limit_in_bytes", limit + "\n");
    write(path + "/memory.usage_in_bytes", std::to_string(used) + "\n");
    write(path + "/memory.stat", "cache 5\nhierarchical_memory_limit " + above + "\ntotal_inactive_file 0\n");
  }
  std::int64_t left() const { return control_group_memory_left(folder.path()); }
};

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
const std::string all_of_v2 = "24 1 0:22 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

}  // namespace

TEST_CASE("version 2: every group above the process's own limits it") {
  Machine machine("0::/jobs.slice/user/job 7\n", all_of_v2);
  CHECK(machine.left() == unlimited);
  machine.group("sys/fs/cgroup/jobs.slice", "max", 900);
  machine.group("sys/fs/cgroup/jobs.slice/user", "5000", 1000);
  machine.group("sys/fs/cgroup/jobs.slice/user/job 7", "max", 300);
  machine.group("sys/fs/cgroup/jobs.slice/other", "1", 1);
  CHECK(machine.left() == 4000);
  machine.group("sys/fs/cgroup/jobs.slice/user/job 7", "1000", 300);
  CHECK(machine.left() == 700);
  machine.group("sys/fs/cgroup/jobs.slice", "2000", 1900);
  CHECK(machine.left() == 100);
  machine.group("sys/fs/cgroup/jobs.slice", "2000", 2500);
  CHECK(machine.left() == 0);
}

TEST_CASE("file cache that the kernel can drop does not count as used") {
  Machine machine("0::/job\n", all_of_v2);
  machine.group("sys/fs/cgroup/job", "1000", 900, 600);
  CHECK(machine.left() == 700);
}

TEST_CASE("version 1: the memory controller's group and those above it") {
  Machine machine("9:cpu,cpuacct:/elsewhere\n7:memory:/slurm/job_3\n0::/\n",
                  "30 25 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                  "31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  machine.old_group("sys/fs/cgroup/memory", "9223372036854771712", 1 << 20);
  machine.old_group("sys/fs/cgroup/memory/slurm", "8000", 1000);
  machine.old_group("sys/fs/cgroup/memory/slurm/job_3", "9223372036854771712", 500);
  machine.old_group("sys/fs/cgroup/cpu/elsewhere", "1", 1);
  CHECK(machine.left() == 7000);
  machine.old_group("sys/fs/cgroup/memory/slurm/job_3", "600", 500);
  CHECK(machine.left() == 100);
}

TEST_CASE("in a container the mount is the container's group, with or without a name space") {
  Machine inside("0::/\n", all_of_v2);
  inside.group("sys/fs/cgroup", "1500", 500);
  CHECK(inside.left() == 1000);
  Machine shared("7:memory:/docker/abc\n",
                 "31 25 0:27 /docker/abc /mnt/memory\\040groups ro - cgroup cgroup rw,memory\n");
  shared.old_group("mnt/memory groups", "1500", 500, "1200");
  CHECK(shared.left() == 700);
  Machine moved("0::/../other\n", all_of_v2);
  moved.group("sys/fs/cgroup", "1500", 600);
  CHECK(moved.left() == 900);
}

TEST_CASE("files that make no sense are no limit") {
  CHECK(Machine("", "").left() == unlimited);
  CHECK(Machine("0::\n:::\n", "1 2\n - cgroup2\n").left() == unlimited);
  Machine machine("0::/job\n", all_of_v2);
  machine.group("sys/fs/cgroup/job", "many", 900);
  CHECK(machine.left() == unlimited);
}

#include "engine/system/machine.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "engine/system/control_groups.hpp"

namespace fdtd {
namespace {

// The number after `key` in a file of "key: number unit" lines, or -1.
std::int64_t number_after(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    std::int64_t value = 0;
    if (word == key && file >> value) return value;
  }
  return -1;
}

std::int64_t address_space_left() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::int64_t>::max();
  const std::int64_t used_kib = number_after("/proc/self/status", "VmSize:");
  return std::max<std::int64_t>(0,
                                static_cast<std::int64_t>(limit.rlim_cur) - 1024 * std::max<std::int64_t>(0, used_kib));
}

}  // namespace

std::int64_t available_memory() {
  const std::int64_t kib = number_after("/proc/meminfo", "MemAvailable:");
  const std::int64_t host = kib < 0 ? std::numeric_limits<std::int64_t>::max() : 1024 * kib;
  return std::min({host, control_group_memory_left(), address_space_left()});
}

std::string human_bytes(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < std::size(units)) {
    bytes /= 1000.0;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.3g} {}", bytes, units[unit]);
}

int memory_nodes() {
  int nodes = 0;
  while (std::ifstream("/sys/devices/system/node/node" + std::to_string(nodes) + "/cpulist")) ++nodes;
  return std::max(nodes, 1);
}

std::int64_t second_level_cache() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return bytes;
#endif
  return std::int64_t{1} << 20U;
}

bool prefetches_long_rows() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto colon = line.find(':');
    if (colon != std::string::npos && colon + 2 <= line.size()) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string vector_units() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  std::string units;
  const auto add = [&units](bool has, const char* name) {
    if (has) units += (units.empty() ? "" : ", ") + std::string(name);
  };
  add(__builtin_cpu_supports("avx512f") != 0, "AVX-512");
  add(__builtin_cpu_supports("avx2") != 0, "AVX2");
  add(__builtin_cpu_supports("fma") != 0, "FMA");
  return units.empty() ? "SSE2" : units;
#else
  return "baseline";
#endif
}

}  // namespace fdtd

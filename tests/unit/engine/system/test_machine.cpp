#include "engine/system/machine.hpp"

#include <fstream>
#include <sstream>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// The first line of /proc/cpuinfo that begins so, after its colon.
std::string reported(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(key, 0) == 0 && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  return "";
}

}  // namespace

TEST_CASE("the processor is as the system reports it") {
  if (!reported("vendor_id").empty()) CHECK(prefetches_long_rows() == (reported("vendor_id") == "GenuineIntel"));
  if (!reported("model name").empty()) CHECK(processor_name() == reported("model name"));
  std::istringstream flags(reported("flags"));
  bool wide = false;
  for (std::string flag; flags >> flag;) wide = wide || flag == "avx512f";
  if (!reported("flags").empty()) CHECK((vector_units().find("AVX-512") != std::string::npos) == wide);
}

TEST_CASE("available memory is less than all memory") {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::int64_t kib = 0;
  REQUIRE(file >> key >> kib);
  CHECK(available_memory() > 0);
  CHECK(available_memory() <= 1024 * kib);
}

TEST_CASE("bytes are printed in decimal units with three digits") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(999) == "999 B");
  CHECK(human_bytes(1000) == "1 kB");
  CHECK(human_bytes(999'499) == "999 kB");
  CHECK(human_bytes(999'500) == "1 MB");
  CHECK(human_bytes(12'345'678'901.0) == "12.3 GB");
  CHECK(human_bytes(3e21) == "3e+03 EB");
}

#include "engine/devices/gpu_library.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/system/version.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

GpuLibrary load_standin(const std::string& version, const std::string& commit) {
  ::setenv("STANDIN_VERSION", version.c_str(), 1);
  ::setenv("STANDIN_COMMIT", commit.c_str(), 1);
  return load_gpu_library(FDTD_GPU_STANDIN);
}

}  // namespace

TEST_CASE("a library of GPU code of this build serves the program, and its errors are the program's") {
  const GpuLibrary loaded = load_standin(version(), commit());
  CHECK(loaded.why_not == "");
  REQUIRE(loaded.code != nullptr);
  const std::vector<Gpu> gpus = loaded.code->gpus();
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].name == "stand-in");
  try {
    (void)loaded.code->backend({}, 3);
    FAIL("the stand-in made a backend");
  } catch (const Error& error) {
    CHECK(error.status == Status::resource);
    CHECK(error.what() == std::string("cuda:3: a stand-in computes nothing"));
    CHECK(error.remedy == "use --device cpu");
  }
}

TEST_CASE("a library of GPU code of another version or commit is refused, and both are named") {
  const GpuLibrary other = load_standin("0.0.1", commit());
  CHECK(other.code == nullptr);
  CHECK_THAT(other.why_not, Contains(FDTD_GPU_STANDIN) && Contains("fdtd 0.0.1") && Contains(version()));
  const GpuLibrary later = load_standin(version(), "0123abc");
  CHECK(later.code == nullptr);
  CHECK_THAT(later.why_not, Contains("commit 0123abc"));
}

TEST_CASE("a file that is no library of GPU code is named with the reason") {
  const test::TemporaryFolder folder;
  CHECK_THAT(load_gpu_library((folder / "absent.so").string()).why_not,
             StartsWith("GPU code cannot be loaded: ") && Contains("absent.so: cannot open shared object file"));
  const std::string text = folder.write("text.so", "no library").string();
  CHECK_THAT(load_gpu_library(text).why_not, StartsWith("GPU code cannot be loaded: ") && Contains("text.so"));
  CHECK(load_gpu_library("libm.so.6").why_not == "GPU code cannot be loaded: libm.so.6 is not a library of fdtd");
  // Where nobody names one and none lies beside the program, nothing is wrong with any file.
  const GpuLibrary none = load_gpu_library("");
  CHECK(none.code == nullptr);
  CHECK(none.why_not == "this program has no GPU code");
}

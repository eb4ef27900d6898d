// Without a GPU every test here is skipped (exit status 77, as ctest knows it), with the reason; listing them needs
// none.
#include <cstdio>
#include <cstring>

#include "engine/cuda/gpu/device.hpp"
#include "tests/support/run_tests.hpp"

int main(int argc, char** argv) {
  bool listing = false;
  for (int i = 1; i < argc; ++i) listing = listing || std::strncmp(argv[i], "--list", 6) == 0;
  if (!listing && fdtd::cuda::device_count() == 0) {
    std::printf("skipped: %s\n", fdtd::cuda::why_no_device().c_str());
    return 77;
  }
  return fdtd::test::run_tests(argc, argv);
}

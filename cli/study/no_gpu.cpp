// Built where CUDA is not: the commands say so.
#include "base/error.hpp"
#include "cli/study/profile_options.hpp"

namespace fdtd::cli {
namespace {

[[noreturn]] void say_so() {
  throw Error(Status::resource, "this program was built without CUDA",
              "build it where nvcc is (CUDA 12 or newer), or take --device cpu");
}

}  // namespace

void profile_on_gpu(const ProfileCommand&, int) { say_so(); }
void compare_on_gpu(const CompareCommand&, int) { say_so(); }
multigrid::Profile profile_multigrid_on_gpu(int, const std::array<int, 3>&, const multigrid::Cycle&, int) { say_so(); }

}  // namespace fdtd::cli

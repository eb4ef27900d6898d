#include "engine/cuda/gpu/device.hpp"

#include "base/error.hpp"
#include "tests/support/catch.hpp"

namespace fdtd::cuda {

TEST_CASE("a GPU that is not there is refused with the ones that are") {
  REQUIRE_THROWS_AS(device_of(device_count()), Error);
  REQUIRE_THROWS_AS(device_of(-1), Error);
}

TEST_CASE("more memory than the GPU has free is refused before it is taken") {
  const Device device = device_of(0);
  const std::size_t before = free_device_memory();
  REQUIRE_THROWS_AS(take_device_memory(device.memory_bytes + 1), Error);
  REQUIRE(free_device_memory() == before);
}

}  // namespace fdtd::cuda

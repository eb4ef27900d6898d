#include "engine/h5_seal.hpp"

#include <algorithm>
#include <fstream>

#include "engine/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

bool holds(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
  try {
    check_seal(file);
    return true;
  } catch (const Error& error) {
    REQUIRE(error.status == Status::file);
    return false;
  }
}

}  // namespace

TEST_CASE("a seal holds for its bytes alone: any change, loss or addition breaks it") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "sealed";
  for (const std::size_t size : {0, 1, 31, 32, 33, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 77}) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * i >> 3);
    const std::string whole = bytes + seal_of(bytes);
    CHECK(holds(file, whole));
    for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 41) {
      std::string other = whole;
      other[at] = static_cast<char>(other[at] ^ 1);
      CHECK_FALSE(holds(file, other));
    }
    CHECK_FALSE(holds(file, whole.substr(0, whole.size() - 1)));
    CHECK_FALSE(holds(file, whole + "\n"));
    CHECK_FALSE(holds(file, bytes));
    if (size > 64) {
      std::string swapped = whole;  // two blocks changed places
      std::swap_ranges(swapped.begin(), swapped.begin() + 32, swapped.begin() + 32);
      CHECK_FALSE(holds(file, swapped));
    }
  }
}

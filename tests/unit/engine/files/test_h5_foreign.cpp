// HDF5 files of other programs: arrays, texts, and what is none.
#include "engine/files/h5_foreign.hpp"

#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/files/h5.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("foreign HDF5: arrays by block, texts, and what is not there", "[files]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.h5";
  H5File file = H5File::create(path, path);
  file.set("/", "Conventions", std::string("SOFA"));
  file.set("/", "number", 3.0);
  file.write("/values", std::span<const double>(std::vector{0.0, 1.0, 2.0, 3.0, 4.0, 5.0}), {2, 3});
  file.write("/whole", std::span<const std::int64_t>(std::vector<std::int64_t>{7, 8}), {2});
  file.group("/group");
  file.close();

  const ForeignH5 read(path);
  CHECK(read.text("/", "Conventions") == "SOFA");
  CHECK(read.text("/", "number") == "");
  CHECK_FALSE(read.text("/", "none"));
  CHECK_FALSE(read.text("/none", "none"));
  CHECK(read.shape("values") == std::vector<std::uint64_t>{2, 3});
  CHECK_FALSE(read.shape("none"));
  CHECK_FALSE(read.shape("group"));
  CHECK(read.read("values", {1, 0}, {1, 2}) == std::vector{3.0, 4.0});
  CHECK(read.read("whole", {0}, {2}) == std::vector{7.0, 8.0});
  CHECK_THROWS_AS(read.read("values", {1, 0}, {2, 1}), Error);
  CHECK_THROWS_AS(read.read("values", {0, 3}, {1, 1}), Error);
  CHECK_THROWS_AS(read.read("values", {0}, {1}), Error);
  CHECK_THROWS_AS(read.read("none", {0}, {1}), Error);
}

TEST_CASE("foreign HDF5: a file that is none is refused", "[files]") {
  const TemporaryFolder folder;
  folder.write("text.sofa", "no HDF5");
  CHECK_THROWS_WITH(ForeignH5(folder.path() / "text.sofa"), Catch::Matchers::Contains("no HDF5 file"));
  CHECK_THROWS_AS(ForeignH5(folder.path() / "none.sofa"), Error);
  CHECK_THROWS_AS(ForeignH5(folder.path()), Error);
}

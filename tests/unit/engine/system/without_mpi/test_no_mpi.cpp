// A build without MPI under a launcher: this program contains ranks.cpp of such a build.
#include <cstdlib>

#include "base/error.hpp"
#include "engine/system/ranks.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using Catch::Matchers::Contains;

namespace {

// A variable of the environment for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

}  // namespace

TEST_CASE("without MPI one rank is one, and several are refused with how to get it") {
  CHECK(mpi_library().empty());
  {
    const Variable slurm("PMI_RANK", "0"), size("PMI_SIZE", "2");
    CHECK_THROWS_AS(ranks(), Error);
  }
  {
    const Variable open_mpi("OMPI_COMM_WORLD_SIZE", "3");
    try {
      ranks();
      FAIL("three ranks were taken for one");
    } catch (const Error& error) {
      CHECK(error.status == Status::resource);
      CHECK_THAT(error.what(), Contains("built without MPI"));
      CHECK_THAT(error.remedy, Contains("libopenmpi-dev") && Contains("./go"));
    }
  }
  const Variable slurm("PMI_RANK", "0");  // of one, as far as the environment says
  CHECK(ranks().alone());
}

TEST_CASE("a child of a rank is none") {
  const Variable open_mpi("OMPI_COMM_WORLD_SIZE", "3"), other("OMPI_COMM_WORLD_SIZES", "3");
  CHECK(launched_ranks() == 3);
  int marks = 0, others = 0;
  for (const std::string& one : environment_alone()) {
    marks += one.starts_with("OMPI_COMM_WORLD_SIZE=") ? 1 : 0;
    others += one == "OMPI_COMM_WORLD_SIZES=3" ? 1 : 0;
  }
  CHECK(marks == 0);
  CHECK(others == 1);
}

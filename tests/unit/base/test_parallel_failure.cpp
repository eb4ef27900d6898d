#include "base/parallel_failure.hpp"

#include <stdexcept>
#include <string>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("what is thrown in a parallel region is thrown behind it, and the others' work is done") {
  for (const int threads : {1, 3}) {
    ParallelFailure failure;
    int done = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : done)
    for (int i = 0; i < 100; ++i)
      failure.guard([&] {
        if (i % 10 == 7) throw std::runtime_error("seven");
        ++done;
      });
    CHECK(done == 90);
    CHECK_THROWS_WITH(failure.rethrow(), "seven");
  }
  CHECK_NOTHROW(ParallelFailure().rethrow());
}

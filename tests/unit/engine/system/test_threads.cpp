#include "engine/system/threads.hpp"

#include <omp.h>

#include "tests/support/catch.hpp"

using namespace fdtd;
using Catch::Matchers::Contains;

TEST_CASE("threads are as requested up to a limit for each processor, and a note says what is not") {
  CHECK(choose_threads(0, 8, 8).threads == 8);
  CHECK(choose_threads(3, 8, 8).threads == 3);
  CHECK(choose_threads(0, 2, 8).threads == 2);
  CHECK(choose_threads(3, 8, 8).note.empty());
  CHECK(choose_threads(3, 1, 2).threads == 3);
  CHECK_THAT(choose_threads(3, 1, 2).note, Contains("--threads 3") && Contains("2 processors"));
  CHECK(choose_threads(1024, 2, 2).threads == 8);
  CHECK_THAT(choose_threads(1024, 2, 2).note, Contains("--threads 1024") && Contains("8 threads compute"));
  CHECK(choose_threads(0, 100000, 2).threads == 8);
  CHECK_THAT(choose_threads(0, 100000, 2).note, Contains("OMP_NUM_THREADS=100000") && Contains("8 threads compute"));
  CHECK(choose_threads(0, 0, 0).threads == 1);
}

TEST_CASE("OpenMP computes with the number that is chosen") {
  const int before = omp_get_max_threads();
  CHECK(use_threads(2).threads == 2);
  CHECK(hardware_threads() == 2);
  int threads = 0;
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  CHECK(threads == 2);
  omp_set_num_threads(before);
}

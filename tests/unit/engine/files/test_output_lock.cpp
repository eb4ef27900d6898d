#include "engine/files/output_lock.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "engine/files/atomic_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;

TEST_CASE("of two runs in one folder the second is refused, and the folder is free and clean afterwards") {
  const TemporaryFolder folder;
  {
    const OutputLock first(folder.path());
    try {
      const OutputLock second(folder.path());
      FAIL("both have it");
    } catch (const Error& error) {
      CHECK(error.status == Status::file);
      CHECK_THAT(error.what(), Catch::Matchers::Contains("process " + std::to_string(getpid())));
    }
  }
  CHECK(fs::is_empty(folder.path()));
  const OutputLock third(folder.path());
  CHECK_FALSE(third.abandoned());
}

TEST_CASE("the folder of a killed run is free, and says so when that run had begun to write") {
  for (const bool begun : {false, true}) {
    const TemporaryFolder folder;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      OutputLock lock(folder.path());
      if (begun) lock.begin();
      _exit(0);  // as a kill: nothing is tidied
    }
    int how = 0;
    REQUIRE(waitpid(child, &how, 0) == child);
    CHECK_FALSE(fs::is_empty(folder.path()));
    const OutputLock next(folder.path());
    CHECK(next.abandoned() == begun);
  }
}

TEST_CASE("a killed run's mark stays until another has begun, however many have had the folder between") {
  const TemporaryFolder folder;
  const auto killed = [&](bool begins) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      OutputLock lock(folder.path());
      if (begins) lock.begin();
      _exit(0);
    }
    int how = 0;
    REQUIRE(waitpid(child, &how, 0) == child);
  };
  killed(true);
  killed(false);                                     // before it began
  { CHECK(OutputLock(folder.path()).abandoned()); }  // refused for another reason
  {
    OutputLock lock(folder.path());
    CHECK(lock.abandoned());
    lock.begin();
  }
  CHECK(fs::is_empty(folder.path()));
  CHECK_FALSE(OutputLock(folder.path()).abandoned());
}

TEST_CASE("of many processes that begin at once exactly one wins") {
  const TemporaryFolder folder;
  int ready[2], finished[2];
  REQUIRE(pipe(ready) == 0);
  REQUIRE(pipe(finished) == 0);
  constexpr int count = 8;
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      close(ready[1]);
      close(finished[1]);
      char byte = 0;
      if (read(ready[0], &byte, 1) < 0) _exit(2);  // until the parent lets all go
      try {
        const OutputLock lock(folder.path());
        if (read(finished[0], &byte, 1) < 0) _exit(2);  // holds on until all have tried
        _exit(0);
      } catch (const Error&) {
        _exit(1);
      }
    }
    children.push_back(child);
  }
  close(ready[0]);
  close(ready[1]);
  int lost = 0, how = 0;
  for (int i = 0; i < count - 1; ++i) {
    REQUIRE(wait(&how) > 0);
    lost += WIFEXITED(how) && WEXITSTATUS(how) == 1 ? 1 : 0;
  }
  CHECK(lost == count - 1);
  close(finished[0]);
  close(finished[1]);
  REQUIRE(wait(&how) > 0);
  CHECK(WEXITSTATUS(how) == 0);
}

TEST_CASE("leftovers of killed runs go, and nothing else") {
  const TemporaryFolder folder;
  for (const char* name : {".ir_R1.wav.123-0.part", ".checkpoint.h5.9-12.part"}) folder.write(name, "x");
  for (const char* name : {"ir_R1.wav", ".part", ".x.part", ".x.12.part", "a.1-2.part", ".hidden"})
    folder.write(name, "x");
  remove_leftovers(folder.path());
  for (const char* name : {"ir_R1.wav", ".part", ".x.part", ".x.12.part", "a.1-2.part", ".hidden"})
    CHECK(fs::exists(folder.path() / name));
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 6);
  const AtomicFile file(folder.path() / "new.h5", false);
  CHECK(is_temporary_name(file.temporary().filename().string()));
}

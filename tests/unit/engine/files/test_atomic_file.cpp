#include "tests/support/catch.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "engine/files/atomic_file.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;

namespace {

void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

Status status_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.status;
  }
  return Status::done;
}

}  // namespace

TEST_CASE("atomic_file: a file appears whole, and alone in its folder") {
  const TemporaryFolder folder;
  const std::string text(100000, 'x');
  write_whole_file(folder / "a.txt", text, false);
  CHECK(read_file(folder / "a.txt") == text);
  CHECK(folder.entries() == 1);
}

TEST_CASE("atomic_file: an existing file is kept unless forced, also when it appears meanwhile") {
  const TemporaryFolder folder;
  put(folder / "a.txt", "old");
  CHECK(status_of([&] { write_whole_file(folder / "a.txt", "new", false); }) == Status::file);
  CHECK(status_of([&] { check_writable(folder / "a.txt", false); }) == Status::file);
  CHECK(read_file(folder / "a.txt") == "old");
  write_whole_file(folder / "a.txt", "new", true);
  CHECK(read_file(folder / "a.txt") == "new");
  {
    AtomicFile file(folder / "b.txt", false);
    put(folder / "b.txt", "another program's");
    CHECK(status_of([&] { file.commit(); }) == Status::file);
  }
  CHECK(read_file(folder / "b.txt") == "another program's");
  CHECK(folder.entries() == 2);
}

TEST_CASE("atomic_file: what is not committed leaves nothing") {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "a.txt", false);
    put(file.temporary(), "half");
    CHECK(file.temporary().parent_path() == (folder / "a.txt").parent_path());
  }
  check_writable(folder / "b.txt", false);
  CHECK(folder.entries() == 0);
}

TEST_CASE("atomic_file: a link is replaced, and what lies behind it stays as it is") {
  const TemporaryFolder folder, elsewhere;
  put(elsewhere / "real.txt", "old");
  fs::create_symlink(elsewhere / "real.txt", folder / "link.txt");
  fs::create_symlink(elsewhere / "none.txt", folder / "dangling.txt");
  fs::create_hard_link(elsewhere / "real.txt", folder / "hard.txt");
  for (const char* name : {"link.txt", "dangling.txt", "hard.txt"}) {
    CAPTURE(name);
    CHECK(status_of([&] { write_whole_file(folder / name, "new", false); }) == Status::file);
    CHECK(status_of([&] { check_writable(folder / name, false); }) == Status::file);
    write_whole_file(folder / name, "new", true);
    CHECK_FALSE(fs::is_symlink(folder / name));
    CHECK(read_file(folder / name) == "new");
  }
  CHECK(read_file(elsewhere / "real.txt") == "old");
  CHECK(elsewhere.entries() == 1);
  CHECK(folder.entries() == 3);
  // Links to folders, devices and pipes are no files.
  fs::create_symlink(elsewhere.path(), folder / "folder");
  fs::create_symlink("/dev/null", folder / "device");
  for (const char* name : {"folder", "device"}) {
    CHECK(status_of([&] { write_whole_file(folder / name, "new", true); }) == Status::file);
    CHECK(fs::is_symlink(folder / name));
  }
}

TEST_CASE("atomic_file: folders that are missing or targets that are no files are named") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "sub");
  CHECK(status_of([&] { write_whole_file(folder / "missing" / "a.txt", "x", false); }) == Status::file);
  CHECK(status_of([&] { write_whole_file(folder / "sub", "x", true); }) == Status::file);
  CHECK(status_of([&] { write_whole_file("/dev/null", "x", true); }) == Status::file);
  try {
    write_whole_file(folder / "missing" / "a.txt", "x", false);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("missing/a.txt") != std::string::npos);
    CHECK(error.remedy == "create the folder first");
  }
  CHECK(folder.entries() == 1);
}

TEST_CASE("atomic_file: a write that fails half way leaves the old file and no new one") {
  const TemporaryFolder folder;
  put(folder / "a.txt", "old");
  const FileSizeLimit limit(10000);
  CHECK(status_of([&] { write_whole_file(folder / "a.txt", std::string(50000, 'x'), true); }) == Status::file);
  CHECK(status_of([&] { write_whole_file(folder / "b.txt", std::string(50000, 'x'), false); }) == Status::file);
  CHECK(read_file(folder / "a.txt") == "old");
  CHECK(folder.entries() == 1);
}

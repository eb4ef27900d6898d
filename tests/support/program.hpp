// Runs the fdtd binary as a user would, and returns its output, its exit status and the resources it used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/files.hpp"

namespace fdtd::test {

struct Outcome {
  int status = -1;  // exit status; 128 + signal when killed by one
  std::string out, err;
  double seconds = 0.0;         // of processor time: what others do on the machine does not count
  std::int64_t peak_bytes = 0;  // resident
};

// The binary that is tested: FDTD_PROGRAM of the environment, for tests that have been carried to another machine, or
// the one that CMake has built.
std::string tested_program();

// `environment` is added to the caller's.
Outcome run_fdtd(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                 const std::map<std::string, std::string>& environment = {});

// By `mpirun -n ranks`, however many cores there are.
Outcome run_ranks(int ranks, const std::vector<std::string>& arguments, const std::filesystem::path& folder);
// Arguments of mpirun, before those of the program.
std::vector<std::string> mpirun_words(int ranks);
std::map<std::string, std::string> mpirun_environment();

// The same, in the background.
class RunningFdtd {
 public:
  RunningFdtd(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
              const std::map<std::string, std::string>& environment = {},
              const std::string& program = tested_program());
  ~RunningFdtd();  // kills it
  RunningFdtd(const RunningFdtd&) = delete;
  RunningFdtd& operator=(const RunningFdtd&) = delete;
  void send(int signal) const;
  bool running() const;  // it has not ended
  int process() const { return child_; }
  Outcome wait();  // once

 private:
  struct Files;
  std::unique_ptr<Files> files_;
  int child_ = -1;
};

}  // namespace fdtd::test

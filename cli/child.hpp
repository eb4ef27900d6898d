// This program again as a child of itself: what a sweep runs, so that one run's end is its own.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace fdtd::cli {

class Child {
 public:
  // Starts `fdtd ARGUMENTS...`, alone where this program is a rank; it is asked to end (SIGTERM) when this program dies. Throws
  // Error(resource).
  explicit Child(const std::vector<std::string>& arguments);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  int process() const { return process_; }
  void ask_to_end() const;
  // After waitpid() has told `how` it ended.
  static int status_of(int how);  // exit status, or 128 + signal
  std::string out() const;        // all that it has said
  std::string err() const;

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  File out_, err_;
  int process_ = -1;
};

}  // namespace fdtd::cli

// This program as a child process: a sweep starts each run this way, so that a run that dies does not end the sweep.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace fdtd::cli {

class Child {
 public:
  // Starts `fdtd ARGUMENTS...`, outside MPI even when this program is a rank; it gets SIGTERM when this program dies.
  // Throws Error(resource).
  explicit Child(const std::vector<std::string>& arguments);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  int process() const { return process_; }
  void terminate() const;
  // Of the status `how` that waitpid() returned.
  static int status_of(int how);  // exit status, or 128 + signal
  std::string out() const;        // all of its output
  std::string err() const;

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  File out_, err_;
  int process_ = -1;
};

}  // namespace fdtd::cli

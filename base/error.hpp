// The one error that the library throws: what went wrong, in which exit status it ends, what to do about it.
#pragma once

#include <stdexcept>
#include <string>

namespace fdtd {

enum class Status { done = 0, scene = 2, resource = 3, numerical = 4, file = 5, interrupted = 130 };

struct Error : std::runtime_error {
  Error(Status status_, const std::string& message, std::string remedy_ = "")
      : std::runtime_error(message), status(status_), remedy(std::move(remedy_)) {}
  Status status;
  std::string remedy;  // may be empty
};

}  // namespace fdtd

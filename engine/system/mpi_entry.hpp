// The exports of libfdtd_mpi.so: everything that needs MPI. Only ranks.cpp loads it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/error.hpp"

namespace fdtd {

class Ranks;

using LostRankReport = std::function<void(const Error&)>;

struct MpiEntry {
  std::unique_ptr<Ranks> (*join)(double patience, LostRankReport lost);  // once a process
  void (*leave)(Ranks* joined, int status);
  std::string (*library)();  // name and version
};

constexpr const char* mpi_entry_name = "fdtd_mpi_entry";

}  // namespace fdtd

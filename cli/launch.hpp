// Starts this program as several ranks on this machine.
#pragma once

#include <string>
#include <vector>

namespace fdtd::cli {

// argv of this process, with the path of its program first.
std::vector<std::string> own_command();

// Runs `mpirun -n count COMMAND...`, and returns its exit status.
//
// SIGINT, SIGTERM and SIGUSR1 do not reach mpirun, which would kill its ranks one second after, even while they write a
// checkpoint: ranks of this machine are asked to stop by their lifelines (lifeline.hpp), others by SIGUSR1, which mpirun
// may pass on. The status is then 130, or 128 + signal where no rank has begun time steps and all are ended at once. A
// second signal ends them at once as well. No rank of this machine outlives the call. Throws Error(resource) without MPI
// or mpirun.
int run_as_ranks(int count, const std::vector<std::string>& command);

}  // namespace fdtd::cli

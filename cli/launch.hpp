// Starts this program as several ranks on this machine.
#pragma once

namespace fdtd::cli {

// Runs `mpirun -n count fdtd ARGUMENTS...` with the arguments of this process, and returns its exit status. SIGINT and
// SIGTERM reach the ranks as SIGUSR1, because mpirun would kill them one second after either, even while they write a
// checkpoint. A second signal ends them at once. Throws Error(resource) without MPI or mpirun.
int run_as_ranks(int count);

}  // namespace fdtd::cli

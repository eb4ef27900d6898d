// This program again as several ranks of this machine.
#pragma once

namespace fdtd::cli {

// Runs `mpirun -n count fdtd ARGUMENTS...`, with this process's own arguments, and returns its exit status. SIGINT and SIGTERM
// reach the ranks as SIGUSR1: mpirun itself would kill them a second later, however long their checkpoint takes. A second one ends
// them at once. Throws Error(resource) without MPI or mpirun.
int run_as_ranks(int count);

}  // namespace fdtd::cli

// This program again as several ranks of this machine.
#pragma once

namespace fdtd::cli {

// Becomes `mpirun -n count fdtd ARGUMENTS...`, with this process's own arguments; returns where it already is one of several
// ranks. Throws Error(resource) without MPI or mpirun.
void become_ranks(int count);

}  // namespace fdtd::cli

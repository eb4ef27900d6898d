// How many threads compute. The number is decided here alone: everything parallel takes OpenMP's number, which only
// this file sets.
#pragma once

#include <string>

namespace fdtd {

struct ThreadChoice {
  int threads = 1;
  std::string note;  // for the user, where the number is not as requested or slows the program down; else empty
};

// `requested`: by --threads; 0: none. `environment`: OpenMP's number before anything set it (OMP_NUM_THREADS, or all
// processors). More threads than processors wait for each other; far more take hours for what one does in seconds, so
// there is a limit for each processor.
ThreadChoice choose_threads(int requested, int environment, int processors);
ThreadChoice choose_threads(int requested);  // in this process

// To be called first: OpenMP's number from the environment within the limit. Starts no threads.
void limit_threads();

// OpenMP computes with choose_threads() from here on. Starts as many threads once, because OpenMP ends the program when
// it cannot start one: throws Error (resource) where the system does not allow them.
ThreadChoice use_threads(int requested);

// The number in force.
int hardware_threads();

}  // namespace fdtd

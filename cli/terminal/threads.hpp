// The option --threads, and the number of threads that follows from it.
#pragma once

namespace CLI {
class App;
}

namespace fdtd::cli {

void add_threads_option(CLI::App& app, int& threads);

// Everything parallel uses so many threads from here on. Returns the number for the backend: 0 where --threads is not
// given, so that it may use fewer in small rooms. Prints where it is not the requested one (`print`: on one rank).
int take_threads(int requested, bool print = true);

}  // namespace fdtd::cli

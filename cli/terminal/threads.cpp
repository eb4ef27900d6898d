#include "cli/terminal/threads.hpp"

#include <CLI/App.hpp>

#include "cli/terminal/say.hpp"
#include "engine/system/threads.hpp"

namespace fdtd::cli {

void add_threads_option(CLI::App& app, int& threads) {
  app.add_option("--threads", threads, "number of CPU threads; 0: all")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
}

int take_threads(int requested, bool print) {
  const ThreadChoice choice = use_threads(requested);
  if (print && !choice.note.empty()) say("note: {}\n", choice.note);
  return requested > 0 ? choice.threads : 0;
}

}  // namespace fdtd::cli

// launcher COUNT COMMAND...: starts a command as ranks, as the program does for `--device cuda:all`, without a GPU.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/launch.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2) return 2;
  try {
    return fdtd::cli::run_as_ranks(std::atoi(words[0].c_str()), {words.begin() + 1, words.end()});
  } catch (const fdtd::Error& error) {
    std::fprintf(stderr, "fdtd: %s\n", error.what());
    return static_cast<int>(error.status);
  }
}

#include "cli/launch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "engine/error.hpp"
#include "engine/ranks.hpp"

namespace fdtd::cli {
namespace {

// argv of this process.
std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size(); at = all.find('\0', at) + 1) words.emplace_back(all.c_str() + at);
  return words;
}

}  // namespace

void become_ranks(int count) {
  if (launched_as_rank()) return;
  if (mpi_library().empty())
    throw Error(Status::resource, "several GPUs need MPI, and this program was built without it", how_to_get_mpi());
  std::vector<std::string> words = {"mpirun", "-n", std::to_string(count), "--bind-to", "none"};
  words.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  const std::vector<std::string> own = own_arguments();
  words.insert(words.end(), own.begin() + 1, own.end());
  if (::geteuid() == 0) {  // mpirun asks twice whether root means it; who started this program did
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  throw Error(Status::resource, fmt::format("mpirun cannot be started: {}", std::generic_category().message(errno)),
              how_to_get_mpi());
}

}  // namespace fdtd::cli

// fdtd: room acoustics by finite differences in the time domain. Results go to stdout, logs and progress to stderr.
// Exit status: 0 done; 2 usage or scene; 3 device or memory; 4 numerical; 5 file; 130 interrupted.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "base/utf8.hpp"
#include "cli/command.hpp"
#include "cli/terminal/error_text.hpp"
#include "cli/terminal/say.hpp"
#include "engine/files/output_lock.hpp"
#include "engine/system/ranks.hpp"
#include "engine/system/threads.hpp"
#include "engine/system/version.hpp"

namespace {

using fdtd::cli::Command;
using fdtd::cli::Starts;

constexpr std::array commands = {
    Command{"run", "simulate a scene and write its impulse responses", fdtd::cli::add_run, Starts::ranks},
    Command{"sweep", "run a scene for every combination of values; print one line of JSON per run",
            fdtd::cli::add_sweep},
    Command{"fit", "fit absorption to what was measured in a room, and write the scene with it", fdtd::cli::add_fit},
    Command{"plan", "print the grid, memory, time and accuracy of a scene without running it", fdtd::cli::add_plan,
            Starts::ranks},
    Command{"surface", "print the surface of a scene's room by material, and its defects, without a plan",
            fdtd::cli::add_surface},
    Command{"estimate", "estimate levels and reverberation times of a scene in seconds, without running it",
            fdtd::cli::add_estimate},
    Command{"modes", "find the modes of a room: frequencies, decay times, levels, shapes", fdtd::cli::add_modes},
    Command{"place", "find where a source or a listener has the flattest low frequencies", fdtd::cli::add_place},
    Command{"notches", "name the walls whose first reflections cancel the direct sound, and at which frequencies",
            fdtd::cli::add_notches},
    Command{"stencils", "list the stencils, or print the weights of some", fdtd::cli::add_stencils},
    Command{"profile", "time stencils, or a whole scene, against the memory bandwidth of this machine",
            fdtd::cli::add_profile},
    Command{"bench", "measure the stencil families: time per node, and time for a given accuracy",
            fdtd::cli::add_bench},
    Command{"render", "render the impulse responses of a result.h5 again, at another rate or in another format",
            fdtd::cli::add_render},
    Command{"report", "write the HTML report of a result.h5 again", fdtd::cli::add_report},
    Command{"compare", "compare the figures of two runs by octave", fdtd::cli::add_compare},
    Command{"movie", "draw the frames of a snapshot as PNG pictures", fdtd::cli::add_movie},
    Command{"materials", "list the material library; print and plot how materials are fitted",
            fdtd::cli::add_materials},
    Command{"import", "make a scene to begin from, for a mesh or a model of PFFDTD", fdtd::cli::add_import},
    Command{"metrics", "print the ISO 3382-1 parameters of an impulse response", fdtd::cli::add_metrics},
    Command{"match", "compare a run with figures or responses that were measured in the room", fdtd::cli::add_match},
    Command{"auralize", "convolve a dry signal with an impulse response", fdtd::cli::add_auralize},
    Command{"doctor", "print what this build and this machine support", fdtd::cli::add_doctor, Starts::ranks},
    Command{"reference", "print the reference of scene keys, commands, files and JSON fields",
            fdtd::cli::add_reference},
};

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, err;
  const int code = app.exit(error, out, err);  // help, version or the mistake, with the arguments in it
  try {
    fdtd::cli::put_text(out.str());
  } catch (const std::system_error&) {  // flush_output() reports it
  }
  fdtd::cli::say_text(fdtd::shortened(fdtd::printable(err.str())));
  return code == 0 ? 0 : static_cast<int>(fdtd::Status::scene);
}

int report(const fdtd::Error& error) {
  if (!fdtd::reports_failure()) return static_cast<int>(error.status);
  fdtd::cli::say_text(fdtd::cli::error_text(error));
  return static_cast<int>(error.status);
}

// A process that is started without one of the three standard streams gets its number for the first file that it opens,
// and would write its messages into that file.
void fill_standard_streams() {
  int file = 0;
  do file = ::open("/dev/null", O_RDWR);
  while (file >= 0 && file <= STDERR_FILENO);
  if (file >= 0) ::close(file);
}

// Output may still be in the buffer of stdout, and fail to reach a full disk: then the status is that of a file error.
int flush_output(int status) {
  errno = 0;
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (written || status != 0) return status;
  const std::string why = errno != 0 ? ": " + std::generic_category().message(errno) : "";
  return report({fdtd::Status::file, "standard output: cannot be written" + why});
}

// Ranks of a command that does not share its work would each do all of it, and write the same files.
void refuse_ranks(const char* command) {
  if (fdtd::launched_ranks() == 1) return;
  (void)fdtd::ranks();  // once joined, only one of them reports
  throw fdtd::Error(fdtd::Status::scene, fmt::format("{}: this command does not share its work among ranks", command),
                    "start it without mpirun; only `fdtd run` and `fdtd plan` use several ranks");
}

bool returned = false;

// OpenMP's library ends the program by itself when it gets no thread or no memory: with status 1, and past all
// destructors. Then there may be no memory for a message that is not here.
void end_after_library() {
  if (returned) return;
  fdtd::release_output_locks();
  std::fputs(
      "fdtd: OpenMP's library has ended the program: there is no memory or no thread for it\n"
      "  hint: use fewer threads (--threads), or raise the limits on processes and memory (`ulimit -u`, `ulimit -v`)\n",
      stderr);
  ::_exit(static_cast<int>(fdtd::Status::resource));
}

// No command takes an empty name, a number that is none (ranges let NaN pass), or one that an unsigned type cannot hold.
void check_value(CLI::Option& option) {
  if (option.get_positional() || option.check_lname("output") || option.check_lname("map"))
    option.check([](const std::string& name) { return name.empty() ? "a name is missing" : std::string(); }, "");
  // First of all, before ranges, which say of a word that it is not in them.
  const auto kind = option.get_type_name();
  const auto first = [&option](std::string (*check)(std::string&)) { option.transform(CLI::Validator(check, "")); };
  if (kind.starts_with("UINT"))  // -1 would wrap around to the largest number
    first([](std::string& text) {
      std::uint64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      return error == std::errc() && end == text.data() + text.size()
                 ? std::string()
                 : "Value " + text + " is not a whole number from 0 to 2^64 - 1";
    });
  else if (kind.starts_with("INT"))
    first([](std::string& text) {
      char* end = nullptr;
      (void)std::strtoll(text.c_str(), &end, 0);
      return !text.empty() && *end == '\0' ? std::string() : "Value " + text + " is not a whole number";
    });
  else if (kind.starts_with("FLOAT"))
    first([](std::string& text) {
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      if (text.empty() || *end != '\0') return "Value " + text + " is not a number";
      return std::isfinite(value) ? std::string() : "Value " + text + " is not a finite number";
    });
}

int run_command(int argc, char** argv) {
  CLI::App app{"Room acoustics by finite differences in the time domain", "fdtd"};
  app.set_version_flag("--version", fdtd::version_line());
  const auto cite = [](std::int64_t) { throw CLI::CallForVersion(fdtd::citation(), 0); };
  app.add_flag("--cite", cite, "Print what to cite, as BibTeX, and exit");
  app.require_subcommand(1);
  int status = 0;
  for (const Command& command : commands) {
    CLI::App& added = *app.add_subcommand(command.name, command.summary);
    command.add(added, status);
    for (CLI::Option* const option : added.get_options()) check_value(*option);
    if (command.starts == Starts::alone)
      added.preparse_callback([&command](std::size_t) { refuse_ranks(command.name); });
  }
  // After the subcommands, which would inherit it.
  app.footer(
      "`fdtd COMMAND --help` describes a command.\n"
      "Exit status: 0 done; 2 usage or scene; 3 device or memory; 4 numerical; 5 file; 130 interrupted");
  if (argc < 2) {
    fdtd::cli::say_text(app.help());
    return static_cast<int>(fdtd::Status::scene);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  } catch (const fdtd::Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report({fdtd::Status::resource, "out of memory", "`fdtd plan SCENE` prints how much memory a scene needs"});
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0)  // put_text throws as soon as a buffer cannot be emptied
      return report({fdtd::Status::file, fmt::format("standard output: {}", error.what())});
    return report({fdtd::Status::resource, fmt::format("unexpected failure: {}", error.what())});
  }
  return status;
}

// Takes the stack that deep calls use (Eigen's temporaries, 128 KiB each) before anything else takes memory: a process
// whose stack cannot grow, because of `ulimit -v`, is ended by SIGSEGV, where an allocation that fails is an error.
[[gnu::noinline]] void take_stack() {
  constexpr std::size_t bytes = 512 * 1024, page = 4096;
  [[maybe_unused]] volatile char stack[bytes];
  for (std::size_t at = bytes; at >= page; at -= page) stack[at - page] = 0;
}

}  // namespace

int main(int argc, char** argv) {
  take_stack();
  fdtd::on_lost_rank([](const fdtd::Error& error) { report(error); });
  fill_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond `ulimit -f` becomes an error message, not a kill
  std::atexit(end_after_library);
  fdtd::limit_threads();
  const int status = flush_output(run_command(argc, argv));
  returned = true;
  fdtd::leave_ranks(status);
  return status;
}

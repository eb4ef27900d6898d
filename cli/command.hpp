// One subcommand is one file and one row of the table in main.cpp.
#pragma once

namespace CLI {
class App;  // its header takes half of the compile time here: only sources that add options include it
}

namespace fdtd::cli {

// Adds a subcommand's options to `app`; the callback that it sets does the work and stores the exit status in `status`.
using AddCommand = void (*)(CLI::App& app, int& status);

// Whether mpirun may start a command as several ranks.
enum class Starts { alone, ranks };

struct Command {
  const char* name;
  const char* summary;
  AddCommand add;
  Starts starts = Starts::alone;
};

void add_run(CLI::App& app, int& status);
void add_sweep(CLI::App& app, int& status);
void add_fit(CLI::App& app, int& status);
void add_plan(CLI::App& app, int& status);
void add_surface(CLI::App& app, int& status);
void add_estimate(CLI::App& app, int& status);
void add_modes(CLI::App& app, int& status);
void add_place(CLI::App& app, int& status);
void add_notches(CLI::App& app, int& status);
void add_stencils(CLI::App& app, int& status);
void add_profile(CLI::App& app, int& status);
void add_bench(CLI::App& app, int& status);
void add_compare(CLI::App& app, int& status);
void add_render(CLI::App& app, int& status);
void add_report(CLI::App& app, int& status);
void add_movie(CLI::App& app, int& status);
void add_materials(CLI::App& app, int& status);
void add_import(CLI::App& app, int& status);
void add_metrics(CLI::App& app, int& status);
void add_match(CLI::App& app, int& status);
void add_auralize(CLI::App& app, int& status);
void add_doctor(CLI::App& app, int& status);
void add_reference(CLI::App& app, int& status);

}  // namespace fdtd::cli

// Steps of small rooms beside those of a large one, in turns in one run.
//
//     bench_small_rooms [--stencils leggy-4,leggy-1,compact-3] [--nodes 2000,20000,200000,2000000] [--threads 1,2]
//                       [--precision f32] [--turns 15] > bench/results/MACHINE/small-rooms.json
//     bench_small_rooms --rooms 1,8,16,32 [--stencils ...] [--nodes ...] > bench/results/h100/batch-steps.json
//
// Boxes of the proportions and materials of bench/room.toml, all of one spacing, so that all have the same laws: a
// source, four receivers, energies. No search for tiles, as in a short run. Time and processor time of the steps,
// medians over the turns; `over_large`: the median over the turns of the ratio to the largest room. With --rooms: so many
// equal rooms at a time on the first GPU, a thread each (a batch), and the time of a step of each and of all divided
// among them.
#include <barrier>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/math/median.hpp"
#include "bench/library_study.hpp"
#include "bench/rows_document.hpp"
#include "engine/devices/batches.hpp"
#include "engine/devices/devices.hpp"
#include "engine/devices/target.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/stopwatch.hpp"
#include "engine/system/version.hpp"

namespace {

using namespace fdtd;
using Json = nlohmann::ordered_json;

constexpr double spacing = 0.2;          // m
constexpr double seconds_a_turn = 0.03;  // of processor time
constexpr std::int64_t most_steps = 512;

Scene room_of(double nodes, const std::string& precision) {
  const double unit = std::cbrt(nodes / (6.01 * 5.01 * 4.51)) * spacing;
  const double x = 6.01 * unit, y = 5.01 * unit, z = 4.51 * unit;
  std::string text = fmt::format(
      "schema = 1\nsimulation = {{ duration = 1.0, grid_spacing = {}, precision = \"{}\" }}\n"
      "room.box = [{}, {}, {}]\n",
      spacing, precision, x, y, z);
  text += R"(
[room.walls]
default = "plaster"
z_min = "carpet"
z_max = "tiles"
x_max = "curtain"
y_max = "shelves"
[materials]
plaster.absorption = { bands = [125, 250, 500, 1000, 2000, 4000], alpha = [0.14, 0.10, 0.06, 0.05, 0.04, 0.03] }
carpet.absorption = { bands = [125, 250, 500, 1000, 2000, 4000], alpha = [0.08, 0.24, 0.57, 0.69, 0.71, 0.73] }
tiles.absorption = { bands = [125, 250, 500, 1000, 2000, 4000], alpha = [0.40, 0.45, 0.50, 0.55, 0.60, 0.60] }
shelves.absorption = { bands = [125, 250, 500, 1000, 2000, 4000], alpha = [0.20, 0.28, 0.35, 0.40, 0.40, 0.40] }
curtain.admittance = 0.08
)";
  text += fmt::format("[[source]]\nname = \"S\"\nposition = [{}, {}, {}]\n", 0.3 * x, 0.35 * y, 0.4 * z);
  for (int r = 0; r < 4; ++r)
    text += fmt::format("[[receiver]]\nname = \"R{}\"\nposition = [{}, {}, {}]\n", r, (0.4 + 0.1 * r) * x,
                        (0.7 - 0.1 * r) * y, (0.45 + 0.05 * r) * z);
  ParsedScene parsed = parse_scene(text, "small_rooms.toml");
  if (!parsed.problems.empty()) throw Error(Status::scene, parsed.problems.front().message);
  return std::move(parsed.scene);
}

struct Room {
  Plan plan;
  std::unique_ptr<Backend> backend;
  std::int64_t steps = 0;             // a turn
  std::vector<double> wall, process;  // ns a node and step, by turn
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double rounded(double value) { return std::stod(fmt::format("{:.3f}", value)); }

std::vector<Json> measured(const std::string& stencil, const std::vector<double>& nodes, int threads,
                           const std::string& precision, int turns) {
  std::vector<Room> rooms(nodes.size());
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    rooms[i].plan = make_plan(room_of(nodes[i], precision), *find_stencil(stencil)).plan;
    BackendOptions options;
    options.threads = threads;
    rooms[i].backend = make_backend({}, options);
    rooms[i].backend->load(rooms[i].plan, whole(rooms[i].plan));
  }
  Samples samples;
  const auto advance = [&](Room& room, std::int64_t steps) {
    Drive drive{steps, std::vector<double>(static_cast<std::size_t>(steps), 0.0)};
    drive.f[0] = 1.0;
    const double begin = processor_seconds();
    const Stopwatch watch;
    room.backend->advance(drive, samples);
    const double per = 1e9 / static_cast<double>(steps) / static_cast<double>(room.plan.grid.nodes());
    room.wall.push_back(per * watch.seconds());
    room.process.push_back(per * (processor_seconds() - begin));
    return per;
  };
  for (Room& room : rooms) {
    advance(room, 16);
    const double per = advance(room, 16);
    const double a_step = room.process.back() / per / 16.0;
    room.steps = std::clamp(static_cast<std::int64_t>(seconds_a_turn / a_step), std::int64_t{8}, most_steps);
    room.wall.clear(), room.process.clear();
  }
  for (int turn = 0; turn < turns; ++turn)
    for (Room& room : rooms) advance(room, room.steps);
  const Room& large = rooms.back();
  std::vector<Json> rows;
  for (const Room& room : rooms) {
    std::vector<double> over_wall, over_process;
    for (std::size_t i = 0; i < room.wall.size(); ++i) {
      over_wall.push_back(room.wall[i] / large.wall[i]);
      over_process.push_back(room.process[i] / large.process[i]);
    }
    rows.push_back({{"stencil", stencil},
                    {"precision", precision},
                    {"threads", threads},
                    {"nodes", room.plan.grid.nodes()},
                    {"wall_nodes", room.plan.boundary.nodes.size()},
                    {"step_ctpn_ns", rounded(median(room.wall))},
                    {"processor_ns", rounded(median(room.process))},
                    {"over_large", rounded(median(over_wall))},
                    {"processor_over_large", rounded(median(over_process))},
                    {"order", room.backend->describe()}});
  }
  return rows;
}

// So many equal rooms at a time on the first GPU.
Json measured_batch(const std::string& stencil, double nodes, int at_once, const std::string& precision, int turns) {
  constexpr std::int64_t steps = 1024;
  const Plan plan = make_plan(room_of(nodes, precision), *find_stencil(stencil)).plan;
  std::vector<double> seconds;
  std::string kernel;
  std::barrier together(at_once + 1);
  std::vector<std::thread> threads;
  for (int t = 0; t < at_once; ++t)
    threads.emplace_back([&, t] {
      BackendOptions options;
      options.rooms_at_once = at_once;
      const auto backend = make_cuda_backend(options);
      backend->load(plan, whole(plan));
      if (t == 0) kernel = backend->describe();
      Samples samples;
      Drive drive{steps, std::vector<double>(static_cast<std::size_t>(steps), 0.0)};
      drive.f[0] = 1.0;
      for (int turn = 0; turn <= turns; ++turn) {
        together.arrive_and_wait();
        backend->advance(drive, samples);
        together.arrive_and_wait();
        drive.f[0] = 0.0;
      }
    });
  for (int turn = 0; turn <= turns; ++turn) {  // the first one loads the kernels
    together.arrive_and_wait();
    const Stopwatch watch;
    together.arrive_and_wait();
    if (turn > 0) seconds.push_back(watch.seconds());
  }
  for (std::thread& thread : threads) thread.join();
  const double step_us = 1e6 * median(seconds) / static_cast<double>(steps);
  return {{"stencil", stencil},
          {"precision", precision},
          {"rooms_at_once", at_once},
          {"nodes", plan.grid.nodes()},
          {"wall_nodes", plan.boundary.nodes.size()},
          {"step_us", rounded(step_us)},
          {"step_us_of_a_room", rounded(step_us / at_once)},
          {"ctpn_ns", rounded(1e3 * step_us / at_once / static_cast<double>(plan.grid.nodes()))},
          {"kernel", kernel}};
}

void run(int argc, char** argv) {
  std::string stencils = "leggy-4,leggy-1,compact-3", nodes = "2000,20000,200000,2000000", threads = "1,2";
  std::string precision = "f32", at_once;
  const std::string command = bench::command_line("bench_small_rooms", argc, argv);
  int turns = 15;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string word = argv[i];
    if (word == "--stencils")
      stencils = argv[i + 1];
    else if (word == "--nodes")
      nodes = argv[i + 1];
    else if (word == "--threads")
      threads = argv[i + 1];
    else if (word == "--precision")
      precision = argv[i + 1];
    else if (word == "--rooms")
      at_once = argv[i + 1];
    else if (word == "--turns")
      turns = std::stoi(argv[i + 1]);
    else
      throw Error(Status::scene, "no option " + word);
  }
  if (!at_once.empty()) expect_batches();
  const Json document{
      {"what", !at_once.empty()
                   ? "Time of a step of boxes of the proportions and materials of "
                     "bench/room.toml, several equal ones at a time on a GPU, receivers "
                     "and all that a step of a run has, and divided among the rooms."
                   : "Time and processor time of a step for each node of boxes of the proportions and materials of "
                     "bench/room.toml, all in but without a search for tiles, and over those of the largest one, "
                     "in turns in one run: medians."},
      {"date", bench::today()},
      {"command", command},
      {"program", version_line()},
      {"processor", processor_name()},
      {"device", at_once.empty() ? std::string(cpu_instruction_set()) : gpus().at(0).name}};
  bench::RowsDocument rows(document);
  for (const std::string& stencil : bench::words<std::string>(stencils))
    for (const int rooms_at_once : bench::words<int>(at_once))
      for (const double count : bench::words<double>(nodes))
        rows.add({measured_batch(stencil, count, rooms_at_once, precision, turns)});
  for (const std::string& stencil : at_once.empty() ? bench::words<std::string>(stencils) : std::vector<std::string>())
    for (const int count : bench::words<int>(threads))
      rows.add(measured(stencil, bench::words<double>(nodes), count, precision, turns));
  rows.print();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_small_rooms: {}\n", error.what());
    return 2;
  }
}

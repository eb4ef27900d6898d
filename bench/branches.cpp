// The cost of branches: a step of one room whose walls have laws of 1 to 5 branches, in turns in one run.
//
//     bench_branches [--stencils leggy-4,box-111/radial1] [--frequencies 1420,2840] [--turns 15]
//                    > bench/results/MACHINE/branches.json
//
// A box of 4.1 x 3.3 x 2.6 m whose walls are all of one material: a real admittance, and the first of the library for
// each number of branches on the grid. One thread, no search for tiles. Processor time of 100 steps, the least of
// the turns: other programs on the machine lengthen the rest.
#include <cstdio>
#include <ctime>
#include <exception>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/library_study.hpp"
#include "bench/rows_document.hpp"
#include "engine/devices/devices.hpp"
#include "engine/devices/target.hpp"
#include "engine/system/version.hpp"
#include "scenes/toml/material_library.hpp"

namespace {

using namespace fdtd;
using Json = nlohmann::ordered_json;

constexpr std::int64_t steps_a_turn = 100;
constexpr const char* kernel_name = "sliding_window";

std::size_t branches_of(const Plan& plan) {
  std::size_t most = 0;
  for (const WallLaw& law : plan.boundary.laws)
    if (law.taps.size() > 1) most = std::max(most, law.branches.size());
  return most;
}

PlanResult plan_of(const std::string& material, const std::string& stencil, double frequency, int rank) {
  const Scene scene = bench::room_of(material, frequency);
  Target target;
  target.rank = rank;
  return make_plan(scene, *find_stencil(stencil), target);
}

struct Room {
  std::string material;
  Plan plan;
  std::unique_ptr<Backend> backend;
  double least = std::numeric_limits<double>::infinity();
};

// By the number of branches on the grid. Outlines have the laws without building rooms.
std::map<std::size_t, Room> rooms_of(const std::string& stencil, double frequency) {
  std::map<std::size_t, Room> rooms;
  for (const LibraryMaterial& material : material_library()) {
    const std::size_t count = branches_of(plan_of(material.name, stencil, frequency, -1).plan);
    if (count > 0 && !rooms.contains(count)) rooms[count].material = material.name;
  }
  for (auto& [count, room] : rooms) room.plan = plan_of(room.material, stencil, frequency, 0).plan;
  Room& real = rooms[0];  // radial maps make more than one branch of a real admittance, too
  real.material = "admittance = 0.01";
  Scene scene = bench::room_of(rooms.rbegin()->second.material, frequency);
  Material& wall = scene.materials.at("wall");
  wall.kind = Material::Kind::admittance;
  wall.admittance = 0.01;
  real.plan = make_plan(scene, *find_stencil(stencil)).plan;
  return rooms;
}

std::vector<Json> measured(const std::string& stencil, double frequency, int turns) {
  std::map<std::size_t, Room> rooms = rooms_of(stencil, frequency);
  for (auto& [count, room] : rooms) {
    room.backend = make_backend({}, {1, kernel_name});
    room.backend->load(room.plan, whole(room.plan));
  }
  Drive drive{steps_a_turn, std::vector<double>(static_cast<std::size_t>(steps_a_turn), 0.0)};
  drive.f[0] = 1.0;
  Samples samples;
  for (int turn = 0; turn <= turns; ++turn)
    for (auto& [count, room] : rooms) {
      const std::clock_t begin = std::clock();
      room.backend->advance(drive, samples);
      const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      if (turn > 0) room.least = std::min(room.least, seconds);  // the first warms up
    }
  std::vector<Json> rows;
  const double real = rooms.at(0).least;
  for (const auto& [count, room] : rooms) {
    const double nodes = static_cast<double>(room.plan.grid.nodes());
    rows.push_back({{"stencil", stencil},
                    {"max_frequency", frequency},
                    {"nodes", room.plan.grid.nodes()},
                    {"wall_nodes", room.plan.boundary.nodes.size()},
                    {"material", room.material},
                    {"branches", branches_of(room.plan)},
                    {"step_ctpn_ns", std::stod(fmt::format("{:.3f}", 1e9 * room.least / steps_a_turn / nodes))},
                    {"over_real", std::stod(fmt::format("{:.3f}", room.least / real))}});
  }
  return rows;
}

void run(int argc, char** argv) {
  std::string stencils = "leggy-4,box-111/radial1", frequencies = "1420,2840";
  const std::string command = bench::command_line("bench_branches", argc, argv);
  int turns = 15;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string word = argv[i];
    if (word == "--stencils")
      stencils = argv[i + 1];
    else if (word == "--frequencies")
      frequencies = argv[i + 1];
    else if (word == "--turns")
      turns = std::stoi(argv[i + 1]);
    else
      throw Error(Status::scene, "no option " + word);
  }
  const Json document{
      {"what",
       "Processor time of a step for each node of a box of 4.1 x 3.3 x 2.6 m whose walls are all of one "
       "material, by the branches of its law on the grid; over_real: over that of a real admittance, in turns "
       "in one run. One thread, f32."},
      {"date", bench::today()},
      {"command", command},
      {"program", version_line()},
      {"device", cpu_instruction_set()},
      {"kernel", kernel_name}};
  bench::RowsDocument rows(document);
  for (const std::string& stencil : bench::words<std::string>(stencils))
    for (const double frequency : bench::words<double>(frequencies)) rows.add(measured(stencil, frequency, turns));
  rows.print();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_branches: {}\n", error.what());
    return 2;
  }
}

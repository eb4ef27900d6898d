// Rooms that threads of one process compute side by side on a GPU: each has the bytes that it has alone.
#include <array>
#include <atomic>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/cuda/gpu/device.hpp"
#include "engine/cuda/many_steps/many_steps.hpp"
#include "engine/devices/devices.hpp"
#include "engine/session/session.hpp"
#include "tests/gpu/case_rooms.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

struct Room {
  std::string name;
  Plan plan;
  State start;
  Drive drive;
};

std::vector<Room> rooms_of(const std::vector<Case>& list, Precision precision, std::int64_t steps) {
  std::vector<Room> rooms;
  std::mt19937 random(31);
  for (const Case& c : list) {
    Room room{name_of(c, precision), plan_for(c, precision, random), {}, {}};
    room.start = random_state(room.plan, random);
    room.drive = drive_for(room.plan, steps, 7, random);
    rooms.push_back(std::move(room));
  }
  return rooms;
}

test::Result computed(const Room& room, int rooms_at_once) {
  BackendOptions options;
  options.rooms_at_once = rooms_at_once;
  return result_of(*make_cuda_backend(options), room.plan, room.start, room.drive);
}

// All rooms by so many threads, each the next that is left.
template <class Work>
void in_threads(int threads, std::size_t count, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    });
  for (std::thread& thread : all) thread.join();
}

void check_batch(const std::vector<Case>& list, Precision precision, std::int64_t steps, int threads) {
  const std::vector<Room> rooms = rooms_of(list, precision, steps);
  std::vector<test::Result> together(rooms.size());
  in_threads(threads, rooms.size(), [&](std::size_t i) { together[i] = computed(rooms[i], threads); });
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    INFO(rooms[i].name);
    const test::Result alone = computed(rooms[i], 1);
    CHECK((together[i].samples.p == alone.samples.p));
    CHECK((together[i].state.u_now == alone.state.u_now));
    CHECK((together[i].state.u_before == alone.state.u_before));
    CHECK((together[i].state.branches.V == alone.state.branches.V));
    CHECK((together[i].state.branches.G == alone.state.branches.G));
    CHECK(together[i].energy.stored == alone.energy.stored);
    CHECK(together[i].energy.injected == alone.energy.injected);
    CHECK(together[i].energy.dissipated == alone.energy.dissipated);
  }
}

bool takes_batches() { return cuda::computes_side_by_side(cuda::device_of(0)); }

RunRequest request_of(std::size_t room, const std::filesystem::path& folder, int rooms_at_once) {
  const double x = 2.2 + 0.013 * static_cast<double>(room), y = 1.9 + 0.007 * static_cast<double>(room % 13);
  RunRequest request;
  request.scene.scene = "room.toml";
  request.scene.text =
      fmt::format(R"(schema = 1
simulation = {{ duration = 0.1, max_frequency = 300.0, device = "cuda", stencil = "{}" }}
room.box = [{}, {}, 1.7]
room.walls = {{ default = "plasterboard", floor = "{}" }}
above = {{ method = "none" }}
source = [ {{ name = "S", position = [0.8, 0.7, 0.6] }} ]
receiver = [ {{ name = "R", position = [1.7, 1.2, 0.9] }}, {{ name = "Q", position = [0.4, 1.5, 1.1] }} ]
)",
                  room % 3 == 0 ? "leggy-4" : "auto", x, y, room % 2 == 0 ? "carpet-heavy" : "carpet-thin");
  request.scene.threads = 1;
  request.place.folder = folder.string();
  request.predict = false;
  request.rooms_at_once = rooms_at_once;
  return request;
}

}  // namespace

TEST_CASE("rooms of a batch have the bytes that they have alone") {
  if (!takes_batches()) return;
  std::vector<Case> list = cases;  // with and without many steps a launch
  list.insert(list.end(), {{"leggy-4", {64, 56, 50}, 1.0, Walls::wide},
                           {"compact-3", {83, 78, 71}, 1.0, Walls::some},
                           {"box-222", {23, 20, 19}, 1.0, Walls::some},
                           {"leggy-4", {4, 5, 4}, 1.0, Walls::some}});
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    check_batch(list, precision, 140, 8);
    check_batch(list, precision, 60, 32);
  }
}

TEST_CASE("a small batch, with walls of all kinds") {  // few enough for memcheck and racecheck
  if (!takes_batches()) return;
  check_batch({{"leggy-4", {14, 11, 10}, 1.0, Walls::wide}, {"compact-3", {13, 12, 9}, 1.0, Walls::wide}},
              Precision::f32, 8, 2);
}

TEST_CASE("a hundred runs of a batch write the bytes of a hundred runs") {
  if (!takes_batches()) return;
  constexpr std::size_t count = 100;
  constexpr int threads = 16;
  const TemporaryFolder folder;
  const auto run = [&](std::size_t i, const char* name, int rooms_at_once) {
    run_scene(request_of(i, folder / (name + std::to_string(i)), rooms_at_once), {}, {});
  };
  std::atomic<int> failed{0};
  in_threads(threads, count, [&](std::size_t i) {
    try {
      run(i, "together-", threads);
    } catch (const Error& error) {
      ++failed;
    }
  });
  REQUIRE(failed == 0);
  for (std::size_t i = 0; i < count; ++i) {
    run(i, "alone-", 1);
    INFO(i);
    for (const char* file : {"ir_R.wav", "ir_Q.wav"})
      CHECK((read_file(folder / ("together-" + std::to_string(i)) / file) ==
             read_file(folder / ("alone-" + std::to_string(i)) / file)));
  }
}

TEST_CASE("a share of a GPU is one cluster; large rooms, and rooms without others, have all of it") {
  cuda::Device device;
  device.multiprocessors = 132;
  const auto blocks = [&](int rooms, std::int64_t nodes) { return cuda::share_of(device, rooms, nodes).blocks; };
  CHECK(blocks(1, 1000) == 132);
  CHECK(blocks(2, 1000) == 16);
  CHECK(blocks(16, 1000) == 8);
  CHECK(blocks(32, 200'000) == 4);
  CHECK(blocks(500, 1000) == 1);
  CHECK(blocks(32, 1'000'000) == 132);
  CHECK(cuda::share_of(device, 2, 1000).beside_others);
  CHECK_FALSE(cuda::share_of(device, 1, 1000).beside_others);
  CHECK_FALSE(cuda::share_of(device, 2, 1'000'000).beside_others);
}

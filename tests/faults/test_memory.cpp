// Readers without memory: every allocation of theirs fails in turn. What they throw then is std::bad_alloc or an error of
// theirs; what they held is given back; nothing crashes. operator new is this program's own for it.
#include <cstdlib>
#include <filesystem>
#include <new>
#include <random>

#include "engine/audio_file.hpp"
#include "engine/checkpoint.hpp"
#include "engine/error.hpp"
#include "engine/result.hpp"
#include "engine/run.hpp"
#include "scenes/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/support/rooms.hpp"

namespace {

thread_local long until_failure = -1;  // allocations; below 0: none fails

void* take(std::size_t size) {
  if (until_failure > 0 && --until_failure == 0) throw std::bad_alloc();
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

using namespace fdtd;
using namespace fdtd::test;

namespace {

// Calls `read` with its 1st, 2nd, ... allocation failing until none does, when it must be true; how many that were.
// Nothing of Catch's runs meanwhile: it allocates as well.
template <class Function>
int fail_each_allocation(const Function& read) {
  int orderly = 0;
  for (int n = 1;; ++n) {
    bool good = false, refused = false;
    until_failure = n;
    try {
      good = read();
    } catch (const std::bad_alloc&) {
      refused = true;
    } catch (const Error& error) {
      refused = error.status == Status::file || error.status == Status::resource;
    }
    const bool reached = until_failure == 0;
    until_failure = -1;
    INFO("allocation " << n);
    if (!reached) {
      REQUIRE(good);
      CHECK(orderly >= (n - 1) * 9 / 10);
      return n - 1;
    }
    // Neither refused nor good: toml++ reads numbers by streams, which turn want of memory into a number that cannot be
    // read, and so into a problem of the scene.
    orderly += refused || good ? 1 : 0;
  }
}

}  // namespace

TEST_CASE("the readers of scenes, audio, checkpoints and results run out of memory without harm", "[faults]") {
  const TemporaryFolder folder;
  const std::string text =
      "schema = 1\n[simulation]\nduration = 0.01\nmax_frequency = 400.0\nstop = { decay_db = 60 }\n[room]\nbox = [1.3, "
      "1.1, "
      "0.9]\n[room.walls]\ndefault = \"panel\"\n[materials.panel]\nabsorption = { bands = [125, 250], alpha = [0.1, "
      "0.2] "
      "}\n[[source]]\nname = \"S\"\nposition = [0.5, 0.6, 0.7]\n[[receiver]]\nname = \"R\"\nposition = [0.7, 0.3, "
      "0.4]\n";
  CHECK(fail_each_allocation([&] { return parse_scene(text, "room.toml").problems.empty(); }) > 100);
  const std::string wrong = text + "[outptu]\nsample_rate = true\n";
  CHECK(fail_each_allocation([&] { return !parse_scene(wrong, "room.toml").problems.empty(); }) > 100);

  const std::vector<double> click(5000, 0.25);
  write_audio(folder.path() / "click.wav", {click, click}, 48000, SampleFormat::float32, false, "note");
  CHECK(fail_each_allocation([&] { return read_audio(folder.path() / "click.wav").channels.size() == 2; }) > 5);

  RoomSpec spec;
  spec.size = {6, 5, 4};
  spec.stencil = "leggy-2";
  spec.laws = some_laws();
  Plan plan = plan_of(spec);
  std::mt19937 random(4);
  plan.sources.push_back(random_tap(plan, 3, random, "S"));
  plan.receivers.push_back(random_tap(plan, 3, random, "R"));
  plan.steps = 30;
  const CheckpointFiles files(folder.path());
  const CheckpointLabel label{"1", label_of(plan), {}};
  RunCallbacks callbacks;
  callbacks.due = [](const Progress& at) { return at.step > 0; };
  callbacks.save = [&](const Moment& moment) { write_checkpoint(files, label, moment); };
  Result result;
  result.recording = run(plan, *make_cpu_backend({1, ""}), callbacks);
  CHECK(fail_each_allocation([&] { return read_checkpoint(files.newest, label).moment.state.step > 0; }) > 20);

  result.options.duration = 0.002;
  result.rendered = render(result.recording, result.options);
  result.source_positions = result.receiver_positions = {{0.1, 0.1, 0.1}};
  write_result(folder.path() / "result.h5", result, false);
  CHECK(fail_each_allocation([&] { return read_result(folder.path() / "result.h5").recording.samples == 31; }) > 20);
}

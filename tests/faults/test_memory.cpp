// Readers without memory: every allocation of theirs fails in turn. They then throw std::bad_alloc or an error of their
// own and release what they held; nothing crashes. This program replaces operator new for it.
#include <cstdlib>
#include <filesystem>
#include <new>
#include <random>

#include "base/error.hpp"
#include "engine/checkpoint/checkpoint.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/estimate/estimate.hpp"
#include "engine/files/json_fields.hpp"
#include "engine/files/wav_write.hpp"
#include "engine/results/result.hpp"
#include "engine/run/run.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/toml/material_file.hpp"
#include "scenes/toml/parse.hpp"
#include "scenes/toml/stencil_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/support/rooms/rooms.hpp"
#include "tests/support/scene_text.hpp"

namespace {

thread_local long until_failure = -1;  // allocations; below 0: none fails

// As the standard has it: a new-handler, where there is one, may find memory yet.
void* take(std::size_t size) {
  for (;;) {
    const bool fails = until_failure > 0 && --until_failure == 0;
    void* const memory = fails ? nullptr : std::malloc(size > 0 ? size : 1);
    if (memory != nullptr) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
// As the library's own do, where no sanitizer has others.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return take(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, const std::nothrow_t& none) noexcept { return operator new(size, none); }
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
  SceneText scene;
  scene.simulation = "duration = 0.01\nmax_frequency = 400.0\nstop = { decay_db = 60 }\n";
  scene.materials = "[materials.panel]\nabsorption = { bands = [125, 250], alpha = [0.1, 0.2] }\n";
  const std::string text = text_of(scene);
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
  const CheckpointLabel label{"1", fingerprint_of(plan), {}};
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

TEST_CASE("walls, labels and responses made by several threads run out of memory without harm", "[faults]") {
  RoomSpec spec;
  spec.size = {6, 5, 4};
  spec.stencil = "leggy-2";
  spec.laws = some_laws();
  Plan plan = plan_of(spec);
  for (const char* stencil : {"leggy-2", "compact-3"}) {
    RoomSpec other = spec;
    other.stencil = stencil;
    CHECK(fail_each_allocation([&] { return !plan_of(other).near_wall.segments.empty(); }) > 50);
  }
  std::mt19937 random(4);
  plan.sources.push_back(random_tap(plan, 3, random, "S"));
  plan.receivers.push_back(random_tap(plan, 3, random, "R"));
  plan.steps = 30;
  CHECK(fail_each_allocation([&] { return fingerprint_of(plan).steps == 30; }) > 5);
  const Recording recording = run(plan, *make_cpu_backend({1, ""}), {});
  RenderOptions options;
  options.duration = 0.002;
  CHECK(fail_each_allocation([&] { return render(recording, options).samples > 0; }) > 20);
}

TEST_CASE("the fields of a JSON document run out of memory without harm", "[faults]") {
  struct Pair {
    double first = 1.0;
  };
  struct Pairs {
    Pair one;
    std::vector<Pair> all{{}, {}};
  };
  CHECK(fail_each_allocation([] {
          JsonFields<Pair> pair;
          pair.value("a name that is allocated", "a unit of some length", "a sentence about the field", &Pair::first);
          JsonFields<Pairs> pairs;
          pairs.object("an object that is allocated", "a sentence about the object", pair, &Pairs::one)
              .list("a list that is allocated", "a sentence about the list", pair, &Pairs::all)
              .include(pair, &Pairs::one);
          return pairs.all().size() == 5;
        }) > 30);
}

TEST_CASE("an estimate runs out of memory without harm", "[faults]") {
  SceneText text;
  text.simulation = "duration = 0.01\nmax_frequency = 400.0\n";
  text.materials = "[materials.panel]\nabsorption = { bands = [125, 250], alpha = [0.1, 0.2] }\n";
  const Scene scene = parse_scene(text_of(text), "room.toml").scene;
  EstimateOptions options;
  options.octaves = {125.0};
  options.cells = 420;  // two levels of multigrid
  options.modes = 1;
  const auto absorption = [](const std::string&, double) { return 0.1; };
  REQUIRE(estimate(scene, options, absorption).bands[0].steady());  // the catalogue of stencils is made once
  CHECK(fail_each_allocation([&] { return estimate(scene, options, absorption).bands[0].T30.has_value(); }) > 50);
}

TEST_CASE("the readers of meshes, materials and stencils run out of memory without harm", "[faults]") {
  const TemporaryFolder folder;
  std::string why;
  // A file that is refused for want of memory says so, or anything else.
  const auto reported = [&](bool read) {
    if (!read && !why.empty()) throw Error(Status::file, "refused");
    return read;
  };
  const std::string corners = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
  folder.write("a.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl wall\nf 1 3 2\nf 1 2 4\nusemtl floor\nf 2 3 4\nf 3 1 4\n");
  folder.write("a.stl",
               "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
               "endfacet\nendsolid a\n");
  folder.write("a.ply",
               "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
               "element face 2\nproperty list uchar int vertex_indices\nend_header\n" +
                   corners + "3 0 1 2\n3 0 1 3\n");
  for (const char* name : {"a.obj", "a.stl", "a.ply"}) {
    INFO(name);
    CHECK(fail_each_allocation([&] {
            why.clear();
            return reported(read_mesh(folder / name, {}, why).has_value());
          }) > 20);
  }
  folder.write("a.csv", "frequency,alpha\n125,0.1\n250,0.2\n500,0.3\n");
  folder.write("a.toml", "absorption = { bands = [125, 250], alpha = [0.1, 0.2] }\n");
  for (const char* name : {"a.csv", "a.toml"}) {
    INFO(name);
    CHECK(fail_each_allocation([&] {
            why.clear();
            return reported(read_material_file(folder / name, why).has_value());
          }) > 5);
  }
  folder.write("mine.toml", "courant = 0.5\ncentre = 0.5\nshells = [[1, 0, 0]]\nweights = [0.25]\n");
  CHECK(fail_each_allocation([&] {
          const StencilFile file = load_stencil(folder / "mine.toml");
          if (!file.problems.empty()) throw Error(Status::file, "refused");
          return true;
        }) > 20);
}

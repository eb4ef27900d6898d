// roomfdtd._core: scenes planned and run inside the Python process.
//
// Documents pass as JSON text, the same that the program prints. The interpreter is free while the engine works: other
// threads of Python run, and may run scenes of their own. Between blocks of time steps, about once a second, Python's
// signal handlers get their turn, and `progress` is called.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/devices/batches.hpp"
#include "engine/files/h5.hpp"
#include "engine/reports/gradient_fields.hpp"
#include "engine/reports/json_text.hpp"
#include "engine/session/room_gradient.hpp"
#include "engine/session/session.hpp"
#include "engine/system/ranks.hpp"
#include "engine/system/threads.hpp"
#include "engine/system/version.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using fdtd::SceneRequest;

PyObject* engine_error = nullptr;  // EngineError(status, message, hint, problems as JSON)

std::string problems_json(const std::vector<fdtd::Problem>& problems) {
  auto list = nlohmann::ordered_json::array();
  for (const fdtd::Problem& one : problems)
    list.push_back({{"place", one.where},
                    {"line", one.place.line},
                    {"column", one.place.column},
                    {"message", one.message},
                    {"hint", one.hint}});
  return fdtd::json_text(list);
}

void raise_error(int status, const std::string& message, const std::string& hint, const std::string& problems) {
  PyErr_SetObject(engine_error, nb::make_tuple(status, message, hint, problems).ptr());
}

// Errors of the engine as the exception, with what memory allocation and the system report as errors of resources.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const fdtd::SceneError& error) {
    raise_error(static_cast<int>(error.status), error.what(), error.remedy, problems_json(error.problems));
  } catch (const fdtd::Error& error) {
    raise_error(static_cast<int>(error.status), error.what(), error.remedy, "[]");
  } catch (const std::bad_alloc&) {
    raise_error(static_cast<int>(fdtd::Status::resource), "out of memory",
                "Scene.plan() reports how much memory a scene needs", "[]");
  }
}

// HDF5 libraries without its option for threads (none of Debian's) work for one session at a time.
class Hdf5Lock {
 public:
  Hdf5Lock() {
    if (!fdtd::h5_takes_threads()) one_.emplace(guard());
  }

 private:
  static std::mutex& guard() {
    static std::mutex mutex;
    return mutex;
  }
  std::optional<std::lock_guard<std::mutex>> one_;
};

SceneRequest request_of(std::string text, std::string name, std::vector<std::string> overrides,
                        const std::optional<std::string>& device, int threads, bool allow_outside) {
  SceneRequest request;
  request.scene = std::move(name);
  request.text = std::move(text);
  request.overrides = std::move(overrides);
  request.device = device.value_or("");
  request.threads = threads;
  request.allow_outside = allow_outside;
  return request;
}

// As the program does for --threads.
void take_threads(SceneRequest& request) {
  const fdtd::ThreadChoice choice = fdtd::use_threads(request.threads);
  if (request.threads > 0) request.threads = choice.threads;
}

void check(std::string text, std::string name, std::vector<std::string> overrides, bool allow_outside) {
  const nb::gil_scoped_release free;
  (void)load(request_of(std::move(text), std::move(name), std::move(overrides), {}, 0, allow_outside));
}

std::string plan(std::string text, std::string name, std::vector<std::string> overrides,
                 const std::optional<std::string>& device, int threads, bool allow_outside) {
  const nb::gil_scoped_release free;
  const Hdf5Lock lock;
  SceneRequest request =
      request_of(std::move(text), std::move(name), std::move(overrides), device, threads, allow_outside);
  take_threads(request);
  std::string document;
  plan_scene(request, [&](const fdtd::PlanReport& report) { document = fdtd::json_text(plan_document(report)); });
  return document;
}

// What Python sees of a run. An exception of `progress` or of a signal handler ends the run, which writes a checkpoint
// first; then it is raised again, or, where it is Ctrl-C, becomes the engine's own error.
class Watch {
 public:
  explicit Watch(nb::object progress) : progress_(std::move(progress)) {}

  fdtd::SessionCalls calls() {
    fdtd::SessionCalls calls;
    calls.planned = [this](const fdtd::PlanReport& report) { exchanged_ = report.planned->exchanged; };
    calls.progress = [this](const fdtd::Plan& plan, const fdtd::Progress& at) { show(plan, at); };
    calls.stop = [this] { return stops(); };
    return calls;
  }
  // After the run has ended, with the interpreter: whether an exception is to be raised again, rather than the run's own
  // error (`failed`).
  void raise_again(bool failed) {
    if (!raised_ || (failed && raised_->matches(PyExc_KeyboardInterrupt))) return;
    nb::python_error again = std::move(*raised_);
    raised_.reset();
    throw again;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void show(const fdtd::Plan& plan, const fdtd::Progress& at) {
    constexpr std::chrono::milliseconds shortest{100};
    const auto now = Clock::now();
    if (raised_ || progress_.is_none() || (now - last_ < shortest && at.step < at.total)) return;
    last_ = now;
    const nb::gil_scoped_acquire python;
    try {
      nb::dict event;
      event["step"] = at.step;
      event["steps"] = at.total;
      const std::string& sender = plan.sources[static_cast<std::size_t>(at.source)].channel.name;
      event["label"] = plan.sources.size() > 1 ? (exchanged_ ? "receiver " : "source ") + sender : std::string();
      event["gpts_per_second"] = at.gpts_per_second;
      progress_(event);
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
    }
  }

  bool stops() {
    if (raised_) return true;
    const nb::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) raised_.emplace();
    return raised_.has_value();
  }

  nb::object progress_;
  bool exchanged_ = false;  // the receivers send
  std::optional<nb::python_error> raised_;
  Clock::time_point last_{};
};

std::string run(std::string text, std::string name, std::vector<std::string> overrides, std::string output,
                const std::optional<std::string>& device, int threads, bool allow_outside, bool force, bool resume,
                const std::optional<std::string>& checkpoint_every, const std::optional<std::string>& max_time,
                const std::vector<std::string>& outputs, nb::object progress, const std::string& waves,
                int rooms_at_once) {
  fdtd::RunRequest request;
  request.scene = request_of(std::move(text), std::move(name), std::move(overrides), device, threads, allow_outside);
  request.place.folder = std::move(output);
  request.place.force = force;
  request.place.resume = resume;
  request.outputs.insert(outputs.begin(), outputs.end());
  request.waves = waves;
  request.rooms_at_once = rooms_at_once;
  if (rooms_at_once > 1) {
    request.predict = false;
    fdtd::expect_batches();
  }
  Watch watch(std::move(progress));
  std::string document;
  try {
    const nb::gil_scoped_release free;
    const Hdf5Lock lock;
    if (checkpoint_every) request.checkpoint_every = fdtd::parse_interval(*checkpoint_every);
    if (max_time) request.max_seconds = fdtd::parse_time(*max_time);
    take_threads(request.scene);
    const fdtd::SessionEnd end =
        run_scene(request, watch.calls(), [&](const fdtd::Finished& done, const fdtd::PlanReport& report) {
          document = fdtd::json_text(run_json(done, report));
        });
    if (end.how == fdtd::SessionEnd::How::ended_before)
      document = fdtd::json_text({{"ended_before", true}, {"result", (end.folder / "result.h5").string()}});
    if (end.how == fdtd::SessionEnd::How::needs_ranks)
      throw fdtd::Error(fdtd::Status::scene, "cuda:all starts a process for every GPU, which this one cannot do",
                        "run the scene with the program: fdtd run SCENE --device cuda:all");
  } catch (const fdtd::Error&) {
    watch.raise_again(true);
    throw;
  }
  watch.raise_again(false);
  return document;
}

// A room whose walls, sources and receivers move. Its calls free the interpreter while the engine works; one at a time.
class Gradients {
 public:
  Gradients(std::string text, std::string name, std::vector<std::string> overrides,
            const std::optional<std::string>& device, int threads,
            const std::optional<std::vector<std::string>>& materials, std::int64_t memory,
            const std::vector<std::string>& points) {
    const nb::gil_scoped_release free;
    const Hdf5Lock lock;
    SceneRequest request = request_of(std::move(text), std::move(name), std::move(overrides), device, threads, false);
    take_threads(request);
    room_.emplace(request, materials, memory, points);
  }

  // The field `gradient` of a plan, as JSON; its time is measured.
  std::string planned() {
    const nb::gil_scoped_release free;
    const std::lock_guard one_call(guard_);
    return fdtd::json_text(fdtd::gradient_fields().write(room_->timed()));
  }

  std::vector<nb::tuple> parameters() const {
    std::vector<nb::tuple> list;
    for (const fdtd::WallParameter& one : room_->parameters())
      list.push_back(nb::make_tuple(one.material, one.band, one.value));
    return list;
  }

  // Name, bands and values of each material that moves.
  std::vector<nb::tuple> tables() const {
    std::vector<nb::tuple> list;
    for (const fdtd::WallTable& one : room_->tables())
      list.push_back(nb::make_tuple(one.material, one.bands, one.values));
    return list;
  }

  // Names, whether a source, and x, y, z.
  std::vector<nb::tuple> points() const {
    std::vector<nb::tuple> list;
    for (const fdtd::MovingPoint& one : room_->points())
      list.push_back(nb::make_tuple(one.name, one.source, one.position[0], one.position[1], one.position[2]));
    return list;
  }

  nb::tuple responses(const std::vector<double>& values) {
    fdtd::Rendered rendered;
    call([&] { rendered = room_->responses(values, [this] { return stops(); }); });
    return described(rendered);
  }

  // `loss`: of the responses as one list, their number of samples and their rate; returns J and its slopes, as a list.
  nb::tuple slopes(const std::vector<double>& values, const nb::object& loss, bool with_map) {
    fdtd::ParameterSlopes found;
    const auto of_responses = [&](const fdtd::Rendered& rendered, const std::vector<fdtd::ChannelId>&,
                                  const std::vector<fdtd::ChannelId>&, std::span<double> slopes) {
      const nb::gil_scoped_acquire python;
      try {
        const auto answer = nb::cast<nb::tuple>(loss(*described(rendered)));
        const auto by = nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(answer[1]);
        if (by.size() != slopes.size())
          throw fdtd::Error(fdtd::Status::scene, "the loss has returned derivatives of another size");
        std::copy_n(by.data(), by.size(), slopes.begin());
        return nb::cast<double>(answer[0]);
      } catch (nb::python_error& error) {
        raised_.emplace(std::move(error));
        throw fdtd::Error(fdtd::Status::interrupted, "the loss has raised an exception");
      }
    };
    call([&] { found = (*room_)(values, of_responses, with_map, [this] { return stops(); }); });
    return nb::make_tuple(found.loss, found.slopes, found.map ? nb::object(map_of(found)) : nb::none());
  }

 private:
  template <class Work>
  void call(const Work& work) {
    try {
      const nb::gil_scoped_release free;
      const std::lock_guard one_call(guard_);
      work();
    } catch (const fdtd::Error&) {
      if (!raised_) throw;
      nb::python_error again = std::move(*raised_);
      raised_.reset();
      throw again;
    }
  }
  bool stops() {
    const nb::gil_scoped_acquire python;
    if (!raised_ && PyErr_CheckSignals() != 0) raised_.emplace();
    return raised_.has_value();
  }
  static nb::tuple described(const fdtd::Rendered& rendered) {
    auto* const copy = new std::vector<double>(rendered.ir);
    const nb::capsule owner(copy, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return nb::make_tuple(nb::ndarray<nb::numpy, double, nb::ndim<1>>(copy->data(), {copy->size()}, owner),
                          rendered.samples, rendered.sample_rate);
  }
  static nb::dict map_of(const fdtd::ParameterSlopes& found) {
    nb::dict map;
    map["position"] = found.map->position;
    map["area"] = found.map->area;
    map["value"] = found.map->value;
    map["axis"] = found.map->axis;
    map["material"] = found.map->material;
    map["materials"] = found.map_materials;
    return map;
  }

  std::optional<fdtd::RoomGradient> room_;
  std::mutex guard_;
  std::optional<nb::python_error> raised_;
};

}  // namespace

NB_MODULE(_core, module) {
  engine_error = PyErr_NewExceptionWithDoc(
      "roomfdtd._core.EngineError", "(status, message, hint, problems as JSON) of the engine.", nullptr, nullptr);
  module.attr("EngineError") = nb::borrow(engine_error);
  nb::register_exception_translator(translate);
  // Launchers of MPI and of batch systems mark their processes: sessions in Python share their work with none.
  fdtd::stay_alone();
  fdtd::limit_threads();
  module.def("check", check, "text"_a, "name"_a, "overrides"_a, "allow_outside"_a = false);
  module.def("plan", plan, "text"_a, "name"_a, "overrides"_a, "device"_a = nb::none(), "threads"_a = 0,
             "allow_outside"_a = false);
  module.def("run", run, "text"_a, "name"_a, "overrides"_a, "output"_a, "device"_a = nb::none(), "threads"_a = 0,
             "allow_outside"_a = false, "force"_a = false, "resume"_a = false, "checkpoint_every"_a = nb::none(),
             "max_time"_a = nb::none(), "outputs"_a = std::vector<std::string>(), "progress"_a = nb::none(),
             "waves"_a = "", "rooms_at_once"_a = 1);
  nb::class_<Gradients>(module, "Gradients")
      .def(nb::init<std::string, std::string, std::vector<std::string>, std::optional<std::string>, int,
                    std::optional<std::vector<std::string>>, std::int64_t, std::vector<std::string>>(),
           "text"_a, "name"_a, "overrides"_a, "device"_a.none(), "threads"_a, "materials"_a.none(), "memory"_a,
           "points"_a)
      .def("planned", &Gradients::planned)
      .def("parameters", &Gradients::parameters)
      .def("tables", &Gradients::tables)
      .def("points", &Gradients::points)
      .def("responses", &Gradients::responses, "values"_a)
      .def("slopes", &Gradients::slopes, "values"_a, "loss"_a, "with_map"_a);
  module.def("version", [] { return fdtd::version(); });
}

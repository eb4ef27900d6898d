#include "engine/checkpoint/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>

#include "base/error.hpp"
#include "engine/backend/state_planes.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/h5.hpp"
#include "engine/files/sealed_file.hpp"
#include "engine/results/energy_file.hpp"
#include "engine/results/stored_value.hpp"

namespace fdtd {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t schema_version = 2;
constexpr double longest_run = 1e10;  // s: three centuries
constexpr std::int64_t max_steps = std::int64_t{1} << 48;
const std::string format_name = "fdtd checkpoint";

[[noreturn]] void damaged(const fs::path& path, const std::string& what) {
  throw Error(Status::file, fmt::format("{}: {}", path.string(), what), "the file is damaged or is not a checkpoint");
}

std::string path_of(StatePart part) {
  return std::string("/state/") + state_part_names.at(static_cast<std::size_t>(part));
}

bool is_field(StatePart part) { return part == StatePart::u_now || part == StatePart::u_before; }

std::uint64_t length_of(const PlanFingerprint& plan, StatePart part) {
  return static_cast<std::uint64_t>(is_field(part) ? plan.state_nodes : plan.state_branches);
}

// The plan with the sizes of the arrays that the file has of this moment: none once all passes are done.
PlanFingerprint sized(PlanFingerprint plan, const Moment& moment) {
  if (moment.complete()) plan.state_nodes = plan.state_branches = 0;
  return plan;
}

// Samples of a recording: the plan's, or, once all passes are done, those of the longest (cut_to_longest).
std::int64_t expected_samples(const PlanFingerprint& plan, const Moment& moment) {
  if (!moment.complete()) return plan.steps + 1;
  std::int64_t last = 0;
  for (const auto& course : moment.recording.energy)
    if (!course.empty()) last = std::max(last, course.back().step);
  return last + 1;
}

// Written as numbers, not as bytes: a reader of the file sees pressures, and the file is the same on every machine.
void write_state(H5File& file, const PlanFingerprint& plan, const State& state) {
  for (const StatePart part : state_parts) {
    state.require(part, length_of(plan, part));
    const auto fill = [&plan, &state, part](const H5File::Put& put) { read_state(plan, state, part, put); };
    if (state.precision == Precision::f64)
      file.write_later<double>(path_of(part), {length_of(plan, part)}, fill);
    else
      file.write_later<float>(path_of(part), {length_of(plan, part)}, fill);
  }
}

template <class T>
std::vector<std::byte> read_values(const SealedFile& file, StatePart part, std::uint64_t first, std::uint64_t count) {
  const std::vector<T> values =
      file.read<T>(path_of(part), Runs{static_cast<std::int64_t>(first), static_cast<std::int64_t>(count)});
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void write_label(H5File& file, const CheckpointLabel& label) {
  const PlanFingerprint& plan = label.plan;
  file.set("/", "schema_version", schema_version);
  file.set("/", "format", format_name);
  file.set("/", "version", label.version);
  file.set("/", "remarks", label.remarks);
  file.group("/plan");
  file.set("/plan", "precision", plan.precision);
  file.set("/plan", "stencil", plan.stencil);
  const std::array<double, 3> grid{static_cast<double>(plan.grid[0]), static_cast<double>(plan.grid[1]),
                                   static_cast<double>(plan.grid[2])};
  file.set("/plan", "grid", std::span<const double>(grid));
  file.set("/plan", "time_step", plan.time_step);
  file.set("/plan", "steps", plan.steps);
  file.set("/plan", "sources", plan.sources);
  file.set("/plan", "receivers", plan.receivers);
  file.set("/plan", "state_nodes", plan.state_nodes);
  file.set("/plan", "state_branches", plan.state_branches);
  file.set("/plan", "fingerprint", plan.hash);
}

// The parts that are held in memory until the file is closed.
template <class T>
std::function<void(const H5File::Put&)> put_all(const std::vector<T>& values) {
  return [&values](const H5File::Put& put) { put(std::as_bytes(std::span(values))); };
}

// Partial frames, numbered in their order.
void write_frames(H5File& file, const std::vector<PartialFrame>& frames) {
  if (frames.empty()) return;
  file.group("/frames");
  file.set("/frames", "count", static_cast<std::int64_t>(frames.size()));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::string group = fmt::format("/frames/{}", i);
    file.group(group);
    file.set(group, "snapshot", frames[i].snapshot);
    file.set(group, "frame", frames[i].frame);
    file.write_later<float>(group + "/sum", {frames[i].values.size()}, put_all(frames[i].values));
  }
}

std::vector<PartialFrame> read_frames(const SealedFile& file, const fs::path& path) {
  std::vector<PartialFrame> frames;
  if (!file.exists("/frames")) return frames;
  const std::int64_t count = file.integer("/frames", "count");
  check_value(path, "/frames count", static_cast<double>(count),
              count == static_cast<std::int64_t>(file.names("/frames").size()),
              "the file holds another number of them");
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string group = fmt::format("/frames/{}", i);
    PartialFrame one{file.integer(group, "snapshot"), file.integer(group, "frame"), file.read<float>(group + "/sum")};
    check_value(path, group + " snapshot", static_cast<double>(one.snapshot),
                one.snapshot >= (frames.empty() ? 0 : frames.back().snapshot), "snapshots rise from 0");
    const bool same = !frames.empty() && frames.back().snapshot == one.snapshot;
    check_value(path, group + " frame", static_cast<double>(one.frame),
                one.frame >= 0 && (!same || one.frame > frames.back().frame), "the frames of a snapshot rise from 0");
    check_finite(path, group + "/sum", one.values);
    frames.push_back(std::move(one));
  }
  return frames;
}

CheckpointLabel read_label(const SealedFile& file, const fs::path& path) {
  if (file.text("/", "format") != format_name) damaged(path, "is not a checkpoint of this program");
  const auto schema = file.integer("/", "schema_version");
  if (schema != schema_version)
    throw Error(Status::file,
                fmt::format("{}: has schema version {}, this program reads {}", path.string(), schema, schema_version));
  CheckpointLabel label;
  label.version = file.text("/", "version");
  label.remarks = file.texts("/", "remarks");
  PlanFingerprint& plan = label.plan;
  plan.precision = file.text("/plan", "precision");
  plan.stencil = file.text("/plan", "stencil");
  const auto grid = file.numbers("/plan", "grid");
  if (grid.size() != 3) damaged(path, "has an invalid grid");
  for (std::size_t d = 0; d < 3; ++d) {
    if (!(grid[d] >= 1.0 && grid[d] <= 2147483647.0)) damaged(path, "has an invalid grid");
    plan.grid[d] = static_cast<std::int64_t>(grid[d]);
  }
  plan.time_step = file.number("/plan", "time_step");
  plan.steps = file.integer("/plan", "steps");
  if (plan.steps < 1 || plan.steps > max_steps) damaged(path, "has an invalid number of steps");
  plan.sources = file.texts("/plan", "sources");
  plan.receivers = file.texts("/plan", "receivers");
  check_stored_names(path, "/plan/sources", plan.sources);
  check_stored_names(path, "/plan/receivers", plan.receivers);
  plan.state_nodes = file.integer("/plan", "state_nodes");
  plan.state_branches = file.integer("/plan", "state_branches");
  plan.hash = file.text("/plan", "fingerprint");
  return label;
}

void refuse_other(const fs::path& path, const CheckpointLabel& here, const CheckpointLabel& there) {
  const char* const remedy =
      "use the scene and the options that the run started with, or start again in another folder or with --force";
  if (here.version != there.version)
    throw Error(Status::file,
                fmt::format("{}: is of another version of this program: {} here, {} there", path.string(), here.version,
                            there.version),
                remedy);
  const std::string other = difference(here.plan, there.plan);
  if (!other.empty()) throw Error(Status::file, fmt::format("{}: is of another run: {}", path.string(), other), remedy);
}

// Checks every value of an array of the state, and its checksums, a block at a time.
template <class T>
void check_state(const SealedFile& file, const fs::path& path, const PlanFingerprint& plan, StatePart part) {
  constexpr std::uint64_t block = piece_bytes / sizeof(T);
  const std::uint64_t length = length_of(plan, part);
  for (std::uint64_t at = 0; at < length; at += block)
    check_finite(
        path, path_of(part),
        std::span<const T>(file.read<T>(path_of(part), Runs{static_cast<std::int64_t>(at),
                                                            static_cast<std::int64_t>(std::min(block, length - at))})),
        at);
}

void check_frames(const fs::path& path, const PlanFingerprint& plan, const Moment& moment) {
  constexpr std::int64_t max_snapshots = 1'000'000;
  for (std::size_t i = 0; i < moment.frames.size(); ++i) {
    const PartialFrame& one = moment.frames[i];
    check_value(path, fmt::format("/frames/{} frame", i), static_cast<double>(one.frame), one.frame <= plan.steps,
                "the plan has fewer steps");
    check_value(path, fmt::format("/frames/{} snapshot", i), static_cast<double>(one.snapshot),
                one.snapshot < max_snapshots, "no scene has so many");
  }
}

// Energies and records have come to the step of the state, and no further.
void check_course(const fs::path& path, const PlanFingerprint& plan, const Moment& moment) {
  const State& state = moment.state;
  const Recording& recording = moment.recording;
  const bool begun = !recording.energy.empty() && !recording.energy[0].empty();
  const std::int64_t interval = begun ? recording.energy[0].front().step : plan.steps;
  for (std::size_t s = 0; s < recording.energy.size(); ++s) {
    std::int64_t last = 0;
    for (const EnergyPoint& point : recording.energy[s]) {
      if (point.step <= last || point.step > plan.steps ||
          (point.step != last + interval && (point.step != plan.steps || point.step > last + interval)))
        damaged(path, "has energies at invalid steps");
      last = point.step;
    }
    const bool done = static_cast<std::int64_t>(s) < moment.source;
    const bool silent = std::ranges::find(plan.joined, s) != plan.joined.end();
    if (silent ? last > 0 : done ? last == 0 : last > (static_cast<std::int64_t>(s) == moment.source ? state.step : 0))
      damaged(path, "has energies at other steps than its recording");
    // A run weighs its energy when it gets to the next of these steps.
    if (static_cast<std::int64_t>(s) == moment.source)
      check_value(path, "/state step", static_cast<double>(state.step),
                  state.step == plan.steps || state.step < last + interval, "the file lacks energies before it");
  }
  // Later sources and later steps have not been computed.
  const auto samples = static_cast<std::size_t>(recording.samples);
  for (std::size_t s = static_cast<std::size_t>(moment.source); s < plan.sources.size(); ++s) {
    const bool now = s == static_cast<std::size_t>(moment.source);
    const std::size_t from = now ? static_cast<std::size_t>(state.step) + 1 : 0;
    bool sound = false, ends = now;  // every record of the source that has sounded ends before the step
    for (std::size_t channel = s * plan.receivers.size(); channel < (s + 1) * plan.receivers.size(); ++channel) {
      const std::span<const double> record(recording.pressure.data() + channel * samples, samples);
      for (std::size_t n = from; n < samples; ++n)
        check_value(path, "/recording/pressure", record[n], record[n] == 0.0, "/state step has not come to its sample");
      sound = sound || std::ranges::any_of(record, [](double p) { return p != 0.0; });
      ends = ends && record[from > 0 ? from - 1 : 0] == 0.0;
    }
    check_value(path, "/state step", static_cast<double>(state.step), !(sound && ends), "the record ends before it");
  }
}

// Checks the moment against the label, which matches the plan, so that the backend can rely on it.
void check_moment(const SealedFile& file, const fs::path& path, const PlanFingerprint& plan, const Moment& moment) {
  const State& state = moment.state;
  const auto layers =
      moment.complete() ? std::size_t{0} : static_cast<std::size_t>(layer_count(static_cast<int>(plan.grid[2])));
  bool fits = state.injected.size() == layers && state.dissipated.size() == layers;
  for (const StatePart part : state_parts)
    fits = fits &&
           file.shape(path_of(part)) == std::vector{static_cast<std::int64_t>(length_of(sized(plan, moment), part))};
  const auto check_source = [&](bool valid, const char* reason) {
    check_value(path, "/state source", static_cast<double>(moment.source), valid, reason);
  };
  check_source(moment.source >= 0 && moment.source <= static_cast<std::int64_t>(plan.sources.size()),
               "the plan has no such source");
  check_source(std::ranges::find(plan.joined, static_cast<std::size_t>(moment.source)) == plan.joined.end(),
               "it sends in the pass of the source before it");
  check_source(fits || !moment.complete(), "it is that of records alone, and the file has the state of a source");
  if (!fits) damaged(path, "holds a state whose size does not match its plan");
  check_value(path, "/state step", static_cast<double>(state.step),
              state.step >= 0 && state.step <= (moment.complete() ? 0 : plan.steps), "the plan has no such step");
  check_value(path, "/state seconds", moment.seconds, moment.seconds >= 0.0 && moment.seconds <= longest_run,
              "a time lies between 0 and 1e10 s");
  check_finite(path, "/state/injected", state.injected);
  check_finite(path, "/state/dissipated", state.dissipated);
  const Recording& recording = moment.recording;
  check_value(path, "/recording sample_rate", recording.sample_rate,
              std::abs(recording.sample_rate * plan.time_step - 1.0) < 1e-6, "the plan's time step gives another");
  check_finite(path, "/recording/pressure", recording.pressure);
  if (recording.samples != expected_samples(plan, moment) ||
      recording.pressure.size() !=
          plan.sources.size() * plan.receivers.size() * static_cast<std::size_t>(recording.samples))
    damaged(path, "holds a recording whose size does not match its plan");
  check_frames(path, plan, moment);
  check_course(path, plan, moment);
}

}  // namespace

CheckpointFiles::CheckpointFiles(const fs::path& folder)
    : newest(folder / "checkpoint.h5"), previous(folder / "checkpoint-previous.h5") {}

void read_state(const PlanFingerprint& plan, const State& state, StatePart part,
                const std::function<void(std::span<const std::byte>)>& put) {
  // Whole planes of a field, which backends copy plane by plane. Branches at once: they are few in comparison.
  const std::size_t value = state.precision == Precision::f64 ? sizeof(double) : sizeof(float);
  const auto in_plane = static_cast<std::uint64_t>(plan.grid[0] * plan.grid[1]);
  const std::uint64_t length = length_of(plan, part);
  const std::uint64_t block =
      is_field(part) ? in_plane * static_cast<std::uint64_t>(planes_at_once(in_plane, value)) : length;
  for (std::uint64_t at = 0; at < length; at += block) put(state.values(part, at, std::min(block, length - at)));
}

void write_checkpoint(const CheckpointFiles& files, const CheckpointLabel& label, const Moment& moment) {
  AtomicFile whole(files.newest, true);
  H5File file = H5File::create_large(whole.temporary(), files.newest);
  write_label(file, label);
  file.group("/state");
  file.set("/state", "source", moment.source);
  file.set("/state", "step", moment.state.step);
  file.set("/state", "seconds", moment.seconds);
  write_state(file, sized(label.plan, moment), moment.state);
  file.write<double>("/state/injected", moment.state.injected);
  file.write<double>("/state/dissipated", moment.state.dissipated);
  const Recording& recording = moment.recording;
  file.group("/recording");
  file.set("/recording", "sample_rate", recording.sample_rate);
  file.set("/recording", "samples", recording.samples);
  file.write_later<double>("/recording/pressure", {recording.pressure.size()}, put_all(recording.pressure));
  write_energy(file, recording);
  write_frames(file, moment.frames);
  file.close();
  whole.flush();
  std::error_code code;
  if (fs::exists(files.newest, code)) {
    fs::rename(files.newest, files.previous, code);
    if (code)
      throw Error(Status::file, fmt::format("{}: cannot be renamed to {}: {}", files.newest.string(),
                                            files.previous.string(), code.message()));
  }
  whole.commit();
}

CheckpointLabel read_checkpoint_label(const fs::path& path) { return read_label(SealedFile::open(path), path); }

Checkpoint read_checkpoint(const fs::path& path, const CheckpointLabel& here) {
  Checkpoint checkpoint = open_checkpoint(path, here, true);
  State& state = checkpoint.moment.state;
  const PlanFingerprint plan = sized(here.plan, checkpoint.moment);
  for (const StatePart part : state_parts) state.array(part) = state.values(part, 0, length_of(plan, part));
  state.read = nullptr;
  return checkpoint;
}

Checkpoint open_checkpoint(const fs::path& path, const CheckpointLabel& here, bool verify) {
  const auto opened = std::make_shared<const SealedFile>(SealedFile::open(path));
  const SealedFile& file = *opened;
  Checkpoint checkpoint;
  checkpoint.label = read_label(file, path);
  refuse_other(path, here, checkpoint.label);
  const PlanFingerprint& plan = here.plan;
  Moment& moment = checkpoint.moment;
  moment.source = file.integer("/state", "source");
  moment.state.precision = plan.precision == "f64" ? Precision::f64 : Precision::f32;
  moment.state.step = file.integer("/state", "step");
  moment.state.injected = file.read<double>("/state/injected");
  moment.state.dissipated = file.read<double>("/state/dissipated");
  moment.seconds = file.number("/state", "seconds");
  moment.state.read = [opened, precision = moment.state.precision](StatePart part, std::uint64_t first,
                                                                   std::uint64_t count) {
    return precision == Precision::f64 ? read_values<double>(*opened, part, first, count)
                                       : read_values<float>(*opened, part, first, count);
  };
  Recording& recording = moment.recording;
  recording.sources = read_channel_names(plan.sources);
  recording.receivers = read_channel_names(plan.receivers);
  recording.sample_rate = file.number("/recording", "sample_rate");
  recording.samples = file.integer("/recording", "samples");
  recording.pressure = file.read<double>("/recording/pressure");
  read_energy(file, path, recording);
  moment.frames = read_frames(file, path);
  check_moment(file, path, plan, moment);
  for (const StatePart part : state_parts) {
    if (!verify) break;
    if (moment.state.precision == Precision::f64)
      check_state<double>(file, path, sized(plan, moment), part);
    else
      check_state<float>(file, path, sized(plan, moment), part);
  }
  return checkpoint;
}

}  // namespace fdtd

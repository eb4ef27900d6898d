#include "engine/results/sofa.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/files/atomic_file.hpp"
#include "engine/files/h5.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

using Vector = std::array<double, 3>;

// One measurement: a source and a receiver.
struct Pair {
  std::size_t source = 0;
  ChannelGroup receiver;
  // Of a binaural receiver: it, the number of the source among those that are shown, and the rotation.
  const BinauralReceiver* head = nullptr;
  std::size_t shown = 0, turn = 0;
};

std::vector<Pair> pairs_of(const Result& result, const SofaFile& kind) {
  std::vector<Pair> pairs;
  const std::vector<ChannelGroup> sources = groups_of(result.recording.sources);
  for (std::size_t s = 0; s < sources.size(); ++s)
    for (const ChannelGroup& receiver : groups_of(result.recording.receivers)) {
      if (receiver.binaural != kind.binaural || (receiver.array ? receiver.name : "") != kind.array) continue;
      if (!kind.binaural && receiver.channels != kind.channels) continue;
      if (!kind.binaural) pairs.push_back({sources[s].first, receiver});
      for (const BinauralReceiver& one : result.binaural)
        for (std::size_t turn = 0; kind.binaural && one.name == receiver.name && turn < one.rotations.size(); ++turn)
          pairs.push_back({sources[s].first, receiver, &one, s, turn});
    }
  return pairs;
}

// In which the head of a binaural receiver looks in a rotation, or a receiver points; x where it has no direction.
Vector view_of(const Result& result, const Pair& pair) {
  constexpr Vector ahead = {1.0, 0.0, 0.0};
  if (pair.head == nullptr) {
    const std::size_t i = pair.receiver.first;
    const Vector v = i < result.receiver_directions.size() ? result.receiver_directions[i] : Vector{};
    return v == Vector{} ? ahead : v;
  }
  return axes_of(*pair.head, pair.head->rotations[pair.turn]).front;
}

// "2026-11-21T06:42:18Z" as SOFA writes it.
std::string sofa_date(std::string date) {
  std::replace(date.begin(), date.end(), 'T', ' ');
  if (!date.empty() && date.back() == 'Z') date.pop_back();
  return date;
}

// Of an array, with the names and weights that its microphones have.
std::string microphones_text(const Result& result, const ChannelGroup& array) {
  std::string text = "the microphones of " + array.name;
  if (const std::string names = microphone_names(result.recording.receivers, array); !names.empty())
    text += ": " + names;
  if (const std::vector<double>& weights = result.options.weights; !weights.empty()) {
    const std::span<const double> own =
        std::span(weights).subspan(array.first, static_cast<std::size_t>(array.channels));
    if (std::ranges::any_of(own, [](double weight) { return weight != 1.0; }))
      text += fmt::format("; multiplied by the weights {}", fmt::join(own, ", "));
  }
  return text + "; the listener's position is the mean of theirs";
}

void write_globals(H5File& file, const Result& result, const std::vector<Pair>& pairs, const SofaFile& kind) {
  const auto set = [&](const char* name, const std::string& text) { file.set("/", name, text); };
  set("Conventions", "SOFA");
  set("Version", "2.1");
  set("SOFAConventions", "SingleRoomSRIR");
  set("SOFAConventionsVersion", "1.0");
  set("DataType", "FIR");
  const bool box = result.room_box[0] > 0.0;
  set("RoomType", box ? "shoebox" : "dae");
  if (!box) set("RoomGeometry", "result.h5");  // its group /room; AES69 requires the attribute of rooms that are no box
  set("Title", "simulated room impulse responses");
  set("DateCreated", sofa_date(result.run.date));
  set("DateModified", sofa_date(result.run.date));
  set("APIName", "fdtd");
  set("APIVersion", result.version);
  set("ApplicationName", "fdtd");
  set("ApplicationVersion", result.version);
  set("AuthorContact", "not given");
  set("Organization", "not given");
  set("License", "No license provided, ask the author for permission");
  set("DatabaseName", "not given");
  std::string comment =
      "convolved with a monopole's free-field pressure at 1 m a response gives the pressure at the receiver; sample 0 "
      "is the emission";
  if (result.above)
    comment += fmt::format("; waves to {:g} Hz, geometry from {:g} Hz", result.above->crossover.from,
                           result.above->crossover.to);
  set("Comment", comment);
  std::string listeners, sources;
  // Commas part names; names of a scene hold no quotes.
  const auto add = [](std::string& list, const std::string& name) {
    list += (list.empty() ? "" : ", ") + (name.find(',') == name.npos ? name : "\"" + name + "\"");
  };
  for (const Pair& pair : pairs) {
    add(listeners, pair.receiver.name);
    add(sources, result.recording.sources[pair.source].owner);
  }
  set("ListenerDescription", "by measurement: " + listeners);
  set("SourceDescription", "by measurement: " + sources);
  set("ReceiverDescription", !kind.array.empty() ? microphones_text(result, pairs.front().receiver)
                             : kind.binaural     ? "left ear, right ear"
                             : kind.channels > 1 ? "ambisonic channels, ACN, SN3D"
                                                 : "one receiver at the listener's position");
}

// A variable of positions or directions, with its type and unit.
void write_vectors(H5File& file, const std::string& name, const std::vector<double>& values,
                   const std::vector<std::string>& dimensions, const std::string& type, const std::string& units) {
  file.write_on("/" + name, values, dimensions);
  if (type.empty()) return;
  file.set("/" + name, "Type", type);
  file.set("/" + name, "Units", units);
}

// Of the microphones of an array: their mean, and each from there.
struct ArrayPlaces {
  Vector mean{};
  std::vector<double> offsets;
};
ArrayPlaces array_places(const Result& result, const ChannelGroup& array) {
  ArrayPlaces places;
  const auto count = static_cast<std::size_t>(array.channels);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < 3; ++d)
      places.mean[d] += result.receiver_positions[array.first + i][d] / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < 3; ++d)
      places.offsets.push_back(result.receiver_positions[array.first + i][d] - places.mean[d]);
  return places;
}

void write_places(H5File& file, const Result& result, const std::vector<Pair>& pairs, const SofaFile& kind) {
  const std::size_t channels = kind.binaural ? 2 : static_cast<std::size_t>(kind.channels);
  const bool array = !kind.array.empty();
  const ArrayPlaces microphones = array ? array_places(result, pairs.front().receiver) : ArrayPlaces{};
  std::vector<double> listeners, sources, views, source_views, ups;
  const auto add = [](std::vector<double>& to, const Vector& v) { to.insert(to.end(), v.begin(), v.end()); };
  const auto view = [](const std::vector<Vector>& directions, std::size_t i) {
    const Vector v = i < directions.size() ? directions[i] : Vector{};
    return v == Vector{} ? Vector{1.0, 0.0, 0.0} : v;
  };
  for (const Pair& pair : pairs) {
    add(listeners, array ? microphones.mean : result.receiver_positions[pair.receiver.first]);
    add(sources, result.source_positions[pair.source]);
    add(views, view_of(result, pair));
    add(ups, pair.head != nullptr ? pair.head->up : Vector{0.0, 0.0, 1.0});
    add(source_views, view(result.source_directions, pair.source));
  }
  const std::vector<double> up = {0.0, 0.0, 1.0}, origin = {0.0, 0.0, 0.0};
  write_vectors(file, "ListenerPosition", listeners, {"M", "C"}, "cartesian", "metre");
  write_vectors(file, "ListenerView", views, {"M", "C"}, "cartesian", "metre");
  if (kind.binaural)
    write_vectors(file, "ListenerUp", ups, {"M", "C"}, "", "");
  else
    write_vectors(file, "ListenerUp", up, {"I", "C"}, "", "");
  write_vectors(file, "SourcePosition", sources, {"M", "C"}, "cartesian", "metre");
  write_vectors(file, "SourceView", source_views, {"M", "C"}, "cartesian", "metre");
  write_vectors(file, "SourceUp", up, {"I", "C"}, "", "");
  std::vector<double> places = array ? microphones.offsets : std::vector<double>(3 * channels, 0.0);
  if (kind.binaural) places[1] = head_radius, places[4] = -head_radius;
  const bool harmonics = !kind.binaural && !array && channels > 1;
  write_vectors(file, "ReceiverPosition", places, {"R", "C", "I"}, harmonics ? "spherical harmonics" : "cartesian",
                harmonics ? "degree, degree, metre" : "metre");
  write_vectors(file, "EmitterPosition", origin, {"E", "C", "I"}, "cartesian", "metre");
  if (!(result.room_box[0] > 0.0)) return;
  write_vectors(file, "RoomCornerA", origin, {"I", "C"}, "", "");
  write_vectors(file, "RoomCornerB", {result.room_box.begin(), result.room_box.end()}, {"I", "C"}, "", "");
  write_vectors(file, "RoomCorners", {0.0}, {"I", "I"}, "cartesian", "metre");
}

}  // namespace

std::vector<SofaFile> sofa_files(const Recording& recording) {
  std::vector<SofaFile> files;
  for (const ChannelGroup& receiver : groups_of(recording.receivers)) {
    const int channels = receiver.binaural ? 2 : receiver.channels;
    if (receiver.array) {
      files.push_back({fmt::format("responses_array_{}.sofa", receiver.name), channels, receiver.name});
      continue;
    }
    if (std::ranges::any_of(files, [&](const SofaFile& f) {
          return f.array.empty() && f.channels == channels && f.binaural == receiver.binaural;
        }))
      continue;
    if (receiver.binaural) {
      files.push_back({"responses_binaural.sofa", channels, {}, true});
      continue;
    }
    const auto order = static_cast<int>(std::lround(std::sqrt(channels))) - 1;
    files.push_back({channels > 1 ? fmt::format("responses_ambisonic_{}.sofa", order) : "responses.sofa", channels});
  }
  return files;
}

void write_sofa(const std::filesystem::path& target, const Result& result, const SofaFile& kind, bool force) {
  const std::vector<Pair> pairs = pairs_of(result, kind);
  const auto samples = static_cast<std::size_t>(result.rendered.samples);
  const std::size_t receivers = result.recording.receivers.size();
  std::vector<double> ir;
  for (const Pair& pair : pairs) {
    if (pair.head != nullptr) {
      const auto ears =
          pair.head->ears.begin() +
          static_cast<std::ptrdiff_t>((pair.shown * pair.head->rotations.size() + pair.turn) * 2 * samples);
      ir.insert(ir.end(), ears, ears + static_cast<std::ptrdiff_t>(2 * samples));
      continue;
    }
    const auto begin = result.rendered.ir.begin() +
                       static_cast<std::ptrdiff_t>((pair.source * receivers + pair.receiver.first) * samples);
    ir.insert(ir.end(), begin, begin + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(kind.channels) * samples));
  }
  AtomicFile whole(target, force);
  H5File file = H5File::create(whole.temporary(), target);
  write_globals(file, result, pairs, kind);
  file.write_dimension("I", 1);
  file.write_dimension("C", 3);
  file.write_dimension("E", 1);
  file.write_dimension("R", kind.channels);
  file.write_dimension("M", static_cast<std::int64_t>(pairs.size()));
  file.write_dimension("N", result.rendered.samples);
  write_places(file, result, pairs, kind);
  file.write_on("/Data.IR", ir, {"M", "R", "N"});
  file.write_on("/Data.SamplingRate", std::vector<double>{result.rendered.sample_rate}, {"I"});
  file.set("/Data.SamplingRate", "Units", std::string("hertz"));
  file.write_on("/Data.Delay", std::vector<double>(static_cast<std::size_t>(kind.channels), 0.0), {"I", "R"});
  file.close();
  whole.commit();
}

}  // namespace fdtd

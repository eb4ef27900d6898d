#include "engine/results/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/files/atomic_file.hpp"
#include "engine/results/result.hpp"
#include "engine/results/snapshot_file.hpp"
#include "engine/results/sofa.hpp"

namespace fdtd {
namespace {

using Files = std::vector<std::filesystem::path>;

Files list_audio(const OutputRequest& request) {
  std::vector<bool> has_signal;
  for (const auto& signal : request.signals) has_signal.push_back(signal != nullptr);
  return audio_files(request.sources, request.receivers, has_signal, request.folder, request.moving, request.rotations);
}

Written write_audio(const OutputRequest& request, const OutputData& data) {
  const Result& result = *data.result;
  AudioOptions options;
  options.folder = request.folder;
  options.format = result.format;
  options.sample_rate = static_cast<int>(std::lround(result.options.output_rate));
  options.scale = data.audio_scale;
  options.bandwidth = result.valid_to();
  if (result.above) {
    options.waves_to = result.above->crossover.from;
    options.geometry_from = result.above->crossover.to;
  }
  options.low_cut = result.options.low_cut;
  if (result.sound_speed > 0.0)
    for (std::size_t c = 0; c < result.source_positions.size() * result.receiver_positions.size(); ++c)
      options.earliest.push_back(distance_of(result, c) / result.sound_speed);
  options.force = request.force;
  return write_audio_files({request.sources, request.receivers, &result.rendered, request.signals, request.moving,
                            result.receiver_positions, &result.binaural},
                           options);
}

Files list_result(const OutputRequest& request) { return {request.folder / "result.h5"}; }

Written write_result_file(const OutputRequest& request, const OutputData& data) {
  Files files = list_result(request);
  write_result(files.front(), *data.result, request.force);
  return {std::move(files), {}};
}

Files list_report(const OutputRequest& request) { return {request.folder / "report.html"}; }

Written write_report(const OutputRequest& request, const OutputData& data) {
  Files files = list_report(request);
  write_whole_file(files.front(), data.report_html(*data.result), request.force);
  return {std::move(files), {}};
}

std::vector<SofaFile> sofa_files_of(const OutputRequest& request) {
  Recording channels;
  channels.sources = request.sources;
  channels.receivers = request.receivers;
  return sofa_files(channels);
}

Files list_sofa(const OutputRequest& request) {
  Files files;
  for (const SofaFile& file : sofa_files_of(request)) files.push_back(request.folder / file.name);
  return files;
}

Written write_sofa_files(const OutputRequest& request, const OutputData& data) {
  for (const SofaFile& file : sofa_files_of(request))
    write_sofa(request.folder / file.name, *data.result, file, request.force);
  return {list_sofa(request), {}};
}

Files list_snapshots(const OutputRequest& request) { return snapshot_files(request.folder); }

// Frames are written during the run; here their file is sealed and gets its name.
Written write_snapshots(const OutputRequest&, const OutputData& data) { return {data.snapshots->finish(), {}}; }

}  // namespace

const std::vector<Output>& outputs() {
  static const std::vector<Output> table = {
      {"result", "result.h5", "everything: record, responses, metrics, energies, scene and program version", "",
       list_result, write_result_file},
      {"audio", "*.wav",
       "impulse responses (ir_, responses), and source signals as the receivers record them (recording_)", "",
       list_audio, write_audio},
      {"sofa", "responses*.sofa", "responses as SOFA (SingleRoomSRIR), with --sofa",
       "also write the responses as SOFA files (SingleRoomSRIR), which are never scaled", list_sofa, write_sofa_files},
      {"snapshots", "snapshots.*",
       "pressure fields (HDF5, and XDMF for ParaView), where the scene has output.snapshots", "", list_snapshots,
       write_snapshots},
      {"report", "report.html", "the run on one page, to open in a browser", "", list_report, write_report},
  };
  return table;
}

std::set<std::string> outputs_of_run() { return {"result", "audio", "report"}; }
std::set<std::string> outputs_of_render() { return {"audio"}; }

void check_outputs(const OutputRequest& request) {
  for (const Output& output : outputs()) {
    if (!request.wanted.contains(output.name)) continue;
    for (const auto& file : output.files(request)) check_writable(file, request.force);
  }
}

Written write_outputs(const OutputRequest& request, const OutputData& data) {
  Written all;
  for (const Output& output : outputs()) {
    if (!request.wanted.contains(output.name)) continue;
    Written written = output.write(request, data);
    std::move(written.files.begin(), written.files.end(), std::back_inserter(all.files));
    std::move(written.remarks.begin(), written.remarks.end(), std::back_inserter(all.remarks));
  }
  return all;
}

}  // namespace fdtd

#include "engine/reports/gradient_fields.hpp"

#include <fmt/format.h>

#include "engine/system/machine.hpp"

namespace fdtd {
namespace {

using Planned = PlannedGradient;

const char* name_of_format(HistoryFormat format) {
  return format == HistoryFormat::f64 ? "f64" : format == HistoryFormat::f32 ? "f32" : "i16";
}

std::string bytes_text(std::int64_t bytes) { return human_bytes(static_cast<double>(bytes)); }

}  // namespace

const JsonFields<PlannedGradient>& gradient_fields() {
  const auto segmented = [](const Planned& of) { return of.memory.segments > 1; };
  static const auto fields =
      JsonFields<Planned>()
          .value("materials", "", "Those that move, by whose absorption or admittance it is.", &Planned::materials)
          .value("wall_nodes", "", "Nodes at walls that absorb, whose histories are kept.", &Planned::wall_nodes)
          .value("runs", "", "Runs of all passes that it takes in steps: 2, and more where steps are computed again.",
                 [](const Planned& of) { return of.memory.runs; })
          .value("bytes", "bytes", "Memory beside the run: histories, states, records.",
                 [](const Planned& of) { return of.memory.bytes; })
          .value("history_bytes", "bytes", "Of them the walls' histories.",
                 [](const Planned& of) { return of.memory.histories; })
          .value("history_memory", "", "Where these are: `main`, or `gpu`.",
                 [](const Planned& of) { return std::string(of.on_gpu ? "gpu" : "main"); })
          .value("history_format", "", "A sample of them: `f64`, `f32`, or `i16`, 16 bits with a scale of 16 steps.",
                 [](const Planned& of) { return std::string(name_of_format(of.memory.format)); })
          .value("allowed_bytes", "bytes", "Memory that it may take: as given, or half of what is free; on a GPU all.",
                 &Planned::allowed)
          .value("checkpoints", "", "States from which segments of the run are computed again; 0: the histories fit.",
                 [](const Planned& of) { return of.memory.checkpoints; })
          .value("segments", "", "Segments of a pass, of which one has its history in memory at a time; 1: all.",
                 [](const Planned& of) { return of.memory.segments; })
          .value("state_bytes", "bytes", "Of `bytes` these states and that of the second run, in main memory.",
                 [](const Planned& of) { return of.memory.states; })
          .only_if("there are several segments", segmented)
          .value("predicted_seconds", "s",
                 "Predicted time of all its steps; fits of materials and figures of the loss come on top, mostly 0.1 "
                 "to 1 s.",
                 &Planned::seconds);
  return fields;
}

std::string gradient_text(const PlannedGradient& planned) {
  const AdjointMemory& memory = planned.memory;
  const std::string histories =
      fmt::format("{} wall nodes, whose histories take {} of {} memory in {}", planned.wall_nodes,
                  bytes_text(memory.histories), planned.on_gpu ? "GPU" : "main", name_of_format(memory.format));
  std::string again;
  if (memory.segments > 1)
    again = fmt::format("; {} steps at a time, computed again from {} checkpoint{} ({} of main memory)",
                        memory.segment_steps, memory.checkpoints, memory.checkpoints == 1 ? "" : "s",
                        bytes_text(memory.states));
  else if (!memory.all_passes)
    again = "; one pass at a time, computed again";
  return fmt::format("{:.4g} runs, whose steps take {:.3g} s; by {}; {}{}; {} in all beside the run", memory.runs,
                     planned.seconds, fmt::join(planned.materials, ", "), histories, again, bytes_text(memory.bytes));
}

}  // namespace fdtd

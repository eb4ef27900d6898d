// A run between two steps, on disk: all that is needed to go on as if it had never stopped.
//
// DIR/checkpoint.h5 is written aside, flushed and renamed; the one before it becomes DIR/checkpoint-previous.h5. So a run
// that dies at any moment, writing one included, leaves at least one whole checkpoint if there ever was one. Every piece
// carries its checksum (h5_index.hpp), judged before it is used. The state is in the plan's node order: any backend, with any number of threads, goes on
// from it, the same backend to the bit. It is written and read block by block: it may be larger than memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/fingerprint.hpp"
#include "engine/run/moment.hpp"

namespace fdtd {

// Beside the moment: which program and plan it belongs to.
struct CheckpointLabel {
  std::string version;  // of the program
  PlanFingerprint plan;
  std::vector<std::string> remarks;  // of the stencil's choice: an "auto" that measures would not choose the same twice
};

struct Checkpoint {
  CheckpointLabel label;
  Moment moment;
};

struct CheckpointFiles {
  explicit CheckpointFiles(const std::filesystem::path& folder);
  std::filesystem::path newest, previous;
};

// Makes `moment` the newest checkpoint and the newest the previous one. Throws Error (status file): the newest is then
// what it was, under one of the two names. The moment's state may be one whose arrays are read: by read_state, block by block.
void write_checkpoint(const CheckpointFiles& files, const CheckpointLabel& label, const Moment& moment);

// Calls put(bytes) with every block of an array of the state, as write_checkpoint does: what ranks that do not write have to do
// as well, part after part (Backend::state).
void read_state(const PlanFingerprint& plan, const State& state, StatePart part,
                const std::function<void(std::span<const std::byte>)>& put);

// Label alone: quick, whatever the size of the state.
CheckpointLabel read_checkpoint_label(const std::filesystem::path& file);

// Reads and judges; throws Error (status file): damaged, no checkpoint, of another version of the program, or of another
// plan than `here`, each with both values.
Checkpoint read_checkpoint(const std::filesystem::path& file, const CheckpointLabel& here);

// The same, but its state's arrays are read from the file when they are needed, each rank's own part of them; `judge`: all of them
// are judged now, which one rank does for all.
Checkpoint open_checkpoint(const std::filesystem::path& file, const CheckpointLabel& here, bool judge);

}  // namespace fdtd

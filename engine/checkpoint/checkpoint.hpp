// Checkpoints: the state of a run between two steps on disk, with all that is needed to resume it as if it had never
// stopped.
//
// DIR/checkpoint.h5 is written under a temporary name, flushed and renamed; the previous one becomes
// DIR/checkpoint-previous.h5. A run that dies at any moment, even while it writes a checkpoint, thus leaves at least
// one complete checkpoint once the first is written. Every piece has a checksum (h5_index.hpp), which is checked before
// it is used. The state is in the plan's node order: any backend, with any number of threads, can resume from it, and
// the same backend does so to the bit. It is written and read block by block, so it may be larger than memory. Once all
// passes are done, a checkpoint has their records and no state.
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

// The program and the plan that a moment belongs to.
struct CheckpointLabel {
  std::string version;  // of the program
  PlanFingerprint plan;
  std::vector<std::string> remarks;  // of the choice of the stencil, which "auto" would not repeat exactly
};

struct Checkpoint {
  CheckpointLabel label;
  Moment moment;
};

struct CheckpointFiles {
  explicit CheckpointFiles(const std::filesystem::path& folder);
  std::filesystem::path newest, previous;
};

// Writes `moment` as the newest checkpoint; the former newest becomes the previous one. Throws Error (status file):
// then the former newest still exists under one of the two names. A state whose arrays are read on demand is read by
// read_state.
void write_checkpoint(const CheckpointFiles& files, const CheckpointLabel& label, const Moment& moment);

// Calls put(bytes) with every block of an array of the state, as write_checkpoint does. Ranks that do not write call it
// as well, part by part (Backend::state).
void read_state(const PlanFingerprint& plan, const State& state, StatePart part,
                const std::function<void(std::span<const std::byte>)>& put);

// Reads only the label: fast for any size of the state.
CheckpointLabel read_checkpoint_label(const std::filesystem::path& file);

// Reads and checks; throws Error (status file): damaged, not a checkpoint, of another version of the program, or of
// another plan than `here`, each with both values.
Checkpoint read_checkpoint(const std::filesystem::path& file, const CheckpointLabel& here);

// The same, but the arrays of its state are read from the file on demand, by each rank its own part; `verify`: check
// all of them and that their values are finite now, which one rank does for all.
Checkpoint open_checkpoint(const std::filesystem::path& file, const CheckpointLabel& here, bool verify);

}  // namespace fdtd

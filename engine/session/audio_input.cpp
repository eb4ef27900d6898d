#include "engine/session/audio_input.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "engine/files/audio_reader.hpp"
#include "engine/system/machine.hpp"

namespace fdtd {

void require_memory(const std::string& file, double bytes, const char* purpose, const char* remedy) {
  const auto available = static_cast<double>(available_memory());
  if (bytes <= available) return;
  throw Error(Status::resource,
              fmt::format("{}: {} it needs {} of memory, {} are available", file, purpose, human_bytes(bytes),
                          human_bytes(available)),
              remedy);
}

void require_space(const std::string& file, double bytes) {
  std::error_code error;
  auto folder = std::filesystem::absolute(file).parent_path();
  // Where it is yet to be made, that of the folder above counts.
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  const auto space = std::filesystem::space(folder, error);
  if (error || space.available == 0 || bytes <= static_cast<double>(space.available)) return;
  throw Error(Status::file,
              fmt::format("{}: it would have {}, {} are free there", file, human_bytes(bytes),
                          human_bytes(static_cast<double>(space.available))),
              "free some space or choose another folder");
}

void require_unchanged(const std::string& file, const AudioHeader& judged, const AudioHeader& now) {
  const bool same_length = !now.frames_stated || now.frames == judged.frames;
  if (now.channels == judged.channels && now.sample_rate == judged.sample_rate && same_length) return;
  throw Error(Status::file, fmt::format("{}: it changes while it is read", file));
}

void require_whole(const std::string& file, const AudioHeader& judged, std::uint64_t read) {
  if (read != judged.frames) throw Error(Status::file, fmt::format("{}: it changes while it is read", file));
}

AudioHeader judge_audio(const std::string& file) {
  AudioHeader header = read_audio_header(file);
  if (!header.frames_stated) header.frames = count_frames(file);
  header.frames_stated = true;
  return header;
}

}  // namespace fdtd

// Files that appear whole or not at all: written under a temporary name in the same folder, flushed to disk, then
// renamed.
#pragma once

#include <filesystem>
#include <string_view>

namespace fdtd {

class AtomicFile {
 public:
  // Creates an empty temporary file beside `target`. Throws Error (status file) when the folder does not exist or
  // cannot be written, when `target` is not a regular file, or when it exists and `force` is false, so that a run can
  // find this out before it starts. A symbolic link is replaced by the file: what lies behind it stays as it is.
  AtomicFile(const std::filesystem::path& target, bool force);
  ~AtomicFile();  // removes the temporary file unless it was committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::filesystem::path& temporary() const { return temporary_; }  // the writer opens and closes it by this name
  // Flushes the temporary file to disk; after that the lack of space can no longer be an error. Throws Error (status
  // file).
  void flush();
  // Flushes unless `flush` was called, and renames. Throws Error (status file); then nothing has changed.
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  bool force_ = false, flushed_ = false, done_ = false;
};

// Whether the name, ".NAME.PROCESS-NUMBER.part", is that of a temporary file of AtomicFile.
bool is_temporary_name(std::string_view name);

// Writes `bytes` as the file `target`, or throws Error (status file) and leaves no file.
void write_whole_file(const std::filesystem::path& target, std::string_view bytes, bool force);

// Writes `path`, which may exist (the temporary file of an AtomicFile). Throws Error (status file), which names the
// file `name`.
void write_bytes(const std::filesystem::path& path, std::string_view bytes, const std::filesystem::path& name);
// Appends to `path` in the same way.
void append_bytes(const std::filesystem::path& path, std::string_view bytes, const std::filesystem::path& name);

// Throws what AtomicFile would throw, before any work is done, and leaves no file.
void check_writable(const std::filesystem::path& target, bool force);

}  // namespace fdtd

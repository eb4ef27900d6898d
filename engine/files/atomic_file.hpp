// Files that appear whole or not at all: written under a temporary name in the same folder, made durable, renamed.
#pragma once

#include <filesystem>
#include <string_view>

namespace fdtd {

class AtomicFile {
 public:
  // Creates an empty temporary file beside `target`. Throws Error (status file) when the folder does not exist or cannot be
  // written, when `target` is not a regular file, or when it exists and `force` is false: nothing is lost for a whole run
  // that is only told at its end. A symbolic link keeps pointing where it pointed: the file behind it is replaced.
  AtomicFile(const std::filesystem::path& target, bool force);
  ~AtomicFile();  // removes the temporary file unless it was committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::filesystem::path& temporary() const {
    return temporary_;
  }  // whoever writes opens and closes it by this name
  // Puts the temporary file's content on the disk: what can fail for want of space has then happened. Throws Error (file).
  void flush();
  // Flushes unless that is done and gives the file its name. Throws Error (status file); then nothing has changed.
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  bool force_ = false, flushed_ = false, done_ = false;
};

// Whether a file of this name, ".NAME.PROCESS-NUMBER.part", is an AtomicFile's temporary one.
bool is_temporary_name(std::string_view name);

// The whole of `bytes` as the file `target`, or an Error (status file) and no file.
void write_whole_file(const std::filesystem::path& target, std::string_view bytes, bool force);

// The plain write inside: fills `path`, which may exist (an AtomicFile's temporary file). Throws Error (status file), which
// calls the file `name`.
void write_bytes(const std::filesystem::path& path, std::string_view bytes, const std::filesystem::path& name);
// The same at the end of what `path` holds.
void append_bytes(const std::filesystem::path& path, std::string_view bytes, const std::filesystem::path& name);

// Throws what AtomicFile would, before any work is done, and leaves nothing behind.
void check_writable(const std::filesystem::path& target, bool force);

}  // namespace fdtd

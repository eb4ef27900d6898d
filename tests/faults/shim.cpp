// Loaded before the C library (LD_PRELOAD), lets one call of a program fail: FDTD_FAULT=KIND:N[:ERRNO].
//   write:N    the N-th write to a regular file, by write, pwrite or writev
//   sync:N     the N-th fsync
//   open:N     the N-th opening of a file to write
//   rename:N   the N-th rename, of any sort
//   bytes:N    a disk of N bytes: what goes beyond is cut off, later writes fail
//   lock:1     every flock
//   stop:N     the process stops (SIGSTOP) at the N-th write
//   slow:N     every N-th write takes as many milliseconds as the number in ERRNO's place
//   reserve:N  the N-th reserving of room on the disk (posix_fallocate)
//   thread:N   the N-th start of a thread
//   clock:N    every clock of the system goes back by N ms each time that it is read
//   alloc:N    the N-th allocation after a file *.toml was first opened: what the loader and the libraries' starts
//              take is theirs
// FDTD_FAULT_REPORT names a file that is made when the fault happens: the tests repeat until none does.
// Standard output and error never fail.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Fault {
  char kind[16] = {};
  long number = 0;
  int code = ENOSPC;
};

Fault read_fault() {
  Fault fault;
  const char* const text = std::getenv("FDTD_FAULT");
  if (text == nullptr) return fault;
  const char* const colon = std::strchr(text, ':');
  if (colon == nullptr || colon - text >= static_cast<long>(sizeof fault.kind)) return fault;
  std::memcpy(fault.kind, text, static_cast<std::size_t>(colon - text));
  char* rest = nullptr;
  fault.number = std::strtol(colon + 1, &rest, 10);
  if (*rest == ':') fault.code = std::atoi(rest + 1);
  return fault;
}

const Fault& fault() {
  static const Fault one = read_fault();
  return one;
}

void report() {
  if (const char* const file = std::getenv("FDTD_FAULT_REPORT"))
    ::close(real<int(const char*, int, ...)>("open")(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

std::atomic<long> calls{0};

// Whether this call of `kind` is the one; errno is then set.
bool fails(const char* kind) {
  if (std::strcmp(fault().kind, kind) != 0 || ++calls != fault().number) return false;
  report();
  errno = fault().code;
  return true;
}

// Calls that do not fail, but take their time, or for ever.
void delay() {
  if (fails("stop")) raise(SIGSTOP);
  if (std::strcmp(fault().kind, "slow") != 0 || ++calls % fault().number != 0) return;
  report();
  usleep(1000U * static_cast<unsigned>(fault().code));
}

bool counts(int file) {
  struct stat status {};
  if (file <= 2 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  char link[32] = {}, place[10] = {};  // what is in memory is on no disk
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  return readlink(link, place, sizeof place - 1) < 0 || std::strcmp(place, "/dev/shm/") != 0;
}

// Of `size` bytes those that the disk still takes; -1 when it takes none.
ssize_t room_for(std::size_t size) {
  static std::atomic<long> left{fault().number};
  if (std::strcmp(fault().kind, "bytes") != 0) return static_cast<ssize_t>(size);
  const long before = left.fetch_sub(static_cast<long>(size));
  if (before >= static_cast<long>(size)) return static_cast<ssize_t>(size);
  report();
  if (before > 0) return before;
  errno = ENOSPC;
  return -1;
}

std::atomic<bool> armed{false};

bool alloc_fails() {
  if (!armed || !fails("alloc")) return false;
  errno = ENOMEM;
  return true;
}

bool open_fails(const char* path, int flags) {
  const std::size_t length = std::strlen(path);
  if (length > 5 && std::strcmp(path + length - 5, ".toml") == 0) armed = true;
  return (flags & (O_WRONLY | O_RDWR)) != 0 && (flags & O_CREAT) != 0 && fails("open");
}

mode_t mode_of(int flags, va_list list) { return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0; }

}  // namespace

#define FDTD_SHIM extern "C" __attribute__((visibility("default")))

FDTD_SHIM int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_fails(path, flags) ? -1 : real<int(const char*, int, ...)>("open")(path, flags, mode);
}

FDTD_SHIM int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_fails(path, flags) ? -1 : real<int(const char*, int, ...)>("open64")(path, flags, mode);
}

// The call by which std::ifstream opens.
FDTD_SHIM FILE* fopen(const char* path, const char* mode) {
  if (open_fails(path, std::strchr(mode, 'w') != nullptr ? O_WRONLY | O_CREAT : O_RDONLY)) return nullptr;
  return real<FILE*(const char*, const char*)>("fopen")(path, mode);
}

FDTD_SHIM FILE* fopen64(const char* path, const char* mode) {
  if (open_fails(path, std::strchr(mode, 'w') != nullptr ? O_WRONLY | O_CREAT : O_RDONLY)) return nullptr;
  return real<FILE*(const char*, const char*)>("fopen64")(path, mode);
}

FDTD_SHIM ssize_t write(int file, const void* bytes, std::size_t size) {
  const auto real_write = real<ssize_t(int, const void*, std::size_t)>("write");
  if (!counts(file)) return real_write(file, bytes, size);
  delay();
  if (fails("write")) return -1;
  const ssize_t room = room_for(size);
  return room < 0 ? -1 : real_write(file, bytes, static_cast<std::size_t>(room));
}

FDTD_SHIM ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t place) {
  const auto real_write = real<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  if (!counts(file)) return real_write(file, bytes, size, place);
  delay();
  if (fails("write")) return -1;
  const ssize_t room = room_for(size);
  return room < 0 ? -1 : real_write(file, bytes, static_cast<std::size_t>(room), place);
}

FDTD_SHIM ssize_t pwrite64(int file, const void* bytes, std::size_t size, off_t place) {
  return pwrite(file, bytes, size, place);
}

FDTD_SHIM ssize_t writev(int file, const iovec* parts, int count) {
  if (counts(file)) {
    delay();
    if (fails("write")) return -1;
  }
  return real<ssize_t(int, const iovec*, int)>("writev")(file, parts, count);
}

FDTD_SHIM int fsync(int file) { return fails("sync") ? -1 : real<int(int)>("fsync")(file); }

FDTD_SHIM int posix_fallocate(int file, off_t place, off_t size) {
  return fails("reserve") ? errno : real<int(int, off_t, off_t)>("posix_fallocate")(file, place, size);
}

FDTD_SHIM int posix_fallocate64(int file, off64_t place, off64_t size) {
  return fails("reserve") ? errno : real<int(int, off64_t, off64_t)>("posix_fallocate64")(file, place, size);
}

// Clocks of processor time are not concerned.
FDTD_SHIM int clock_gettime(clockid_t clock, timespec* time) {
  const int status = real<int(clockid_t, timespec*)>("clock_gettime")(clock, time);
  const bool of_the_day = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
  if (status != 0 || !of_the_day || std::strcmp(fault().kind, "clock") != 0) return status;
  const long back = 1'000'000 * fault().number * ++calls;  // ns
  const long whole = 1'000'000'000 * time->tv_sec + time->tv_nsec - back;
  time->tv_sec = whole / 1'000'000'000;
  time->tv_nsec = whole % 1'000'000'000;
  return 0;
}

FDTD_SHIM int rename(const char* from, const char* to) {
  return fails("rename") ? -1 : real<int(const char*, const char*)>("rename")(from, to);
}

FDTD_SHIM int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (fails("rename")) return -1;
  return real<int(int, const char*, int, const char*, unsigned)>("renameat2")(from_folder, from, to_folder, to, flags);
}

FDTD_SHIM int flock(int file, int operation) {
  if (std::strcmp(fault().kind, "lock") != 0) return real<int(int, int)>("flock")(file, operation);
  errno = ENOLCK;
  return -1;
}

FDTD_SHIM void* malloc(std::size_t size) { return alloc_fails() ? nullptr : __libc_malloc(size); }
FDTD_SHIM void* calloc(std::size_t count, std::size_t size) {
  return alloc_fails() ? nullptr : __libc_calloc(count, size);
}
FDTD_SHIM void* realloc(void* old, std::size_t size) { return alloc_fails() ? nullptr : __libc_realloc(old, size); }
FDTD_SHIM void* memalign(std::size_t alignment, std::size_t size) {
  return alloc_fails() ? nullptr : __libc_memalign(alignment, size);
}
FDTD_SHIM void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
FDTD_SHIM int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  *out = memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}

FDTD_SHIM int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* value) {
  if (fails("thread")) return EAGAIN;
  using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  return real<Create>("pthread_create")(thread, attributes, start, value);
}

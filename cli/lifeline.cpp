#include "cli/lifeline.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/error.hpp"

namespace fdtd::cli {
namespace {

constexpr char begins = 'b', stop = 's';  // the messages: a byte each

struct Address {
  sockaddr_un socket{};
  socklen_t size = 0;
};

// False for a name that is too long.
bool address_of(const std::string& name, Address& address) {
  address.socket.sun_family = AF_UNIX;
  if (name.empty() || name.size() + 1 > sizeof(address.socket.sun_path)) return false;
  std::memcpy(address.socket.sun_path + 1, name.data(), name.size());  // after a zero: the abstract namespace
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return true;
}

// Of the other end; false where it belongs to another user.
bool same_user(int file, pid_t& process) {
  ucred other{};
  socklen_t size = sizeof(other);
  if (::getsockopt(file, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0 || other.uid != ::geteuid()) return false;
  process = other.pid;
  return true;
}

int new_socket() { return ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

void send_byte(int file, char byte) { (void)!::send(file, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT); }

// 1 and the byte; 0 where the other end is gone; -1 where nothing has arrived.
int receive_byte(int file, char& byte) {
  ssize_t bytes = 0;
  do bytes = ::recv(file, &byte, 1, MSG_DONTWAIT);
  while (bytes < 0 && errno == EINTR);
  if (bytes < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : 0;
  return bytes > 0 ? 1 : 0;
}

}  // namespace

Lifelines::Lifelines() {
  const auto failed = [] {
    return Error(Status::resource, fmt::format("cannot listen for ranks: {}", std::generic_category().message(errno)),
                 "start the ranks by mpirun yourself, and use --device cuda");
  };
  std::uint64_t token = 0;
  if (::getrandom(&token, sizeof(token), 0) != sizeof(token)) throw failed();
  name_ = fmt::format("fdtd-{}-{:016x}", ::getpid(), token);
  Address address;
  address_of(name_, address);
  listening_ = new_socket();
  if (listening_ < 0) throw failed();
  if (::bind(listening_, reinterpret_cast<const sockaddr*>(&address.socket), address.size) != 0 ||
      ::listen(listening_, SOMAXCONN) != 0) {
    const Error error = failed();
    ::close(listening_);
    throw error;
  }
}

Lifelines::~Lifelines() {
  for (const Rank& rank : ranks_) ::close(rank.file);
  ::close(listening_);
}

void Lifelines::watch(std::vector<pollfd>& files) const {
  files.push_back({listening_, POLLIN, 0});
  for (const Rank& rank : ranks_) files.push_back({rank.file, POLLIN, 0});
}

void Lifelines::serve() {
  for (int file = 0; (file = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
    Rank rank{file, 0};
    if (!same_user(file, rank.process)) {
      ::close(file);
      continue;
    }
    ++seen_;
    ranks_.push_back(rank);
    if (stopping_) send_byte(file, stop);
  }
  std::erase_if(ranks_, [&](const Rank& rank) {
    char byte = 0;
    int got = 0;
    while ((got = receive_byte(rank.file, byte)) > 0)
      if (byte == begins) ++running_;
    if (got == 0) ::close(rank.file);
    return got == 0;
  });
}

void Lifelines::request_stop() {
  stopping_ = true;
  for (const Rank& rank : ranks_) send_byte(rank.file, stop);
}

// A connection that is open belongs to a process that lives, so its number cannot be that of another.
void Lifelines::kill() const {
  for (const Rank& rank : ranks_)
    if (rank.process > 0) ::kill(rank.process, SIGKILL);
}

Lifeline::Lifeline() {
  const char* const text = std::getenv(Lifelines::variable);
  if (text == nullptr) return;
  Address address;
  const bool named = address_of(text, address);
  ::unsetenv(Lifelines::variable);
  if (!named) return;
  file_ = new_socket();
  if (file_ < 0) return;
  pid_t launcher = 0;
  if (::connect(file_, reinterpret_cast<const sockaddr*>(&address.socket), address.size) == 0 &&
      same_user(file_, launcher)) {
    std::signal(SIGUSR1, SIG_IGN);  // it would end a rank that plans, or writes its results
    return;
  }
  ::close(file_);
  file_ = -1;
}

Lifeline::~Lifeline() {
  if (file_ >= 0) ::close(file_);
}

void Lifeline::begin_steps() const {
  if (file_ >= 0) send_byte(file_, begins);
}

bool Lifeline::told_to_stop() {
  char byte = 0;
  if (!told_ && file_ >= 0) told_ = receive_byte(file_, byte) >= 0;
  return told_;
}

}  // namespace fdtd::cli

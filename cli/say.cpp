#include "cli/say.hpp"

#include <cerrno>
#include <system_error>

#include "scenes/utf8.hpp"

namespace fdtd::cli {

void put_text(std::string_view text) {
  const std::string shown = printable(text);
  if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size())
    throw std::system_error(errno, std::generic_category(), "cannot be written");
}

void say_text(std::string_view text) {
  const std::string shown = printable(text);
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

void say_over(std::string_view line) {
  const std::string shown = "\r" + printable(line) + "\x1b[K";
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

}  // namespace fdtd::cli

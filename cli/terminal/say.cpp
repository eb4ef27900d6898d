#include "cli/terminal/say.hpp"

#include <cerrno>
#include <system_error>

#include "base/utf8.hpp"
#include "cli/terminal/lines.hpp"

namespace fdtd::cli {

namespace {

void write_out(const std::string& shown) {
  if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size())
    throw std::system_error(errno, std::generic_category(), "cannot be written");
}

}  // namespace

void put_text(std::string_view text) { write_out(in_columns(printable(text), line_columns())); }

void put_document(std::string_view text) { write_out(printable(text)); }

void say_text(std::string_view text) {
  const std::string shown = in_columns(printable(text), line_columns());
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

void say_over(std::string_view line) {
  const std::string shown = "\r" + std::string(cut_to(printable(line), line_columns() - 1)) + "\x1b[K";
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

}  // namespace fdtd::cli

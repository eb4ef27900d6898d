#include "cli/terminal/error_text.hpp"

#include <fmt/format.h>

#include "base/problem.hpp"
#include "base/utf8.hpp"

namespace fdtd::cli {

std::string error_text(const Error& error) {
  constexpr std::size_t max_of_hint = 600, for_words = 20;
  const std::string hint = shortened(printable(error.remedy), max_of_hint);
  std::string text =
      fmt::format("fdtd: {}\n", shortened(printable(error.what()), longest_message - for_words - hint.size()));
  if (!hint.empty()) text += fmt::format("  hint: {}\n", hint);
  return text;
}

}  // namespace fdtd::cli

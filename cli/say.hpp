// Messages beside the results, on stderr.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace fdtd::cli {

// Like fmt::print(stderr, ...), but without its exception when nothing can be written: a long run must not end because
// the disk of its log is full.
template <class... Values>
void say(fmt::format_string<Values...> text, Values&&... values) {
  const std::string line = fmt::format(text, std::forward<Values>(values)...);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace fdtd::cli

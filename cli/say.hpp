// What the program says beside its results, on stderr.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace fdtd::cli {

// As fmt::print(stderr, ...), which throws where nothing can be written: a run of days must not end because the disk that its
// log is on is full.
template <class... Values>
void say(fmt::format_string<Values...> text, Values&&... values) {
  const std::string line = fmt::format(text, std::forward<Values>(values)...);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace fdtd::cli

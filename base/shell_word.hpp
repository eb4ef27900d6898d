// Commands that messages print, to be copied into a shell.
#pragma once

#include <string>
#include <string_view>

namespace fdtd {

// The text as one word of a POSIX shell: in single quotes where a shell would take it apart.
std::string shell_word(std::string_view text);

}  // namespace fdtd

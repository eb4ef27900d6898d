// Long lines of text for a terminal: broken at blanks, the rest of a row under its value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fdtd::cli {

// Columns that a printed line may take: COLUMNS of the environment, from 40 on, else 80. A pipe has no width of its own.
std::size_t line_columns();

// The same text with no line longer than `columns`. A line continues below its value where it is a row ("name   value"),
// else two columns further in than it begins. A word that is longer than a line stays whole, so that a path can be
// copied; lines quoted from a file (" 12 | text") stay as they are, since a caret points into them.
std::string in_columns(std::string_view text, std::size_t columns);

// The first `columns` characters.
std::string_view cut_to(std::string_view line, std::size_t columns);

}  // namespace fdtd::cli

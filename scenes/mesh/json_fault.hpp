// Where a text is no JSON, in words of our own and with the place.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace fdtd {

// `error`: that of nlohmann's parser for `text`. "line 12, column 5: the text ends", or where the place is unknown
// "a value is of the wrong kind".
std::string json_fault(std::string_view text, const std::exception& error);

}  // namespace fdtd

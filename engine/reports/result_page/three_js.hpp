// three.js, which draws the room in a page (https://threejs.org, MIT), as CMake found it.
#pragma once

#include <string_view>

namespace fdtd {

// Compressed by gzip; empty where the program was built with FDTD_THREE_JS=OFF.
std::string_view three_js();
// The text that every copy has to carry.
std::string_view three_js_licence();

}  // namespace fdtd

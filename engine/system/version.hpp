// Which program this is: told by --version, `fdtd doctor` and every result.
#pragma once

#include <string>

namespace fdtd {

std::string version();            // "0.1.0"
std::string commit();             // "1a2b3c4d5e", "-dirty" behind it where the tree was not its; "" outside a checkout
std::string build_description();  // compiler, build type, flags, commit where there was one
std::string program_print();  // all of it; of a tree that no commit names what the program's own bytes hash to as well
std::string version_line();   // "fdtd 0.1.0 (GNU 12.2.0, Release (-O3 -DNDEBUG), commit 1a2b3c4d5e)"

}  // namespace fdtd

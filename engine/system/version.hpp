// Which program this is: printed by --version and `fdtd doctor`, stored in every result.
#pragma once

#include <string>

namespace fdtd {

std::string version();            // "0.2.0"
std::string commit();             // "1a2b3c4d5e", with "-dirty" if the tree differed from it; "" outside a checkout
std::string build_description();  // compiler, build type, flags, commit if known
std::string program_print();      // all of it; without a clean commit also a hash of the program's own bytes
std::string version_line();       // "fdtd 0.2.0 (GNU 12.2.0, Release (-O3 -DNDEBUG), commit 1a2b3c4d5e)"
std::string citation();           // of this version, as BibTeX

}  // namespace fdtd

// Catch2's own main is compiled once: in version 2 it is all of Catch2, and takes as long as ten files of tests.
#pragma once

namespace fdtd::test {

// Runs the tests that the arguments name; the exit status is Catch2's.
int run_tests(int argc, char** argv);

}  // namespace fdtd::test

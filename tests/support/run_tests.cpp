#include "tests/support/run_tests.hpp"

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

namespace fdtd::test {

int run_tests(int argc, char** argv) { return Catch::Session().run(argc, argv); }

}  // namespace fdtd::test

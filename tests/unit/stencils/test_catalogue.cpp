#include "stencils/catalogue.hpp"

#include <set>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("names are unique, and a plain name is the textbook member", "[catalogue]") {
  std::set<std::string> names;
  for (const Stencil& stencil : catalogue()) {
    CHECK(names.insert(stencil.name).second);
    CHECK(find_stencil(stencil.name) == &stencil);
    CHECK(stencil.name.substr(stencil.name.find('/') + 1) == stencil.variant);
  }
  CHECK(find_stencil("leggy-4")->name == "leggy-4/taylor");
  CHECK(find_stencil("leggy-21") == nullptr);
  CHECK(find_stencil("") == nullptr);
}

TEST_CASE("a misspelt name has a nearest one", "[catalogue]") {
  CHECK(nearest_stencil_name("legy-4") == "leggy-4");
  CHECK(nearest_stencil_name("leggy-8/tailor") == "leggy-8/taylor");
  CHECK_FALSE(nearest_stencil_name(std::string(100000, 'x')).empty());
}

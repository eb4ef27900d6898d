#include "scenes/starter/nearest_entry.hpp"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("nearest_entry: words of a name suggest a material, and none where no word does") {
  const std::vector<std::pair<std::string, std::string>> suggested = {{"Wall_Brick.001", "brick"},
                                                                      {"FloorCarpet", "carpet"},
                                                                      {"drywall", "plasterboard"},
                                                                      {"Window 3", "glass"},
                                                                      {"[Acoustic Tile]", "ceiling-tile"},
                                                                      {"concrete_rough", "concrete-rough"},
                                                                      {"Rough concrete floor", "concrete-rough"},
                                                                      {"Seats", "chairs"},
                                                                      {"Wood_Cherry_Original", "wood-solid"},
                                                                      {"Wood_OSB", "wood-solid"},
                                                                      {"Wood_Floor_Dark", "wood-floor"},
                                                                      {"WOODEN DOOR", "wooden-door"}};
  for (const auto& [name, entry] : suggested) {
    const LibraryMaterial* const found = nearest_entry(name);
    CAPTURE(name);
    REQUIRE(found != nullptr);
    CHECK(found->name.find(entry) != std::string::npos);
  }
  // Places and qualities are no materials, and an absorber of ceilings is no sheet of metal.
  for (const char* name : {"", "default", "Material.001", "wall", "Floor", "ceiling", "Color_008", "a", "Rough"}) {
    CAPTURE(name);
    CHECK(nearest_entry(name) == nullptr);
  }
  const LibraryMaterial* const metal = nearest_entry("Metal_Rough");
  CHECK((metal == nullptr || metal->name.find("ceiling") == std::string::npos));
}

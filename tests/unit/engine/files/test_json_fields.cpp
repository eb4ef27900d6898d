#include "engine/files/json_fields.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

struct Shelf {
  double width = 0.5;
  std::vector<std::string> books;
};

struct Library {
  std::string name = "north";
  bool open = false;
  std::optional<double> rent;
  std::array<double, 3> place{1.0, 2.0, 3.0};
  std::vector<std::optional<double>> levels{1.0, std::nullopt};
  std::vector<std::array<int, 2>> doors{{1, 2}, {3, 4}};
  Shelf first;
  std::vector<Shelf> shelves;
};

const JsonFields<Shelf>& shelf_fields() {
  static const auto fields = JsonFields<Shelf>()
                                 .value("width", "m", "Its width.", &Shelf::width)
                                 .value("books", "", "Titles.", &Shelf::books)
                                 .only_if("it has books", [](const Shelf& shelf) { return !shelf.books.empty(); });
  return fields;
}

JsonFields<Library> library_fields() {
  return JsonFields<Library>()
      .value("name", "", "Its name.", &Library::name)
      .value("open", "", "Is it open?", &Library::open)
      .value("count", "", "Shelves.", [](const Library& of) { return of.shelves.size(); })
      .value("rent", "m", "Null: none.", &Library::rent)
      .value("place", "m", "Its place.", &Library::place)
      .value("levels", "dB", "Levels.", &Library::levels)
      .value("doors", "", "Doors.", &Library::doors)
      .value("keys", "", "Keys.",
             [](const Library&) {
               return TextsByName{{"front", "a"}, {"back", "b"}};
             })
      .object("first", "A shelf.", shelf_fields(), &Library::first)
      .only_if("it is open", &Library::open)
      .list("shelves", "All of them.", shelf_fields(), &Library::shelves)
      .elements("it is furnished")
      .include(shelf_fields(), &Library::first)
      .elsewhere();
}

const JsonField* find(const std::vector<JsonField>& list, const std::string& path) {
  for (const JsonField& field : list)
    if (field.path == path) return &field;
  return nullptr;
}

}  // namespace

TEST_CASE("fields write the values of an object in their order") {
  Library library;
  CHECK(library_fields().write(library).dump() ==
        R"({"name":"north","open":false,"count":0,"rent":null,"place":[1.0,2.0,3.0],"levels":[1.0,null],)"
        R"("doors":[[1,2],[3,4]],"keys":{"front":"a","back":"b"},"shelves":[],"width":0.5})");
  library.open = true;
  library.rent = 2.5;
  library.shelves = {{0.25, {"A"}}, {}};
  library.first.books = {"B", "C"};
  CHECK(library_fields().write(library).dump() ==
        R"({"name":"north","open":true,"count":2,"rent":2.5,"place":[1.0,2.0,3.0],"levels":[1.0,null],)"
        R"("doors":[[1,2],[3,4]],"keys":{"front":"a","back":"b"},"first":{"width":0.5,"books":["B","C"]},)"
        R"("shelves":[{"width":0.25,"books":["A"]},{"width":0.5}],"width":0.5,"books":["B","C"]})");
  CHECK(json_list(shelf_fields(), library.shelves).size() == 2);
}

TEST_CASE("the types of fields follow from their values, conditions from the field around them") {
  const std::vector<JsonField> all = library_fields().all();
  const auto type = [&](const std::string& path) {
    INFO(path);
    REQUIRE(find(all, path) != nullptr);
    return find(all, path)->type;
  };
  CHECK(type("name") == "text");
  CHECK(type("open") == "true or false");
  CHECK(type("count") == "whole number");
  CHECK(type("rent") == "number or null");
  CHECK(type("place") == "three numbers");
  CHECK(type("levels") == "list of numbers or nulls");
  CHECK(type("doors") == "list of lists");
  CHECK(type("keys") == "object of texts");
  CHECK(type("first") == "object");
  CHECK(type("first.width") == "number");
  CHECK(type("shelves") == "list of objects");
  CHECK(type("shelves[].books") == "list of texts");
  CHECK(all.size() == 16);

  CHECK(find(all, "rent")->unit == "m");
  CHECK(find(all, "rent")->about == "Null: none.");
  CHECK(find(all, "first")->when == "it is open");
  CHECK(find(all, "first.width")->when == "it is open");
  CHECK(find(all, "first.books")->when == "it has books");
  CHECK(find(all, "shelves")->when.empty());
  CHECK(find(all, "shelves[].width")->when == "it is furnished");
  CHECK_FALSE(find(all, "shelves[].width")->elsewhere);
  CHECK(find(all, "width")->elsewhere);
}

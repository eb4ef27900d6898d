#include "engine/files/data_uri.hpp"

#include "tests/support/catch.hpp"

namespace fdtd::test {

TEST_CASE("bytes become the text of RFC 4648's test vectors") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe\xfd") == "//79");
  CHECK(data_uri("audio/flac", "foob") == "data:audio/flac;base64,Zm9vYg==");
}

}  // namespace fdtd::test

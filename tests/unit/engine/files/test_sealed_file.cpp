#include "engine/files/sealed_file.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <limits>
#include <stdexcept>

#include <sys/stat.h>

#include "base/error.hpp"
#include "engine/files/checksum.hpp"
#include "engine/files/h5.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

std::vector<double> ramp(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 0.25 * static_cast<double>(i) - 7.0;
  return values;
}

// A file with one of everything, and an array of more than two pieces.
void write_example(const fs::path& path) {
  H5File file = H5File::create(path, path);
  file.set("/", "one", 1.5);
  file.set("/", "many", std::span<const double>(ramp(3)));
  file.group("/a");
  file.set("/a", "whole", std::int64_t{-3});
  file.set("/a", "text", std::string("Sch\u00f6n"), 32);
  file.set("/a", "texts", std::vector<std::string>{"", "two", "three"});
  file.set("/a", "none", std::vector<std::string>{});
  file.write<double>("/a/long", ramp(300000));
  file.write<float>("/a/float", std::vector<float>{1.0F, -2.0F});
  file.write<std::uint8_t>("/a/bytes", std::vector<std::uint8_t>{1, 2, 3});
  file.write<std::int64_t>("/a/empty", std::vector<std::int64_t>{});
  const std::vector<double> row = ramp(5);
  file.write_rows<double>("/rows", {row, row});
  file.close();
}

void read_example(const fs::path& path) {
  const SealedFile file = SealedFile::open(path);
  CHECK(file.number("/", "one") == 1.5);
  CHECK(file.numbers("/", "many") == ramp(3));
  CHECK(file.integer("/a", "whole") == -3);
  CHECK(file.text("/a", "text") == "Sch\u00f6n");
  CHECK(file.texts("/a", "texts") == std::vector<std::string>{"", "two", "three"});
  CHECK(file.texts("/a", "none").empty());
  CHECK((file.read<double>("/a/long") == ramp(300000)));
  CHECK(file.read<float>("/a/float") == std::vector<float>{1.0F, -2.0F});
  CHECK(file.read<std::uint8_t>("/a/bytes") == std::vector<std::uint8_t>{1, 2, 3});
  CHECK(file.read<std::int64_t>("/a/empty").empty());
  CHECK(file.shape("/rows") == std::vector<std::int64_t>{2, 5});
  CHECK(file.read<double>("/rows").size() == 10);
  CHECK(file.names("/") == std::vector<std::string>{"a", "rows"});
  CHECK(file.names("/a") == std::vector<std::string>{"bytes", "empty", "float", "long"});
  CHECK((file.exists("/") && file.exists("/a/long") && !file.exists("/b")));
  CHECK((file.has("/a", "text") && !file.has("/a", "other") && !file.has("/b", "text")));
}

void put(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    CHECK(error.status == Status::file);
    return std::string(error.what()) + " | " + error.remedy;
  }
  return "";
}

std::string word(std::uint64_t value, int bytes = 8) {
  std::string out;
  for (int i = 0; i < bytes; ++i, value >>= 8) out += static_cast<char>(value & 0xFF);
  return out;
}

std::string text(const std::string& text) { return word(text.size(), 4) + text; }

// A file of `length` bytes and this index, every hash as it should be: what a forger can make.
std::string forged(const std::string& index, std::uint64_t length, std::uint64_t claimed) {
  const std::string image(static_cast<std::size_t>(length), 'x');
  std::string seal = "fdtdindx" + word(claimed) + word(length > 0 ? seal_hash(image) : 0);
  return image + index + seal + word(seal_hash(seal, seal_hash(index)));
}

}  // namespace

TEST_CASE("what is written as HDF5 is read again by its index, to the last bit") {
  const TemporaryFolder folder;
  write_example(folder.path() / "a.h5");
  read_example(folder.path() / "a.h5");
  fs::create_symlink("a.h5", folder.path() / "link.h5");
  read_example(folder.path() / "link.h5");
}

TEST_CASE("any change, loss or addition of bytes is found before they are used") {
  const TemporaryFolder folder;
  const fs::path good = folder.path() / "good.h5", bad = folder.path() / "bad.h5";
  write_example(good);
  const std::string whole = read_file(good);
  const auto read_all = [&] {
    const SealedFile file = SealedFile::open(bad);
    file.read<double>("/a/long");
    file.read<float>("/a/float");
    file.read<std::uint8_t>("/a/bytes");
    file.read<double>("/rows");
  };
  const auto broken = [&](const std::string& bytes) {
    put(bad, bytes);
    return refusal(read_all) != "";
  };
  CHECK_FALSE(broken(whole));
  for (std::size_t at = 0; at < whole.size(); at += at + 5000 < whole.size() ? 40009 : 7) {
    std::string other = whole;
    other[at] = static_cast<char>(other[at] ^ 0x20);
    INFO("byte " << at << " of " << whole.size());
    CHECK(broken(other));
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{31}, whole.size() / 2, whole.size() - 1})
    CHECK(broken(whole.substr(0, length)));
  CHECK(broken(whole + "\n"));
  CHECK(broken("\n" + whole));
}

TEST_CASE("runs of an array are read by the pieces they lie in, and by no other") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a.h5";
  std::vector<float> values(700'000);  // 2.67 pieces
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) + 0.5F;
  {
    H5File file = H5File::create(path, path);
    file.write<float>("/x", values);
    file.close();
  }
  const auto expect = [&](const Runs& runs) {
    std::vector<float> wanted;
    for (std::int64_t run = 0; run < runs.count; ++run)
      for (std::int64_t i = 0; i < runs.length; ++i)
        wanted.push_back(values[static_cast<std::size_t>(runs.first + run * runs.stride + i)]);
    CHECK((SealedFile::open(path).read<float>("/x", runs) == wanted));
  };
  for (const Runs& runs : {Runs{0, 700'000},
                           {699'999, 1},
                           {700'000, 0},
                           {3, 10, 69'999, 10},
                           {5, 1, 7, 99'999},
                           {262'140, 8},
                           {262'140, 8, 3, 150'000},
                           {0, 300'000, 2, 400'000}})
    expect(runs);
  const auto refused = [&](const Runs& runs) {
    return refusal([&] { SealedFile::open(path).read<float>("/x", runs); });
  };
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  for (const Runs& runs : {Runs{-1, 1},
                           {0, -1},
                           {0, 1, 0},
                           {0, 1, -1, 1},
                           {0, 700'001},
                           {700'000, 1},
                           {huge, huge},
                           {0, 2, 2, 1},
                           {0, 0, huge, 0},
                           {0, 1, huge, huge},
                           {1, 100'000, 7, 100'000}})
    CHECK_THAT(refused(runs), Contains("/x has no"));
  // A byte of the middle piece: what does not touch it is read as before.
  std::string bytes = read_file(path);
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&values[400'000]), 64));
  REQUIRE(at != bytes.npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  put(path, bytes);
  expect({0, 262'144});
  expect({10, 100, 2, 600'000});
  CHECK_THAT(refused({300'000, 1}), Contains("bytes of /x do not match their checksum"));
  CHECK_THAT(refused({10, 100, 2, 350'000}), Contains("bytes of /x do not match their checksum"));
}

TEST_CASE("an attribute or array that is not there, or of another kind, is reported by its name") {
  const TemporaryFolder folder;
  write_example(folder.path() / "a.h5");
  const SealedFile file = SealedFile::open(folder.path() / "a.h5");
  CHECK_THAT(refusal([&] { file.number("/", "two"); }), Contains("a.h5: / has no attribute two"));
  CHECK_THAT(refusal([&] { file.integer("/", "one"); }), Contains("attribute one of / is of an unexpected kind"));
  CHECK_THAT(refusal([&] { file.read<double>("/b"); }), Contains("has no array /b"));
  CHECK_THAT(refusal([&] { file.read<float>("/a/long"); }), Contains("/a/long is of an unexpected kind"));
  CHECK_THAT(refusal([&] { file.names("/b"); }), Contains("has no group /b"));
}

TEST_CASE("a forged index, its hashes right, is refused for what it says and takes no memory for it") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "forged.h5";
  const std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  const auto array = [](std::uint64_t extent, std::uint64_t offset, const std::string& name = "/x") {
    std::string out = "\x02";
    return out.append(text(name)).append("\x02\x01").append(word(extent)).append(word(offset));  // f32, one dimension
  };
  const auto reported = [&](const std::string& index, const std::string& because, std::uint64_t claimed = 100) {
    put(path, forged(index, 100, claimed));
    const std::string why = refusal([&] { SealedFile::open(path); });
    INFO(why);
    return why.find(because) != std::string::npos;
  };
  CHECK(reported("", "states more bytes than it has", 101));
  CHECK(reported("", "states more bytes than it has", huge));
  CHECK(reported("\x07" + text("/x"), "entry of an unknown kind"));
  CHECK(reported("\x01" + text("/x") + "\x01" + text("/x"), "one entry twice"));
  CHECK(reported("\x01" + word(0xFFFFFFFF, 4), "impossible length"));
  CHECK(reported("\x01" + word(1000, 4) + "/x", "ends early"));
  CHECK(reported("\x01", "ends early"));
  CHECK(reported(array(25, 1) + word(0), "/x lies beyond"));
  CHECK(reported(array(25, huge) + word(0), "/x lies beyond"));
  CHECK(reported(array(26, 0) + word(0), "/x lies beyond"));
  CHECK(reported(array(huge, 0), "impossible size"));
  CHECK(reported(array(huge / 4, 0), "impossible size"));
  CHECK(reported(array(huge / 8, 0), "ends early"));  // as many hashes as it has pieces
  CHECK(reported(array(20, 0) + word(0) + array(10, 40, "/y") + word(0), "overlap"));
  CHECK(reported("\x02" + text("/x") + "\x05\x01", "unknown type"));
  CHECK(reported("\x02" + text("/x") + "\x02\x09", "too many dimensions"));
  CHECK(reported("\x03" + text("/") + text("a") + "\x06" + word(1), "value of an unknown kind"));
  CHECK(reported("\x03" + text("/") + text("a") + "\x03" + word(huge), "states more entries than it holds"));
  CHECK(reported("\x03" + text("/") + text("a") + "\x05" + word(std::uint64_t{1} << 40),
                 "states more entries than it holds"));
  CHECK(reported("\x03" + text("/") + text("a") + "\x01" + word(2) + word(0) + word(0), "impossible number"));
  CHECK(reported("\x01" + text("/x"), ""));
  CHECK(refusal([&] { SealedFile::open(path); }).empty());  // that one is in order
  put(path, forged(array(25, 0) + word(1), 100, 100));
  CHECK_THAT(refusal([&] { SealedFile::open(path); }), Contains("do not match their checksum"));  // hash of no gap
  std::string wrong = forged(array(20, 0) + word(1), 100, 100);
  put(path, wrong);
  CHECK_FALSE(refusal([&] { SealedFile::open(path).read<float>("/x"); }).empty());
}

TEST_CASE("devices, pipes, folders and files of others are reported by what they are, and never waited for") {
  const TemporaryFolder folder;
  const auto reported = [&](const fs::path& path) { return refusal([&] { SealedFile::open(path); }); };
  REQUIRE(::mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  CHECK_THAT(reported(folder.path() / "pipe"), Contains("is a pipe, not a file"));
  fs::create_symlink("pipe", folder.path() / "link");
  CHECK_THAT(reported(folder.path() / "link"), Contains("is a pipe, not a file"));
  fs::create_symlink("nowhere", folder.path() / "dangling");
  CHECK_THAT(reported(folder.path() / "dangling"), Contains("no such file"));
  fs::create_symlink("loop", folder.path() / "loop");
  CHECK_THAT(reported(folder.path() / "loop"), Contains("cannot be opened"));
  CHECK_THAT(reported("/dev/zero"), Contains("is a device, not a file"));
  CHECK_THAT(reported(folder.path()), Contains("is a folder, not a file"));
  CHECK_THAT(reported("/proc/self/status"), Contains("is not a file of this program (0 bytes"));
  put(folder.path() / "text", "nothing of ours, but long enough to hold a seal");
  CHECK_THAT(reported(folder.path() / "text"), Contains("no seal at the end"));
  const std::string hdf5 = "\x89HDF\r\n\x1a\n" + std::string(100, '\0');
  put(folder.path() / "unsealed", hdf5);
  CHECK_THAT(reported(folder.path() / "unsealed"),
             Contains("HDF5 file without this program's seal") && Contains("run the scene again"));
  put(folder.path() / "old", hdf5 + "fdtdseal" + std::string(16, '\0'));
  CHECK_THAT(reported(folder.path() / "old"), Contains("an early version of this program") && Contains("h5py"));
}

#include "engine/studies/ncu.hpp"

#include <cmath>

#include "base/error.hpp"
#include "tests/support/catch.hpp"

namespace fdtd::study {
namespace {

// As ncu writes it: its own messages, names, units, a line a launch; commas in names and in numbers.
const char* const page =
    "==PROF== Connected to process 4242 (/opt/fdtd)\n"
    "==PROF== Profiling \"march\" - 0: 0%....50%....100% - 2 passes\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Grid Size\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\","
    "\"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum\",\"l1tex__t_sectors.sum\","
    "\"l1tex__t_sectors_lookup_hit.sum\",\"lts__t_sectors_srcunit_tex.sum\",\"lts__t_sectors_srcunit_tex_lookup_hit."
    "sum\","
    "\"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum\",\"smsp__inst_executed.sum\",\"smsp__cycles_active.sum\"\n"
    "\"\",\"\",\"\",\"\",\"Mbyte\",\"byte\",\"\",\"sector\",\"sector\",\"sector\",\"sector\",\"\",\"Minst\",\"cycle\"\n"
    "\"0\",\"4242\",\"void march<float, 4>(const float *, float *)\",\"(8, 100, "
    "1)\",\"1,600.5\",\"800,000,000\",\"100\","
    "\"200,000,000\",\"150,000,000\",\"50,000,000\",\"10,000,000\",\"60,000,000\",\"150\",\"400,000,000\"\n"
    "\"1\",\"4242\",\"say \"\"two\"\"\",\"(8, 100, 1)\",\"0.5\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\"\n"
    "==PROF== Disconnected from process 4242\n";

std::string message(const char* text) {
  try {
    (void)read_ncu(text);
  } catch (const Error& error) {
    REQUIRE(error.status == Status::resource);
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("counters are read from ncu's CSV with their units") {
  const auto launches = read_ncu(page);
  REQUIRE(launches.size() == 2);
  REQUIRE(launches[0].kernel == "void march<float, 4>(const float *, float *)");
  REQUIRE(launches[1].kernel == "say \"two\"");
  REQUIRE(launches[0].dram_read_bytes == Approx(1600.5e6));
  REQUIRE(launches[0].dram_written_bytes == Approx(800e6));
  REQUIRE(launches[0].l2_sectors == Approx(50e6));
  REQUIRE(launches[0].l2_hits == Approx(10e6));
  REQUIRE(launches[0].l1_sectors == Approx(200e6));
  REQUIRE(launches[0].l1_hits == Approx(150e6));
  REQUIRE(launches[0].shared_conflicts == Approx(100.0));
  REQUIRE(launches[0].instructions == Approx(150e6));
}

TEST_CASE("the launches of a step are summed and reported a point") {
  const auto launches = read_ncu(page);
  const Counters both = counters_of(launches, 0, 2, 200'000'000);
  REQUIRE(both.dram_read_bytes == Approx(1601e6 / 200e6));
  REQUIRE(both.dram_written_bytes == Approx(4.0));
  REQUIRE(both.effective_bytes() == Approx(1601e6 / 200e6 + 4.0));
  REQUIRE(both.l2_bytes == Approx(32 * 50e6 / 200e6));
  REQUIRE(both.l1_bytes == Approx(32.0));
  REQUIRE(both.l2_hit_rate == Approx(0.2));
  REQUIRE(both.l1_hit_rate == Approx(0.75));
  REQUIRE(both.instructions == Approx(32 * 150e6 / 200e6));
  REQUIRE(both.issue_use == Approx(150.0 / 400.0));
  REQUIRE(both.shared_use == Approx(60.0 / 100.0));
  const Counters second = counters_of(launches, 1, 1, 200'000'000);
  REQUIRE(second.dram_read_bytes == Approx(0.5e6 / 200e6));
  REQUIRE(second.l2_hit_rate == 0.0);
  REQUIRE_THROWS(counters_of(launches, 1, 2, 1));
}

TEST_CASE("what ncu could not count is not a number, not zero") {
  std::string text = page;
  text.replace(text.find("\"1,600.5\""), 9, "\"n/a\"");
  REQUIRE(std::isnan(read_ncu(text)[0].dram_read_bytes));
}

TEST_CASE("ncu's own failures are reported in its words") {
  REQUIRE(message("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n").find("permission") !=
          std::string::npos);
  REQUIRE(message("==ERROR== Failed to initialize the profiler: LibraryNotLoaded\n").find("LibraryNotLoaded") !=
          std::string::npos);
  REQUIRE(message("").find("counted nothing") != std::string::npos);
  REQUIRE(message("\"ID\",\"Kernel Name\"\n\"0\",\"k\"\n").find("dram__bytes_read.sum") != std::string::npos);
}

TEST_CASE("the requested metrics are those that are read") {
  const std::string requested = ncu_metrics();
  std::string text = page;
  for (std::size_t begin = 0; begin <= requested.size();) {
    const std::size_t end = std::min(requested.find(',', begin), requested.size());
    REQUIRE(text.find('"' + requested.substr(begin, end - begin) + '"') != std::string::npos);
    begin = end + 1;
  }
}

}  // namespace fdtd::study

#include "engine/responses/figure_table.hpp"

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("figure table: the bands that any channel has, and no number where there is no figure") {
  FigureTableMaker maker(3);
  Metrics two, one;
  for (const double centre : {125.0, 250.0}) {
    BandMetrics band;
    band.centre = centre;
    band.T20.value = centre / 100.0;  // the others are missing
    two.bands.push_back(band);
  }
  two.broadband.C80.value = -3.0;
  two.onset = 0.25;
  one.bands = {two.bands[0]};
  one.bands[0].T20 = {std::nullopt, "too noisy"};
  maker.put(2, two);
  maker.put(0, one);
  const FigureTable table = maker.finish();
  CHECK(table.centres == std::vector<double>{125.0, 250.0, 0.0});
  CHECK(table.channels == 3);
  const auto index_of = [](const std::string& name) {
    std::size_t f = 0;
    while (named_figures[f].name != name) ++f;
    return f;
  };
  const std::size_t T20 = index_of("T20"), C80 = index_of("C80");
  CHECK(table.value(T20, 2, 0) == 1.25);
  CHECK(table.value(T20, 2, 1) == 2.5);
  CHECK(std::isnan(table.value(T20, 0, 0)));
  CHECK(std::isnan(table.value(T20, 0, 1)));
  CHECK(table.value(C80, 2, 2) == -3.0);
  CHECK(std::isnan(table.value(C80, 1, 2)));  // was never put
  CHECK(table.onset[2] == 0.25);
  CHECK(std::isnan(table.onset[1]));
  // Figures that few responses have take no place where none does.
  const std::size_t LF = index_of("LF"), DRR = index_of("DRR");
  CHECK(table.values[LF].empty());
  CHECK(std::isnan(table.value(LF, 2, 0)));
  FigureTableMaker rare(2);
  two.bands[1].DRR.value = 4.0;
  rare.put(1, two);
  const FigureTable with = rare.finish();
  CHECK(with.value(DRR, 1, 1) == 4.0);
  CHECK(std::isnan(with.value(DRR, 0, 1)));
  CHECK(with.values[DRR].size() == 6);
}

// Linear programmes (stencils/design/radial.py) find weights for which the spread of |k| at every frequency, over all
// directions, is at most 1 or .3 % up to the edge of the band, S keeps .0015 from -2, no wave from outside the band
// has a frequency of the band, and the slowest group is fastest. The four powers a_m let the mean symbol be whatever
// serves that. These weights are not certified for the symmetrised fold: walls use the block construction, whose Gram
// matrix needs a little room below the design's Courant number. More room costs much: S keeps near -2 at the edge of the
// band, where a group's speed in true time goes with sqrt(2 + s).
#include "stencils/radial.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "stencils/frequency_map.hpp"
#include "stencils/table.hpp"

namespace fdtd {
namespace {

struct RadialRow {
  const char* name;
  double below;                      // of the design's Courant number: the largest with a Gram block, in steps
  double courant;                    // of the design, for long waves: cells a step
  double edge;                       // of the band, |k|h / pi
  std::array<double, 4> correction;  // a_1 to a_4
  std::vector<double> weights;       // of S: the centre, then one a shell
};

const std::vector<RadialRow>& table() {
  static const std::vector<RadialRow> rows = {
      // clang-format off
      {"compact-3/radial03", 0.9995, 0.8870866117992756, 0.7, {0.03814857964941318, -0.2255743124338321, 0.3867314491667156,
       -0.1966068136531642},
       {-1.1402221656901284, 0.2965131991982621, 0.09508101380751072, 0.027521350601303413}},
      {"compact-3/radial1", 0.9995, 0.9236678665828515, 0.83, {-0.42499948965733664, 1.6244721519963568, -2.096538350255166,
       0.9144689381086505},
       {-1.2789934916365744, 0.2865219180605709, 0.10664529096971453, 0.035014811454571804}},
      {"compact-4/radial03", 0.9995, 1.0026193956471932, 0.8, {0.1941324038994285, -0.772717325385621, 0.9793275071825667,
       -0.40075495623540447},
       {-1.4595217197224692, 0.2445571468836182, 0.12760190078403, 0.042767337625046704, 0.01980288800200443}},
      {"compact-4/radial1", 0.9995, 1.0070911526408874, 0.905, {0.06861633999224091, -0.5099709753776012, 0.8770094773141285,
       -0.4355787929651272},
       {-1.4722840265624284, 0.24418679739000504, 0.1260302529857131, 0.047956517900900095, 0.018524677197773343}},
      {"compact-5/radial03", 0.9995, 1.0875598577737726, 0.8, {-0.2885449137431183, 1.318272523846069, -1.8089970662345443,
       0.7792165532312351},
       {-1.5538520938415417, 0.22012989738169697, 0.11951804421890469, 0.05802088289620784, 0.026406758063606026,
        0.007343690307216856}},
      {"compact-5/radial1", 0.9995, 0.9933264260069877, 0.905, {-0.2365594320585237, 0.4355526909825938, -0.07116261366541304,
       -0.12851272612745548},
       {-1.4582186605776113, 0.24903137421587554, 0.1264398259422284, 0.04630150980751371, 0.0169163498739516,
        -0.001048236405341732}},
      {"compact-6/radial03", 0.998, 1.2088141843698812, 0.9, {0.04168482621692031, -0.18591809459943878, 0.2351085881646506,
       -0.0912443606515144},
       {-1.6658831310092421, 0.18916908545751976, 0.11087855852366453, 0.06125263138799174, 0.032198952477357386,
        0.01559226817295614, 0.005954029744213492}},
      {"compact-6/radial1", 0.999, 1.18915501722977, 0.93, {-0.6350640017787988, 2.3811413177392122, -2.7640764545235004,
       1.014897688012389},
       {-1.6505294150339163, 0.19552591634711622, 0.11211680594372475, 0.06089625895942792, 0.030901644933888993,
        0.014121851260078299, 0.0050194947544119125}},
      {"compact-9/radial03", 0.9995, 0.9191064156799531, 0.9, {0.1571488234605703, -0.7618248941721653, 1.1123410015655582,
       -0.508999859428259},
       {-1.486401108918578, 0.25054854667545456, 0.13306767278106343, 0.05568188949730004, 0.02454505236653659,
        0.000233509944915225, -0.004032878667628179, -0.0030063626114481155, -0.0022241155936961886,
        -0.004297949958888859}},
      {"compact-9/radial1", 0.9995, 0.7898679710704011, 0.935, {0.2775561920050747, -1.082909364607177, 1.273421397616957,
       -0.47075021084096436},
       {-1.4517948546771642, 0.2656437235815683, 0.1386863447959917, 0.06261384877957599, 0.02516979474725266,
        -0.0016372983410115935, -0.008416900864808086, -0.0062589628212725255, -0.004394667963752013,
        -0.006058802859879905}},
      {"box-222/radial03", 0.998, 1.1710885383908458, 0.885, {0.061711278547162886, -0.18827087917947027,
       0.16589410914680788, -0.04050708583339664},
       {-1.642317039141608, 0.20100305593485696, 0.11337377906282121, 0.05963847907498113, 0.029913368005564742,
        0.01308526463470363, 0.00499446447997664, -9.478796936546267e-05, -0.0004823691239626823,
        -0.00024673374993286376}},
      {"box-222/radial1", 0.9995, 0.8819944411963686, 0.9, {0.2435194854821224, -0.9474577130554984, 1.1041971796043082,
       -0.401746470536903},
       {-1.4726415600203873, 0.26834755407592514, 0.1300430578575792, 0.056441394684172835, 0.015564597080302374,
        0.0003341314485522878, -0.005259989751064462, -0.004381493410824506, -0.0029327348622578517,
        -0.0002118802246169999}},
      // clang-format on
  };
  return rows;
}

Stencil make_radial(const RadialRow& row, Family family, const std::vector<Shell>& shells) {
  const Stencil stencil =
      from_row({row.name, row.courant, row.courant, 2, WallProof::block, row.weights}, family, shells);
  const double unit = row.courant * row.courant;
  Stencil slower = at_courant(stencil, row.below * row.courant);
  slower.courant_limit = slower.courant;
  std::vector<RadialSymbol::Shell> parts;
  for (std::size_t s = 0; s < shells.size(); ++s) {
    const double radius = std::hypot(shells[s].q1, shells[s].q2, shells[s].q3);
    parts.push_back({radius, point_count(shells[s]) * stencil.weights[s] / unit});
  }
  std::array<double, 4> correction = row.correction;
  for (double& a : correction) a /= unit;
  slower.radial = std::make_shared<RadialSymbol>(std::move(parts), correction, row.edge * std::numbers::pi);
  return slower;
}

}  // namespace

std::vector<Stencil> radial_stencils(const std::string& member, Family family, const std::vector<Shell>& shells) {
  std::vector<Stencil> sets;
  for (const RadialRow& row : table())
    if (member_of(row.name) == member) sets.push_back(make_radial(row, family, shells));
  return sets;
}

}  // namespace fdtd

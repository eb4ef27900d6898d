// Linear programmes (stencils/design/radial.py) find weights for which the spread of |k| at every frequency, over
// all directions, is at most 2, 1 or .3 % up to the edge of the band, S keeps .0015 from -2, no wave from outside
// the band has a frequency of the band, and the slowest group is fastest; levels in single directions lie within
// about 1 dB of the mean's up to nine tenths of the band (radial1; those of 2 % within 1.3, of .3 % within .4 dB):
// that is an additional bound for compact-9/radial1, box-222/radial2 and the radial03 sets of 81, 123 and 125
// points. The four powers a_m let the mean symbol be whatever serves that. At the design's Courant number these
// weights are not certified for the symmetrised fold: walls use the block construction, whose Gram matrix needs a
// little room below it. More room costs much: S keeps near -2 at the edge of the band, where a group's speed in true
// time goes with sqrt(2 + s). The certificate (stencils/design/certificate.py --radial) bounds S from below by m <
// -2 over all triples of contractions; with K scaled by q^2, q = 2/sqrt(2 - m), that bound is -2. Rooms whose voxels
// walls cut run at that share.
#include "stencils/radial.hpp"

#include <algorithm>
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
  double certified;                  // the same with the certificate over all masks, rounded down; 0: none
  double courant;                    // of the design, for long waves: cells a step
  double edge;                       // of the band, |k|h / pi
  std::array<double, 4> correction;  // a_1 to a_4
  std::vector<double> weights;       // of S: the centre, then one a shell
};

const std::vector<RadialRow>& table() {
  static const std::vector<RadialRow> rows = {
      // clang-format off
      {"compact-2/radial03", 0.9995, 0.99959, 0.8760879749172761, 0.54,
       {-0.15600595539225895, 0.6843261405631565, -0.90897150747044, 0.3814019635560073},
       {-0.998875, 0.23209486020534642, 0.1338588198973268}},
      {"compact-2/radial1", 0.9995, 0.99909, 0.8798702957527902, 0.69,
       {-0.5805525198270903, 2.025634325517981, -2.3885428654761203, 0.9450675383898547},
       {-0.998875, 0.22545326265189763, 0.13717961867405118}},
      {"compact-2/radial2", 0.9995, 0.99914, 0.8795618799715882, 0.76,
       {-0.9992862022173133, 2.5843313642281904, -1.9234143868894018, 0.3498146978260334},
       {-0.998875, 0.22599589930084574, 0.13690830034957713}},
      {"compact-3/radial03", 0.9995, 0.97352, 0.8870866117992756, 0.7,
       {0.03814857964941318, -0.2255743124338321, 0.3867314491667156, -0.1966068136531642},
       {-1.1402221656901284, 0.2965131991982621, 0.09508101380751072, 0.027521350601303413}},
      {"compact-3/radial1", 0.9995, 0.95603, 0.9236678665828515, 0.83,
       {-0.42499948965733664, 1.6244721519963568, -2.096538350255166, 0.9144689381086505},
       {-1.2789934916365744, 0.2865219180605709, 0.10664529096971453, 0.035014811454571804}},
      {"compact-3/radial2", 0.9995, 0.94793, 0.944911583603875, 0.86,
       {0.9096376224261914, -3.4512953243129822, 4.239377554315655, -1.699096641936159},
       {-1.3385368512431741, 0.2765980247928043, 0.11160723760359786, 0.04245773140539674}},
      {"compact-4/radial03", 0.9995, 0.94529, 1.0026193956471932, 0.8,
       {0.1941324038994285, -0.772717325385621, 0.9793275071825667, -0.40075495623540447},
       {-1.4595217197224692, 0.2445571468836182, 0.12760190078403, 0.042767337625046704, 0.01980288800200443}},
      {"compact-4/radial1", 0.9995, 0.94203, 1.0070911526408874, 0.905,
       {0.06861633999224091, -0.5099709753776012, 0.8770094773141285, -0.4355787929651272},
       {-1.4722840265624284, 0.24418679739000504, 0.1260302529857131, 0.047956517900900095, 0.018524677197773343}},
      {"compact-5/radial03", 0.9995, 0.93734, 1.0875598577737726, 0.8,
       {-0.2885449137431183, 1.318272523846069, -1.8089970662345443, 0.7792165532312351},
       {-1.5538520938415417, 0.22012989738169697, 0.11951804421890469, 0.05802088289620784, 0.026406758063606026,
        0.007343690307216856}},
      {"compact-5/radial1", 0.9995, 0.94283, 0.9933264260069877, 0.905,
       {-0.2365594320585237, 0.4355526909825938, -0.07116261366541304, -0.12851272612745548},
       {-1.4582186605776113, 0.24903137421587554, 0.1264398259422284, 0.04630150980751371, 0.0169163498739516,
        -0.001048236405341732}},
      {"compact-6/radial03", 0.9995, 0.93155, 1.128530226553516, 0.88,
       {0.001970302418734869, -0.10349384938678985, 0.2080865832549912, -0.10682041524126616},
       {-1.5884395509893863, 0.21916908545751979, 0.11360207735935586, 0.05562169323779554, 0.02416199477038497,
        0.009846567522514595, 0.003497373952790538}},
      {"compact-6/radial1", 0.999, 0.92745, 1.18915501722977, 0.93,
       {-0.6350640017787988, 2.3811413177392122, -2.7640764545235004, 1.014897688012389},
       {-1.6505294150339163, 0.19552591634711622, 0.11211680594372475, 0.06089625895942792, 0.030901644933888993,
        0.014121851260078299, 0.0050194947544119125}},
      {"compact-9/radial03", 0.9995, 0.0, 0.766129620764301, 0.865,
       {0.10313362682093216, -0.5044666121177804, 0.726195937472834, -0.3257555262802594},
       {-1.3829630912797972, 0.2799608130327943, 0.14401197385189948, 0.04578034708366686, 0.01692390459048862,
        -0.007954065233722172, -0.007081118513454041, -0.0034939654012389534, -0.002756122633441227,
        -0.003968789900390507}},
      {"compact-9/radial1", 0.9995, 0.0, 0.7373175017812326, 0.895,
       {0.1465586227781891, -0.49776248433459386, 0.624977979681833, -0.27495291187070814},
       {-1.385153350330015, 0.29559702232368357, 0.13801960543813818, 0.05201960305836163, 0.00859801101192242,
        -0.006229793520915887, -0.00934977856467123, -0.005115284038547287, -0.0032201296896581066,
        2.7885276713462936e-05}},
      {"box-222/radial03", 0.9995, 0.95678, 0.7155360572353487, 0.855,
       {0.06538448162064124, -0.3348844592389116, 0.44307474848366346, -0.16812637041312833},
       {-1.200286461683433, 0.3219051160267997, 0.11752103514841876, 0.03432473521272295, -0.004842513959855048,
        -0.006862566817929388, -0.005546637048783938, -0.0035227020488381795, -0.001874986625875639,
        -0.00023080722410636763}},
      {"box-222/radial1", 0.9995, 0.93289, 0.8819944411963686, 0.9,
       {0.2435194854821224, -0.9474577130554984, 1.1041971796043082, -0.401746470536903},
       {-1.4726415600203873, 0.26834755407592514, 0.1300430578575792, 0.056441394684172835, 0.015564597080302374,
        0.0003341314485522878, -0.005259989751064462, -0.004381493410824506, -0.0029327348622578517,
        -0.0002118802246169999}},
      {"box-222/radial2", 0.9995, 0.93356, 0.751295873982615, 0.905,
       {-0.8493001663416293, 2.4245591607551757, -2.470810618918896, 0.8838214179721969},
       {-1.394561627242385, 0.29546153047687, 0.13606435668167924, 0.054767790877377945, 0.005213545297923324,
        -0.005891788293957428, -0.008381204177436905, -0.005544973708460148, -0.002927441284386065,
        -0.00013166749566222318}},
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

double certified_courant(const Stencil& stencil) {
  if (!stencil.radial || stencil.family == Family::user) return 0.0;
  for (const RadialRow& row : table()) {  // members of both families may share a row, and so its symbol
    std::array<double, 4> correction = row.correction;
    for (double& a : correction) a /= row.courant * row.courant;
    if (stencil.radial->correction() == correction) return std::min(row.below, row.certified) * row.courant;
  }
  return 0.0;
}

bool has_radial_weights(const GridStencil& stencil) {
  // Over 2 - centre weights do not depend on the Courant number.
  constexpr double of_floats = 1e-5;
  if (stencil.terms.empty()) return false;
  const double unit = 2.0 - stencil.centre;
  return std::ranges::any_of(table(), [&](const RadialRow& row) {
    const auto alike = [&](const Term& term, std::size_t shell) {
      const double of_row = row.weights[shell] / (2.0 - row.weights.front());
      return std::abs(term.weight / unit - of_row) <= of_floats;
    };
    std::size_t shell = 0;
    std::array<int, 3> before{};
    for (const Term& term : stencil.terms) {
      std::array<int, 3> points = term.offset;
      std::ranges::sort(points);
      if (points != before && ++shell == row.weights.size()) return false;
      before = points;
      if (!alike(term, shell)) return false;
    }
    return shell + 1 == row.weights.size();
  });
}

std::vector<Stencil> radial_stencils(const std::string& member, Family family, const std::vector<Shell>& shells) {
  std::vector<Stencil> sets;
  for (const RadialRow& row : table())
    if (member_of(row.name) == member) sets.push_back(make_radial(row, family, shells));
  return sets;
}

}  // namespace fdtd

// The reflection of a plane facet with free edges, over that of its whole plane.
//
// By Kirchhoff's integral over the facet, lit by the image source: the geometrical part, which is 1 where the point of
// reflection lies on the facet, and a boundary wave along its free edges (the line integral of G. A. Maggi and A. Rubinowicz: M. Born,
// E. Wolf, Principles of Optics, section 8.9). An edge at which another wall rises or the surface goes on adds nothing.
#pragma once

#include <complex>
#include <vector>

#include "engine/facets/free_pieces.hpp"

namespace fdtd {

class FacetMirror {
 public:
  // `image`: of the source, behind the facet; the segment from there to `receiver` crosses the facet.
  FacetMirror(const std::vector<FreePiece>& edges, const Point& image, const Point& receiver);
  // `wave_number` in rad/m. Time goes as exp(i omega t).
  std::complex<double> operator()(double wave_number) const;

 private:
  struct Node {
    double detour = 0.0, weight = 0.0;  // m, of the path by this point of an edge; of its wave
  };
  std::vector<Node> nodes_;
};

}  // namespace fdtd

// The parts that a mesh leaves of a voxel, separated by surfaces, each with volume, areas on the six faces and areas
// of wall.
//
// The 27 points of the cell (cut_lattice.hpp) are joined where the mesh does not cross the line between them; a part is
// what is joined, whatever the orientation of facets. On each face four squares of half the voxel's side are divided
// between their corners (marching squares, W. E. Lorensen and H. E. Cline, Marching cubes, SIGGRAPH 1987, in two
// dimensions): by straight lines from crossing to crossing, through the point where the two facets' traces meet if they
// meet in the square. So areas on faces are exact for plane walls and along their edges.
//
// A volume is that of the pyramids from the faces to a point O of the wall, by Gauss's theorem
//   3 V = sum of face areas times their distances from O + sum over the wall of dA (x - O) . n,
// whose last sum is 0 for a plane, and for an edge or a corner if O lies on it: O is the point nearest to the planes of
// all crossings (T. Ju, F. Losasso, S. Schaefer, J. Warren, Dual contouring of Hermite data, SIGGRAPH 2002).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "engine/voxels/cut/cut_lattice.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

// Wall of one material that faces a part, by the side that it faces most.
struct CutWall {
  std::uint16_t material = 0;       // of the mesh
  std::uint8_t side = 0;            // as of BoundaryFace
  double area = 0.0;                // m2
  std::array<double, 3> outward{};  // m2: area times normal, out of the air
  std::uint32_t facet = 0;          // one of it; the only one where walls are listed by facet
};

struct CutPart {
  double volume = 0.0;           // in voxels
  std::array<double, 6> face{};  // area on each face of the voxel, in faces
  std::vector<CutWall> walls;    // but those of facets that end in the voxel (sheet_rims.hpp)
  // The projections of its wall: open area on the lower face less that on the upper, times the face's area (m2). It
  // points out of the air, and is exact whatever the shape of the wall.
  std::array<double, 3> outward(const std::array<double, 3>& face_areas) const;
};

// A piece of a face that belongs to one part on either side of it.
struct FacePiece {
  std::uint8_t side = 0, part = 0, point = 0;  // of the 27, one in the piece
  float area = 0.0F;                           // in faces
};

// The facets that divide nothing in a voxel: there is a way around them in it.
struct EndingFacets {
  bool all = false;                             // nothing is divided
  std::vector<std::uint32_t> facets, dividing;  // of those that lines between its points cross; ascending
  bool has(std::uint32_t facet) const { return all || std::binary_search(facets.begin(), facets.end(), facet); }
};

struct CutShape {
  EndingFacets ending;
  std::uint8_t around = 0;              // the part that has both sides of them; no_part: no line crosses one
  std::array<std::uint8_t, 27> part{};  // of each point x + 3 (y + 3 z)
  std::vector<CutPart> parts;
  std::vector<FacePiece> pieces;
};

inline constexpr std::uint8_t middle_point = 13, no_part = 255;

// The point of the neighbour across `side` that lies where `point` does.
constexpr std::uint8_t across(std::uint8_t side, std::uint8_t point) {
  constexpr std::array<int, 3> stride = {1, 3, 9};
  const int shift = 2 * stride[side / 2U];
  return static_cast<std::uint8_t>(side % 2U == 0U ? point + shift : point - shift);
}

// The solution x of m x = r for a symmetric, positive definite m.
std::array<double, 3> solve_symmetric(const std::array<std::array<double, 3>, 3>& m, const std::array<double, 3>& r);

class CutShapes {
 public:
  // `normals`: unit normals, one for each triangle.
  CutShapes(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing,
            const std::vector<std::array<float, 3>>& normals);
  // `by_facet`: walls of one material and side are not summed up.
  CutShape of(const std::array<int, 3>& cell, bool by_facet = false) const;

 private:
  struct Link {  // from a point to the next along an axis
    bool closed = false;
    float first = 1.0F, last = 0.0F;  // up to where the lower point's part reaches, and from where the upper's
    std::uint32_t first_facet = 0, last_facet = 0;
  };
  struct Plane;
  struct WallPlanes;
  using Links = std::array<std::array<Link, 18>, 3>;  // by axis: of the lines i + 3 j, the lower and the upper one
  Links gather(const std::array<int, 3>& cell) const;
  template <class Visit>
  static void each_link(const Links& links, const Visit& visit);
  double area_beside(const Plane& plane, const std::array<const Link*, 4>& edge, std::size_t begin,
                     std::size_t& end) const;
  void add_face(const Links& links, std::size_t axis, int at, CutShape& shape) const;
  void find_ending(const Links& links, CutShape& shape) const;
  void add_wall(std::size_t point, std::uint32_t facet, std::size_t axis, double sign, double along, bool by_facet,
                std::array<WallPlanes, 27>& planes, CutShape& shape) const;
  void add_walls(const Links& links, bool by_facet, CutShape& shape) const;
  std::array<double, 2> corner_between(const Plane& plane, const std::array<double, 2>& p, std::uint32_t first,
                                       const std::array<double, 2>& q, std::uint32_t second, bool& meet) const;

  const Mesh& mesh_;
  const CutLattice& lattice_;
  std::array<double, 3> spacing_;
  const std::vector<std::array<float, 3>>& normals_;
};

}  // namespace fdtd

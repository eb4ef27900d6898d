#include "engine/results/xdmf.hpp"

#include <fmt/format.h>

#include "engine/results/snapshot_list.hpp"

namespace fdtd {
namespace {

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

// XDMF writes axes slowest first: z, y, x.
template <class Triple>
std::string reversed(const Triple& triple) {
  return fmt::format("{} {} {}", triple[2], triple[1], triple[0]);
}

// Frame f of an array frames x z x y x x. The selection is given with the grid's three dimensions: with four, VTK's
// reader interprets the first as the size of a frame.
std::string pressure_item(const SnapshotSet& set, const std::string& path, std::size_t f) {
  const std::string size = reversed(set.size);
  return fmt::format(
      R"(        <Attribute Name="pressure" AttributeType="Scalar" Center="Node">
          <DataItem ItemType="HyperSlab" Type="HyperSlab" Dimensions="{0}">
            <DataItem Dimensions="3 4" NumberType="Int" Format="XML">{1} 0 0 0 1 1 1 1 1 {0}</DataItem>
            <DataItem Dimensions="{2} {0}" NumberType="Float" Precision="4" Endian="Little" Format="HDF">{3}</DataItem>
          </DataItem>
        </Attribute>
)",
      size, f, set.times.size(), path);
}

std::string frame_grid(const SnapshotSet& set, const std::string& file, const std::string& source, std::size_t f) {
  const std::string at = escaped(file + ":/" + set.name);
  return fmt::format(
             R"(      <Grid Name="{0} {1}" GridType="Uniform">
        <Time Value="{2:.17g}"/>
        <Topology TopologyType="3DCoRectMesh" Dimensions="{3}"/>
        <Geometry GeometryType="ORIGIN_DXDYDZ">
          <DataItem Dimensions="3" NumberType="Float" Precision="8" Format="XML">{4}</DataItem>
          <DataItem Dimensions="3" NumberType="Float" Precision="8" Format="XML">{5}</DataItem>
        </Geometry>
)",
             escaped(set.name), f, set.times[f], reversed(set.size), reversed(set.origin), reversed(set.spacing)) +
         pressure_item(set, at + "/" + escaped(source) + "/pressure", f) +
         fmt::format(
             R"(        <Attribute Name="air" AttributeType="Scalar" Center="Node">
          <DataItem Dimensions="{}" NumberType="UChar" Precision="1" Format="HDF">{}/air</DataItem>
        </Attribute>
      </Grid>
)",
             reversed(set.size), at);
}

}  // namespace

std::string xdmf_text(const SnapshotList& list, const std::string& file) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"2.0\">\n  <Domain>\n";
  for (const SnapshotSet& set : list.sets)
    for (const std::string& source : list.sources) {
      text += fmt::format("    <Grid Name=\"{} {}\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
                          escaped(set.name), escaped(source));
      for (std::size_t f = 0; f < set.times.size(); ++f) text += frame_grid(set, file, source, f);
      text += "    </Grid>\n";
    }
  return text + "  </Domain>\n</Xdmf>\n";
}

}  // namespace fdtd

// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/graphml.h>

#include <gtest/gtest.h>

#include <emgnn/base/error.h>

#include "data/expect_error.h"

namespace emgnn {
namespace {

using testing::expect_error;

TEST(Graphml, KeepsKeysNodesAndEdgesWithTheirPositions) {
  const Graphml g = parse_graphml(R"(<graphml>
 <key id="c" for="all" attr.name="colour" attr.type="string"/>
 <graph>
  <node id="n &amp; 1"/>
  <node id="b"><data key="c">r&#233;d</data>
   <data key="w">2</data></node>
  <edge source="b" target="nowhere"><data key="c"></data></edge>
 </graph>
 <key id="w" for="node"/>
</graphml>)",
                                  "g");
  ASSERT_EQ(g.keys.size(), 2U);
  EXPECT_EQ(g.keys[0].name, "colour");
  EXPECT_EQ(g.keys[0].type, "string");
  EXPECT_TRUE(g.keys[0].of_nodes() && g.keys[0].of_edges());
  EXPECT_TRUE(g.keys[1].of_nodes() && !g.keys[1].of_edges());
  EXPECT_EQ(g.keys[1].at.line, 9);
  ASSERT_EQ(g.nodes.size(), 2U);
  EXPECT_EQ(g.nodes[0].id, "n & 1");
  EXPECT_TRUE(g.nodes[0].values.empty());
  ASSERT_EQ(g.nodes[1].values.size(), 2U);
  EXPECT_EQ(g.nodes[1].values[0].text, "r\u00e9d");
  EXPECT_EQ(g.nodes[1].values[1].key, 1U);
  // Columns count bytes from 1 and point behind the bracket that opens the element.
  EXPECT_EQ(g.nodes[1].at.line, 5);
  EXPECT_EQ(g.nodes[1].at.column, 4);
  EXPECT_EQ(g.nodes[1].values[1].at.line, 6);
  EXPECT_EQ(g.nodes[1].values[1].at.column, 5);
  ASSERT_EQ(g.edges.size(), 1U);
  EXPECT_EQ(g.edges[0].source, "b");
  EXPECT_EQ(g.edges[0].target, "nowhere");
  EXPECT_EQ(g.edges[0].values[0].text, "");
}

TEST(Graphml, ErrorsNameFileLineAndColumn) {
  const auto check = [](const char* text, std::initializer_list<std::string_view> pieces) {
    SCOPED_TRACE(text);
    expect_error<DataError>([&] { parse_graphml(text, "g"); }, pieces);
  };
  check("", {"g: line 1, column 1: "});
  check("<graphml>\n</graph>", {"g: line 2, column "});
  check("<graphml/>", {"g: line 1, column 1: expected <graphml> with a <graph>"});
  check("<graphml>\n<graph/>\n <graph/></graphml>", {"g: line 3, column 3: a second <graph>"});
  check("<graphml><graph>\n<hyperedge/></graph></graphml>", {"line 2, column 2: a <hyperedge>"});
  check("<graphml>\n\n<key/><graph/></graphml>", {"line 3, column 2: a <key> without an id"});
  check("<graphml><key id='k'><default>1</default></key><graph/></graphml>",
        {"line 1, column 11: a <default> of a <key>"});
  check("<graphml><graph>\n<node/></graph></graphml>",
        {"line 2, column 2: a <node> without an id"});
  check("<graphml><graph>\n<node id='a'><graph/></node></graph></graphml>",
        {"line 2, column 2: a <graph> within a node"});
  check(
      "<graphml><key id='k' for='edge'/><graph>\n<node id='a'><data key='k'/></node>"
      "</graph></graphml>",
      {"line 2, column 15: no <key> \"k\""});
}

TEST(Graphml, OfTwoKeysWithOneIdTheLastCounts) {
  const Graphml g = parse_graphml(
      "<graphml><key id='k' for='node' attr.name='first'/><key id='k' for='node' attr.name='last'/>"
      "<graph><node id='a'><data key='k'>1</data></node></graph></graphml>",
      "g");
  EXPECT_EQ(g.keys[g.nodes[0].values[0].key].name, "last");
}

}  // namespace
}  // namespace emgnn

// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/edge_table.h>

#include <gtest/gtest.h>

namespace emgnn {
namespace {

constexpr const char* kTable =
    "source,target,kind,p\n"
    "a,b,observed,0.9\n"
    "\"c,c\",d,observed,0.1\n"
    "e,f,candidate,0.2\n"
    "g,h,candidate,0.8\n"
    "i,j,observed,0.5\n"
    "k,l,candidate,0.8\n";

TEST(EdgeTable, ThatFitsStaysAsItIs) {
  const CutTable cut = cut_edge_table(kTable, 6);
  EXPECT_EQ(cut.csv, kTable);
  EXPECT_EQ(cut.rows, 6);
  EXPECT_EQ(cut.kept, 6);
}

TEST(EdgeTable, KeepsTheMostDoubtfulAndTheMostWanted) {
  const CutTable cut = cut_edge_table(kTable, 3);
  EXPECT_EQ(cut.csv,
            "source,target,kind,p\n\"c,c\",d,observed,0.1\ng,h,candidate,0.8\ni,j,observed,0.5\n");
  EXPECT_EQ(cut.rows, 6);
  EXPECT_EQ(cut.kept, 3);
}

TEST(EdgeTable, OneKindTakesThePlaceThatTheOtherLeaves) {
  EXPECT_EQ(cut_edge_table("source,target,view,p\na,b,v,3\nc,d,v,1\ne,f,v,2\n", 2).csv,
            "source,target,view,p\nc,d,v,1\ne,f,v,2\n");
  EXPECT_EQ(cut_edge_table("kind,weight\ncandidate,3\nloop,7\ncandidate,1\ncandidate,2\n", 3).csv,
            "kind,weight\ncandidate,3\nloop,7\ncandidate,2\n");
}

}  // namespace
}  // namespace emgnn

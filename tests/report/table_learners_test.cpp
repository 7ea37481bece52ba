// SPDX-License-Identifier: Apache-2.0
// Every cell of the table of controls can be trained: its settings are read on its data, and a
// learner can be made. Hours of training are not the place to find out.
#include <gtest/gtest.h>

#include "data/real_data.h"

#include <emgnn/report/paper_tables.h>
#include <emgnn/run/config.h>
#include <emgnn/run/load.h>

namespace emgnn {
namespace {

TEST(ValueTable, EveryCellMakesALearner) {
  EMGNN_NEEDS_REAL_DATA();
  const PaperTable& table = paper_table("value");
  for (const PaperColumn& column : table.columns) {
    for (const bool redraw : {false, true}) {
      if (redraw && column.redraw.empty()) continue;
      std::shared_ptr<const Data> data;
      const auto prepared = std::make_shared<Prepared>();
      for (const PaperRow& row : table.rows) {
        if (row.method.empty() || !has_cell(table, row, column)) continue;
        const CellSettings settings = cell_settings(table, row, column, redraw);
        RunConfig config =
            resolve({.dataset = column.dataset,
                     .method = row.method,
                     .layers = {{"column", "", settings.column}, {"row", "", settings.row}}});
        if (!data) {
          DataSource source({.dataset = column.dataset,
                             .data_dir = emgnn::testing::real_data_dir(),
                             .options = config.data});
          data = source.load(0);
        }
        EXPECT_NO_THROW({
          config.narrow(facts_of(*data));
          config.learner({.data = data, .prepared = prepared, .seed = 0});
        }) << row.name
           << " on " << column.name;
      }
    }
  }
}

}  // namespace
}  // namespace emgnn

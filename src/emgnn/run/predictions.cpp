// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/predictions.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include <emgnn/formats/csv.h>

namespace emgnn {

namespace {

std::vector<const char*> parts_of(const Split& split, int64_t count) {
  std::vector<const char*> out(static_cast<size_t>(count), "");
  for (int32_t v : split.train) out[static_cast<size_t>(v)] = "train";
  for (int32_t v : split.validation) out[static_cast<size_t>(v)] = "validation";
  for (int32_t v : split.test) out[static_cast<size_t>(v)] = "test";
  return out;
}

// The places of `rows` as the user's table has them.
std::vector<size_t> given_order(const Data& data, const std::vector<int32_t>& rows) {
  std::vector<size_t> out(rows.size());
  std::iota(out.begin(), out.end(), size_t{0});
  if (!data.graph() || data.graph()->given_order.empty()) return out;
  std::vector<size_t> place(static_cast<size_t>(data.num_rows()));
  const std::vector<int32_t>& given = data.graph()->given_order;
  for (size_t i = 0; i < given.size(); ++i) place[static_cast<size_t>(given[i])] = i;
  std::sort(out.begin(), out.end(), [&](size_t a, size_t b) {
    return place[static_cast<size_t>(rows[a])] < place[static_cast<size_t>(rows[b])];
  });
  return out;
}

// What is left when nothing is known of these rows.
Labels without(Labels labels, const std::vector<int32_t>& rows) {
  const auto names = static_cast<ptrdiff_t>(labels.names.size());
  for (int32_t row : rows) {
    if (labels.kind == LabelKind::kClasses) {
      labels.cls[static_cast<size_t>(row)] = kNoLabel;
    } else {
      std::fill_n(labels.value.begin() + row * names, names,
                  std::numeric_limits<double>::quiet_NaN());
    }
  }
  return labels;
}

std::string named(const char* what, const std::string& name) {
  return csv_field(fmt::format("{}({})", what, name));
}

// The columns of one kind of label; `known` says whether what is known is shown too.
class Columns {
 public:
  Columns(const Labels& labels, const Prediction& prediction, bool known)
      : labels_(labels), prediction_(prediction), known_(known) {}

  std::string header() const {
    switch (labels_.kind) {
      case LabelKind::kClasses: {
        std::string out = known_ ? ",label,predicted" : ",predicted";
        for (const std::string& name : labels_.names) out += "," + named("p", name);
        return out + ",entropy,graph_information";
      }
      case LabelKind::kLabels: {
        std::string out = known_ ? ",label,predicted" : ",predicted";
        for (const std::string& name : labels_.names)
          out += "," + named("p", name) + "," + named("entropy", name) + "," +
                 named("graph_information", name);
        return out;
      }
      default:
        break;
    }
    std::string out;
    for (const std::string& name : labels_.names)
      for (const char* column : value_columns())
        out += "," + (labels_.names.size() == 1 ? column : named(column, name));
    return out;
  }

  size_t count() const {
    const size_t known = known_ ? 1 : 0, names = labels_.names.size();
    switch (labels_.kind) {
      case LabelKind::kClasses:
        return known + 3 + names;
      case LabelKind::kLabels:
        return known + 1 + 3 * names;
      default:
        return value_columns().size() * names;
    }
  }

  // Of the i-th predicted row.
  std::string row(size_t i) const {
    switch (labels_.kind) {
      case LabelKind::kClasses:
        return class_row(i);
      case LabelKind::kLabels:
        return label_row(i);
      default:
        return value_row(i);
    }
  }

 private:
  const double* value(size_t i) const { return prediction_.value.data() + i * width(); }
  size_t width() const { return static_cast<size_t>(prediction_.width); }

  bool has_std() const { return !prediction_.std.empty(); }

  std::vector<const char*> value_columns() const {
    std::vector<const char*> out;
    if (known_) out.push_back("target");
    out.insert(out.end(), {"value", "graph_std"});
    if (has_std()) out.insert(out.end(), {"noise_std", "std"});
    return out;
  }

  std::string class_row(size_t i) const {
    const auto predicted =
        static_cast<size_t>(std::max_element(value(i), value(i) + width()) - value(i));
    std::string out;
    if (known_) {
      const int32_t cls = labels_.cls[static_cast<size_t>(prediction_.rows[i])];
      out += "," + (cls == kNoLabel ? "" : csv_field(labels_.names[static_cast<size_t>(cls)]));
    }
    out += "," + csv_field(labels_.names[predicted]);
    for (size_t c = 0; c < width(); ++c)
      fmt::format_to(std::back_inserter(out), ",{:.6g}", std::exp(value(i)[c]));
    return out +
           fmt::format(",{:.6g},{:.6g}", entropy({value(i), width()}), prediction_.graph_part[i]);
  }

  std::string label_row(size_t i) const {
    std::string known, predicted, out;
    for (size_t c = 0; c < width(); ++c) {
      const std::string& name = labels_.names[c];
      if (value(i)[c] > 0.5) predicted += (predicted.empty() ? "" : ";") + name;
      if (labels_.at(prediction_.rows[i], static_cast<int32_t>(c)) == 1.0)
        known += (known.empty() ? "" : ";") + name;
      fmt::format_to(std::back_inserter(out), ",{:.6g},{:.6g},{:.6g}", value(i)[c],
                     label_entropy(value(i)[c]), prediction_.graph_part[i * width() + c]);
    }
    return (known_ ? "," + csv_field(known) : "") + "," + csv_field(predicted) + out;
  }

  std::string value_row(size_t i) const {
    std::string out;
    for (size_t t = 0; t < width(); ++t) {
      if (known_) {
        const double y = labels_.at(prediction_.rows[i], static_cast<int32_t>(t));
        out += std::isnan(y) ? "," : fmt::format(",{}", y);
      }
      const size_t at = i * width() + t;
      fmt::format_to(std::back_inserter(out), ",{:.6g},{:.6g}", value(i)[t],
                     prediction_.graph_part[at]);
      if (!has_std()) continue;
      fmt::format_to(std::back_inserter(out), ",{:.6g},{:.6g}", prediction_.noise[at],
                     prediction_.std[at]);
    }
    return out;
  }

  const Labels& labels_;
  const Prediction& prediction_;
  bool known_;
};

}  // namespace

std::string posterior_csv(const GraphDistribution& graphs) {
  std::string out;
  for (const std::string& name : graphs.names) out += csv_field(name) + ",";
  out += "p\n";
  for (const WeightedPoint& point : graphs.points) {
    for (double x : point.lambda) fmt::format_to(std::back_inserter(out), "{},", x);
    fmt::format_to(std::back_inserter(out), "{}\n", point.p);
  }
  return out;
}

std::string predictions_csv(const Data& data, const Prediction& prediction, TestLabels test) {
  const std::vector<const char*> part = parts_of(data.split(), data.num_rows());
  const Labels labels =
      test == TestLabels::kHide ? without(data.labels(), data.split().test) : data.labels();
  const Columns columns(labels, prediction, true);
  std::string out = (data.table() ? "row,smiles,split" : "node,split") + columns.header() + "\n";
  for (const size_t i : given_order(data, prediction.rows)) {
    const int32_t row = prediction.rows[i];
    out += csv_field(data.row_name(row));
    if (data.table())
      out += "," + csv_field(data.table()->molecules.smiles[static_cast<size_t>(row)]);
    fmt::format_to(std::back_inserter(out), ",{}{}\n", part[static_cast<size_t>(row)],
                   columns.row(i));
  }
  return out;
}

std::string predictions_csv_with_rejects(const Data& data, const Prediction& prediction) {
  const MoleculeTable& table = *data.table();
  const Columns columns(data.labels(), prediction, false);
  const std::string empty(columns.count(), ',');
  std::string out = "row,smiles" + columns.header() + ",rejected\n";
  auto reject = table.rejects.begin();
  const auto add_rejects_before = [&](int64_t row) {
    for (; reject != table.rejects.end() && reject->row < row; ++reject) {
      fmt::format_to(std::back_inserter(out), "{},{}{},{}\n", reject->row,
                     csv_field(reject->smiles), empty, csv_field(reject->reason));
    }
  };
  for (size_t i = 0; i < table.row.size(); ++i) {
    add_rejects_before(table.row[i]);
    fmt::format_to(std::back_inserter(out), "{},{}{},\n", table.row[i],
                   csv_field(table.molecules.smiles[i]), columns.row(i));
  }
  add_rejects_before(std::numeric_limits<int64_t>::max());
  return out;
}

std::string perturbed_edges_csv(const Dataset& dataset) {
  std::string out = "source,target,change\n";
  for (const auto& [pair, added] : dataset.perturbation) {
    fmt::format_to(std::back_inserter(out), "{},{},{}\n", csv_field(dataset.node_name(pair.u)),
                   csv_field(dataset.node_name(pair.v)), added ? "added" : "removed");
  }
  return out;
}

}  // namespace emgnn

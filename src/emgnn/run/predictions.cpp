// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/predictions.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include <emgnn/base/threads.h>
#include <emgnn/formats/csv.h>

namespace emgnn {

namespace {

std::vector<const char*> parts_of(const Split& split, const std::vector<int32_t>& calibration,
                                  int64_t count) {
  std::vector<const char*> out(static_cast<size_t>(count), "");
  for (int32_t v : split.train) out[static_cast<size_t>(v)] = "train";
  for (int32_t v : split.validation) out[static_cast<size_t>(v)] = "validation";
  for (int32_t v : split.test) out[static_cast<size_t>(v)] = "test";
  for (int32_t v : calibration) out[static_cast<size_t>(v)] = "calibration";
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
  Columns(const Labels& labels, const Prediction& prediction, bool known, const PredictedSets* sets)
      : labels_(labels), prediction_(prediction), known_(known), sets_(sets) {}

  std::string header() const {
    switch (labels_.kind) {
      case LabelKind::kClasses: {
        std::string out = known_ ? ",label,predicted" : ",predicted";
        for (const std::string& name : labels_.names) out += "," + named("p", name);
        for (const char* column : kInformation) out += fmt::format(",{}", column);
        return out + (sets_ != nullptr ? ",set,set_size" : "");
      }
      case LabelKind::kLabels: {
        std::string out = known_ ? ",label,predicted" : ",predicted";
        for (const std::string& name : labels_.names) {
          out += "," + named("p", name);
          for (const char* column : kInformation) out += "," + named(column, name);
          if (sets_ != nullptr) out += "," + named("set", name);
        }
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
    const size_t known = known_ ? 1 : 0, names = labels_.names.size(), sets = sets_ ? 1 : 0;
    switch (labels_.kind) {
      case LabelKind::kClasses:
        return known + 1 + names + kInformation.size() + 2 * sets;
      case LabelKind::kLabels:
        return known + 1 + (1 + kInformation.size() + sets) * names;
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
    out.insert(out.end(), {"value", "graph_std", "network_std"});
    if (has_std()) out.insert(out.end(), {"noise_std", "std"});
    if (sets_ != nullptr) out.insert(out.end(), {"lower", "upper"});
    return out;
  }

  // After the probabilities: H(p), and what the entropy of the mean is made of.
  static constexpr std::array kInformation = {"entropy", "graph_information", "network_information",
                                              "within_entropy", "mean_entropy"};
  std::string information(double entropy_of_p, size_t entry) const {
    const UncertaintyParts parts = information_parts(prediction_, entry);
    const double within = prediction_.noise.at(entry);  // every learner says it
    return fmt::format(",{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}", entropy_of_p, parts.graph,
                       parts.network, within, parts.graph + parts.network + within);
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
    out += information(entropy({value(i), width()}), i);
    if (sets_ == nullptr) return out;
    std::string set;
    for (size_t c = 0; c < width(); ++c)
      if (sets_->in[i * width() + c] != 0) set += (set.empty() ? "" : ";") + labels_.names[c];
    return out + fmt::format(",{},{}", csv_field(set), sets_->size_of(i));
  }

  std::string label_row(size_t i) const {
    std::string known, predicted, out;
    for (size_t c = 0; c < width(); ++c) {
      const std::string& name = labels_.names[c];
      if (value(i)[c] > 0.5) predicted += (predicted.empty() ? "" : ";") + name;
      if (labels_.at(prediction_.rows[i], static_cast<int32_t>(c)) == 1.0)
        known += (known.empty() ? "" : ";") + name;
      const size_t at = i * width() + c;
      fmt::format_to(std::back_inserter(out), ",{:.6g}{}", value(i)[c],
                     information(label_entropy(value(i)[c]), at));
      if (sets_ == nullptr) continue;
      const bool no = sets_->in[2 * at] != 0, yes = sets_->in[2 * at + 1] != 0;
      out += no && yes ? ",0;1" : no ? ",0" : yes ? ",1" : ",";
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
      const UncertaintyParts parts = std_parts(prediction_, at);
      fmt::format_to(std::back_inserter(out), ",{:.6g},{:.6g},{:.6g}", value(i)[t], parts.graph,
                     parts.network);
      if (has_std())
        fmt::format_to(std::back_inserter(out), ",{:.6g},{:.6g}", prediction_.noise[at],
                       prediction_.std[at]);
      if (sets_ != nullptr)
        fmt::format_to(std::back_inserter(out), ",{:.6g},{:.6g}", sets_->lower[at],
                       sets_->upper[at]);
    }
    return out;
  }

  const Labels& labels_;
  const Prediction& prediction_;
  bool known_;
  const PredictedSets* sets_;
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

std::string predictions_csv(const Data& data, const Prediction& prediction,
                            const TableOptions& options) {
  const std::vector<const char*> part =
      parts_of(data.split(), options.calibration, data.num_rows());
  const Labels labels =
      options.test == TestLabels::kHide ? without(data.labels(), data.split().test) : data.labels();
  const Columns columns(labels, prediction, true, options.sets);
  std::string out = (data.table() ? "row,smiles,split" : "node,split") + columns.header() + "\n";
  for (const size_t i : given_order(data, prediction.rows)) {
    constexpr size_t kRowsAtATime = 4096;
    if (i % kRowsAtATime == 0) check_stop();
    const int32_t row = prediction.rows[i];
    out += csv_field(data.row_name(row));
    if (data.table())
      out += "," + csv_field(data.table()->molecules.smiles[static_cast<size_t>(row)]);
    fmt::format_to(std::back_inserter(out), ",{}{}\n", part[static_cast<size_t>(row)],
                   columns.row(i));
  }
  return out;
}

std::string predictions_csv_with_rejects(const Data& data, const Prediction& prediction,
                                         const PredictedSets* sets) {
  const MoleculeTable& table = *data.table();
  const Columns columns(data.labels(), prediction, false, sets);
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

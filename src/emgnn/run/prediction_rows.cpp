// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/prediction_rows.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace emgnn {

namespace {

// "p(good)" of "p" is "good"; nothing where the column is another.
std::string_view name_in(std::string_view column, std::string_view what) {
  if (!column.starts_with(what)) return {};
  column.remove_prefix(what.size());
  if (column.size() < 2 || column.front() != '(' || column.back() != ')') return {};
  return column.substr(1, column.size() - 2);
}

}  // namespace

double PredictedValue::spread() const {
  if (!std::isnan(std)) return std;
  return std::isnan(network_std) ? graph_std : std::hypot(graph_std, network_std);
}

PredictionReader::PredictionReader(std::string_view text, const std::string& file, LabelKind kind)
    : table_(text, file), kind_(kind) {
  find_columns();
  row_.p.resize(kind_ == LabelKind::kValues ? 0 : names_.size());
  row_.values.resize(kind_ == LabelKind::kValues ? names_.size() : 0);
}

void PredictionReader::find_columns() {
  const bool molecules = table_.find("smiles") >= 0;
  name_ = static_cast<int>(table_.require(molecules ? "row" : "node"));
  smiles_ = table_.find("smiles");
  split_ = static_cast<int>(table_.require("split"));
  if (kind_ != LabelKind::kValues) {
    label_ = static_cast<int>(table_.require("label"));
    predicted_ = static_cast<int>(table_.require("predicted"));
  }
  const char* what = kind_ == LabelKind::kValues ? "value" : "p";
  for (const std::string& column : table_.columns()) {
    const std::string_view name = name_in(column, what);
    if (name.data() != nullptr) names_.emplace_back(name);
  }
  if (names_.empty() && kind_ == LabelKind::kValues) {
    table_.require("value");
    names_.emplace_back("value");
    columns_.push_back({.target = table_.find("target"),
                        .value = table_.find("value"),
                        .graph_std = table_.find("graph_std"),
                        .network_std = table_.find("network_std"),
                        .std = table_.find("std")});
    return;
  }
  if (names_.empty()) table_.require("p(CLASS)");
  for (const std::string& name : names_) columns_.push_back(columns_of(name));
}

PredictionReader::Columns PredictionReader::columns_of(const std::string& name) const {
  const auto of = [&](const char* what) { return table_.find(fmt::format("{}({})", what, name)); };
  return {.target = of("target"),
          .value = of("value"),
          .graph_std = of("graph_std"),
          .network_std = of("network_std"),
          .std = of("std"),
          .p = of("p"),
          .entropy = of("entropy"),
          .graph_information = of("graph_information")};
}

std::string_view PredictionReader::text_at(int column) const {
  return column < 0 ? std::string_view() : table_.field(static_cast<size_t>(column));
}

double PredictionReader::number_at(int column) const {
  const std::string_view text = text_at(column);
  if (text.empty() || text == "nan" || text == "-nan") return PredictedValue::kNone;
  return table_.row().number(static_cast<size_t>(column),
                             table_.columns()[static_cast<size_t>(column)]);
}

int32_t PredictionReader::number_of(std::string_view name, int column) const {
  if (name.empty()) return kNoLabel;
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) {
    const auto at = static_cast<size_t>(column);
    table_.row().fail(at, table_.columns()[at], fmt::format("no class is named {:?}", name));
  }
  return static_cast<int32_t>(found - names_.begin());
}

void PredictionReader::read_classes() {
  row_.label = text_at(label_);
  row_.predicted = text_at(predicted_);
  for (size_t c = 0; c < names_.size(); ++c) row_.p[c] = number_at(columns_[c].p);
  if (kind_ == LabelKind::kClasses) {
    row_.cls = number_of(row_.label, label_);
    row_.answer = number_of(row_.predicted, predicted_);
    row_.entropy = number_at(table_.find("entropy"));
    row_.graph_information = number_at(table_.find("graph_information"));
    return;
  }
  row_.entropy = row_.graph_information = 0.0;
  for (const Columns& c : columns_) {
    row_.entropy += number_at(c.entropy);
    row_.graph_information += number_at(c.graph_information);
  }
}

bool PredictionReader::next() {
  if (!table_.next()) return false;
  row_.name = text_at(name_);
  row_.smiles = text_at(smiles_);
  row_.split = text_at(split_);
  if (kind_ != LabelKind::kValues) {
    read_classes();
    return true;
  }
  for (size_t t = 0; t < names_.size(); ++t) {
    const Columns& c = columns_[t];
    row_.values[t] = {number_at(c.target), number_at(c.value), number_at(c.graph_std),
                      number_at(c.network_std), number_at(c.std)};
  }
  return true;
}

}  // namespace emgnn

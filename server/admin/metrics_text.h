#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mote::admin {

/// Builds a page in Prometheus' text format, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
class MetricsText {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

  void counter(std::string_view name, std::string_view help, std::uint64_t value,
               const Labels& labels = {});
  void gauge(std::string_view name, std::string_view help, double value, const Labels& labels = {});
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void header(std::string_view name, std::string_view help, std::string_view type);
  void sample(std::string_view name, const Labels& labels, std::string_view value);

  std::string text_;
  std::string last_name_;
};

}  // namespace mote::admin

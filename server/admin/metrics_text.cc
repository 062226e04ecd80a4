#include "server/admin/metrics_text.h"

#include <array>
#include <charconv>

namespace mote::admin {
namespace {

void append_escaped(std::string& out, std::string_view value) {
  for (const char c : value) {
    if (c == '\\' || c == '"') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out.append("\\n");
    } else {
      out.push_back(c);
    }
  }
}

}  // namespace

void MetricsText::header(std::string_view name, std::string_view help, std::string_view type) {
  if (last_name_ == name) {
    return;  // further labels of the same metric
  }
  last_name_ = name;
  text_.append("# HELP ").append(name).append(" ").append(help).append("\n");
  text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void MetricsText::sample(std::string_view name, const Labels& labels, std::string_view value) {
  text_.append(name);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text_.append(i == 0 ? "{" : ",").append(labels[i].first).append("=\"");
    append_escaped(text_, labels[i].second);
    text_.push_back('"');
  }
  text_.append(labels.empty() ? " " : "} ").append(value).append("\n");
}

void MetricsText::counter(std::string_view name, std::string_view help, std::uint64_t value,
                          const Labels& labels) {
  header(name, help, "counter");
  sample(name, labels, std::to_string(value));
}

void MetricsText::gauge(std::string_view name, std::string_view help, double value,
                        const Labels& labels) {
  header(name, help, "gauge");
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  sample(name, labels, {digits.data(), static_cast<std::size_t>(end - digits.data())});
}

}  // namespace mote::admin

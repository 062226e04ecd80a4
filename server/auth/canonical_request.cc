#include "server/auth/canonical_request.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "server/http/ascii.h"

namespace mote::auth {

namespace {

struct EncodedParam {
  std::string name;
  std::string value;
  friend bool operator<(const EncodedParam& a, const EncodedParam& b) {
    return std::tie(a.name, a.value) < std::tie(b.name, b.value);
  }
};

/// A value without blanks at the ends and with inner runs of them made one.
void append_collapsed(std::string& out, std::string_view value) {
  value = http::trim_ows(value);
  // Two passes of memchr() beat one that looks for either: few values have a blank, fewer a tab.
  if (value.find('\t') == std::string_view::npos) {
    const std::size_t run = value.find("  ");
    out.append(value.substr(0, run));
    if (run == std::string_view::npos) {
      return;
    }
    value.remove_prefix(run);
  }
  for (const char c : value) {
    if (!http::is_ows(c)) {
      out.push_back(c);
    } else if (out.back() != ' ') {  // a value does not begin with a blank
      out.push_back(' ');
    }
  }
}

/// "name:value1,value2\n"; false if there is no such header (its value is then empty).
bool append_canonical_header(std::string& out, const http::HeaderMap& headers,
                             std::string_view name) {
  const std::size_t start = out.size();
  out.append(name);
  for (std::size_t i = start; i < out.size(); ++i) {
    out[i] = http::to_lower(out[i]);
  }
  out.push_back(':');
  bool found = false;
  for (const http::HeaderField& field : headers.fields()) {
    if (field.name.size() != name.size() ||
        !http::equals_ignore_case(field.name, std::string_view(out).substr(start, name.size()))) {
      continue;
    }
    if (found) {
      out.push_back(',');
    }
    append_collapsed(out, field.value);
    found = true;
  }
  out.push_back('\n');
  return found;
}

}  // namespace

void append_canonical_uri(std::string& out, const http::Target& target, http::Slash encoded_slash) {
  const std::string_view raw = target.raw_path();
  if (raw.find('%') == std::string_view::npos) {
    http::append_uri_encoded(out, raw, http::Slash::keep);
    return;
  }
  for (std::size_t i = 0; i < raw.size();) {
    const std::size_t escape = std::min(raw.find('%', i), raw.size());
    http::append_uri_encoded(out, raw.substr(i, escape - i), http::Slash::keep);
    i = escape;
    if (raw.size() - i >= 3) {  // an escape is always whole: the target was parsed before
      const char byte =
          static_cast<char>(http::hex_value(raw[i + 1]) * 16 + http::hex_value(raw[i + 2]));
      http::append_uri_encoded(out, std::string_view(&byte, 1), encoded_slash);
    }
    i += std::min<std::size_t>(3, raw.size() - i);
  }
}

void append_canonical_query(std::string& out, const http::Target& target, std::string_view except) {
  const auto params = target.params();
  if (params.size() == 1 && params.front().name != except) {
    http::append_uri_encoded(out, params.front().name, http::Slash::encode);
    out.push_back('=');
    http::append_uri_encoded(out, params.front().value, http::Slash::encode);
    return;
  }
  std::vector<EncodedParam> sorted;
  for (const http::QueryParam& param : params) {
    if (param.name != except) {
      sorted.push_back({http::uri_encode(param.name), http::uri_encode(param.value)});
    }
  }
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    out.append(i == 0 ? "" : "&").append(sorted[i].name).append("=").append(sorted[i].value);
  }
}

bool append_canonical_request(std::string& out, const CanonicalInput& input) {
  out.append(input.head.method_text).push_back('\n');
  append_canonical_uri(out, input.target, input.encoded_slash);
  out.push_back('\n');
  append_canonical_query(
      out, input.target,
      input.presigned ? std::string_view("X-Amz-Signature") : std::string_view{});
  out.push_back('\n');
  bool complete = true;
  std::string_view rest = input.signed_headers;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    complete = append_canonical_header(out, input.head.headers, rest.substr(0, end)) && complete;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  out.append("\n").append(input.signed_headers).append("\n").append(input.payload_hash);
  return complete;
}

}  // namespace mote::auth

#include "server/s3/xml/writer.h"

#include <array>
#include <charconv>

#include "server/http/date.h"
#include "server/http/uri.h"

namespace mote::xml {

namespace {

constexpr std::string_view kDeclaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

void append_reference(std::string& out, unsigned char byte) {
  std::array<char, 2> digits{};
  const auto [end, ec] = std::to_chars(digits.data(), digits.data() + digits.size(), byte, 16);
  out.append("&#x").append(digits.data(), end).push_back(';');
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out.append("&amp;");
        break;
      case '<':
        out.append("&lt;");
        break;
      case '>':
        out.append("&gt;");
        break;
      case '"':
        out.append("&quot;");
        break;
      case '\'':
        out.append("&apos;");
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          append_reference(out, static_cast<unsigned char>(c));
        } else {
          out.push_back(c);
        }
    }
  }
}

Writer::Writer(std::string_view root, std::string_view xml_namespace) : root_(root) {
  out_.append(kDeclaration).push_back('<');
  out_.append(root);
  if (!xml_namespace.empty()) {
    out_.append(" xmlns=\"").append(xml_namespace).push_back('"');
  }
  out_.push_back('>');
}

void Writer::start_tag(std::string_view name) {
  out_.push_back('<');
  out_.append(name).push_back('>');
}

void Writer::end_tag(std::string_view name) {
  out_.append("</").append(name).push_back('>');
}

Writer& Writer::open(std::string_view name) {
  start_tag(name);
  return *this;
}

Writer& Writer::open_with_type(std::string_view name, std::string_view xsi_type) {
  out_.push_back('<');
  out_.append(name)
      .append(" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"")
      .append(xsi_type)
      .append("\">");
  return *this;
}

Writer& Writer::close(std::string_view name) {
  end_tag(name);
  return *this;
}

Writer& Writer::text(std::string_view name, std::string_view value) {
  start_tag(name);
  append_escaped(out_, value);
  end_tag(name);
  return *this;
}

Writer& Writer::key(std::string_view name, std::string_view value, Encoding encoding) {
  if (encoding == Encoding::none) {
    return text(name, value);
  }
  start_tag(name);
  http::append_uri_encoded(out_, value, http::Slash::keep);
  end_tag(name);
  return *this;
}

Writer& Writer::number(std::string_view name, std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto [end, ec] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  start_tag(name);
  out_.append(digits.data(), end);
  end_tag(name);
  return *this;
}

Writer& Writer::boolean(std::string_view name, bool value) {
  start_tag(name);
  out_.append(value ? "true" : "false");
  end_tag(name);
  return *this;
}

Writer& Writer::date(std::string_view name, std::int64_t milliseconds) {
  const auto written = http::format_xml_date(milliseconds);
  start_tag(name);
  out_.append(written.data(), written.size());
  end_tag(name);
  return *this;
}

Writer& Writer::etag(std::string_view name, std::string_view tag) {
  start_tag(name);
  out_.append("&quot;").append(tag).append("&quot;");
  end_tag(name);
  return *this;
}

std::string Writer::finish() && {
  end_tag(root_);
  return std::move(out_);
}

}  // namespace mote::xml

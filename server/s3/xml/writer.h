#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mote::xml {

/// The namespace of every S3 result document. Error documents have none (wire.md 3.5: boto3 reads
/// an empty Code otherwise).
inline constexpr std::string_view kNamespace = "http://s3.amazonaws.com/doc/2006-03-01/";

/// How keys are written: `encoding-type=url` percent-encodes them, '/' kept, a blank as %20 and '+'
/// as %2B, so that both kinds of client decoders read them right.
enum class Encoding : bool { none, url };

/// Appends text with the five XML characters escaped and control characters as character
/// references: what XML 1.0 cannot hold at all then fails in the client's parser instead of
/// changing a key.
void append_escaped(std::string& out, std::string_view text);

/// Builds one document, front to back, into one string. Element names are compiled-in literals.
/// Scalars are written without blanks around them; an empty number or date cannot be written.
class Writer {
 public:
  /// Starts a document with the S3 namespace on its root.
  explicit Writer(std::string_view root, std::string_view xml_namespace = kNamespace);

  Writer& open(std::string_view name);
  /// An element with the attributes of an ACL grantee.
  Writer& open_with_type(std::string_view name, std::string_view xsi_type);
  Writer& close(std::string_view name);
  Writer& text(std::string_view name, std::string_view value);
  /// A key, prefix, marker or delimiter under the document's encoding.
  Writer& key(std::string_view name, std::string_view value, Encoding encoding);
  Writer& number(std::string_view name, std::uint64_t value);
  Writer& boolean(std::string_view name, bool value);
  /// Milliseconds since 1970 as "2006-01-02T15:04:05.000Z".
  Writer& date(std::string_view name, std::int64_t milliseconds);
  /// An entity tag with its quotes.
  Writer& etag(std::string_view name, std::string_view tag);

  void reserve(std::size_t bytes) { out_.reserve(bytes); }
  /// Closes the root and gives the document away.
  [[nodiscard]] std::string finish() &&;

 private:
  void start_tag(std::string_view name);
  void end_tag(std::string_view name);

  std::string out_;
  std::string_view root_;
};

}  // namespace mote::xml

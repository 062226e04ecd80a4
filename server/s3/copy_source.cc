#include "server/s3/copy_source.h"

#include "server/http/range.h"
#include "server/http/uri.h"
#include "server/s3/ids.h"
#include "server/s3/names.h"

namespace mote::s3 {

namespace {

constexpr std::string_view kHeader = "x-amz-copy-source";
constexpr std::string_view kVersionMark = "?versionId=";

S3Error bad_source(std::string_view value) {
  return invalid_argument(
      "Copy Source must mention the source bucket and key: sourcebucket/sourcekey", kHeader, value);
}

}  // namespace

Outcome<CopySource> parse_copy_source(std::string_view value) {
  CopySource source;
  std::string_view path = value;
  if (const std::size_t mark = value.find(kVersionMark); mark != std::string_view::npos) {
    source.version_text = value.substr(mark + kVersionMark.size());
    source.version = parse_version_id(source.version_text);
    if (!source.version) {
      return invalid_argument("Invalid version id specified", "versionId", source.version_text);
    }
    path = value.substr(0, mark);
  }
  std::string decoded;
  if (!http::append_uri_decoded(decoded, path, http::Plus::literal)) {
    return bad_source(value);
  }
  std::string_view rest = decoded;
  if (rest.starts_with('/')) {
    rest.remove_prefix(1);
  }
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) {
    return bad_source(value);
  }
  source.bucket = rest.substr(0, slash);
  source.key = rest.substr(slash + 1);
  if (!is_valid_bucket_name(source.bucket) || check_key(source.key)) {
    return bad_source(value);
  }
  return source;
}

Outcome<CopyRange> parse_copy_range(std::string_view value) {
  const std::optional<http::RangeSpec> spec = http::parse_range(value);
  if (!spec || spec->kind != http::RangeSpec::Kind::from_to) {
    return invalid_argument(
        "The x-amz-copy-source-range value must be of the form bytes=first-last where first and "
        "last are the zero-based offsets of the first and last bytes to copy",
        "x-amz-copy-source-range", value);
  }
  return CopyRange{.first = spec->first, .last = spec->last};
}

}  // namespace mote::s3

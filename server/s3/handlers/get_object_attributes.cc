#include <algorithm>

#include "server/s3/checksums.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/parameters.h"
#include "server/s3/handlers/read_plan.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/xml/writer.h"

namespace mote::s3 {

namespace {

struct Wanted {
  bool etag = false;
  bool checksum = false;
  bool parts = false;
  bool storage_class = false;
  bool size = false;
};

/// x-amz-object-attributes: a list of names, perhaps over several header lines.
Outcome<Wanted> read_wanted(const Call& call) {
  std::string list;
  call.head().headers.find_all("x-amz-object-attributes",
                               [&list](std::string_view value) { list.append(value).append(","); });
  if (list.empty()) {
    list = call.header("x-amz-object-attributes").value_or("");
  }
  Wanted wanted;
  bool any = false;
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view name = http::trim_ows(rest.substr(0, comma));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    if (name.empty()) {
      continue;
    }
    any = true;
    if (name == "ETag") {
      wanted.etag = true;
    } else if (name == "Checksum") {
      wanted.checksum = true;
    } else if (name == "ObjectParts") {
      wanted.parts = true;
    } else if (name == "StorageClass") {
      wanted.storage_class = true;
    } else if (name == "ObjectSize") {
      wanted.size = true;
    } else {
      return invalid_argument("Invalid attribute name specified.", "x-amz-object-attributes", name);
    }
  }
  if (!any) {
    return invalid_argument(
        "The x-amz-object-attributes header specifying the attributes to be retrieved is either "
        "missing or empty",
        "x-amz-object-attributes", list);
  }
  return wanted;
}

struct PartsPage {
  std::uint32_t marker = 0;
  std::uint32_t count = 0;
};

Outcome<std::uint32_t> integer_header(const Call& call, std::string_view name,
                                      std::uint32_t absent) {
  const std::string_view text = call.header(name).value_or("");
  if (text.empty()) {
    return absent;
  }
  return parse_integer(text, name, {});
}

Outcome<PartsPage> read_page(const Call& call) {
  constexpr std::uint32_t kPageMax = 1000;
  const Outcome<std::uint32_t> count = integer_header(call, "x-amz-max-parts", kPageMax);
  if (!count) {
    return count.error();
  }
  const Outcome<std::uint32_t> marker = integer_header(call, "x-amz-part-number-marker", 0);
  if (!marker) {
    return marker.error();
  }
  return PartsPage{.marker = *marker, .count = std::min(*count, kPageMax)};
}

void write_checksum(xml::Writer& writer, const ObjectHead& head) {
  if (const auto algorithm = to_algorithm(head.checksum.kind)) {
    writer.open("Checksum");
    writer.text(digest::element_name(*algorithm), to_text(head.checksum, head.parts.size()));
    writer.text("ChecksumType", type_name(head.checksum.composite)).close("Checksum");
  }
}

void write_parts(xml::Writer& writer, const ObjectHead& head, const PartsPage& page) {
  const auto first = std::upper_bound(
      head.parts.begin(), head.parts.end(), page.marker,
      [](std::uint32_t number, const PartLayout& part) { return number < part.number; });
  const auto left = head.parts.end() - first;
  const auto last = first + std::min<std::ptrdiff_t>(left, static_cast<std::ptrdiff_t>(page.count));
  // The API reference calls it TotalPartsCount; S3 sends, and every SDK reads, PartsCount.
  writer.open("ObjectParts").number("PartsCount", head.parts.size());
  // Only parts of a composite have checksums of their own to show.
  if (head.checksum.composite || head.checksum.kind == ChecksumKind::none) {
    writer.number("PartNumberMarker", page.marker);
    writer.number("NextPartNumberMarker", last == first ? page.marker : (last - 1)->number);
    writer.number("MaxParts", page.count).boolean("IsTruncated", last != head.parts.end());
    for (auto part = first; part != last; ++part) {
      writer.open("Part").number("PartNumber", part->number).number("Size", part->bytes);
      if (const auto algorithm = to_algorithm(part->checksum.kind)) {
        writer.text(digest::element_name(*algorithm), to_text(part->checksum, 0));
      }
      writer.close("Part");
    }
  }
  writer.close("ObjectParts");
}

}  // namespace

Async<Answer> get_object_attributes(Call& call) {
  const Outcome<Wanted> wanted = read_wanted(call);
  if (!wanted) {
    co_return wanted.error();
  }
  const Outcome<PartsPage> page = read_page(call);
  if (!page) {
    co_return page.error();
  }
  Outcome<ObjectRef> ref = object_ref(call);
  if (!ref) {
    co_return std::move(ref).error();
  }
  const Result<engine::HeadPtr> found = co_await engine::head(call.services.store, *std::move(ref));
  if (!found) {
    co_return read_error(call, found.error());
  }
  const ObjectHead& head = **found;
  xml::Writer writer("GetObjectAttributesResponse");
  if (wanted->etag) {
    writer.text("ETag", mote::to_text(head.etag));  // the one document where it has no quotes
  }
  if (wanted->checksum) {
    write_checksum(writer, head);
  }
  if (wanted->parts && !head.parts.empty()) {
    write_parts(writer, head, *page);
  }
  if (wanted->storage_class) {
    writer.text("StorageClass", "STANDARD");
  }
  if (wanted->size) {
    writer.number("ObjectSize", head.bytes);
  }
  Reply reply = xml_reply(std::move(writer).finish());
  http::HeaderBlock block;
  add_last_modified(block, head.modified_ms);
  add_version(block, head);
  reply.head.append(block.text());
  co_return reply;
}

}  // namespace mote::s3

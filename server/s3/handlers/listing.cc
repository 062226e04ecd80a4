#include "server/s3/handlers/listing.h"

#include "server/s3/checksums.h"

namespace mote::s3 {

OwnerName owner_name(const Call& call, const std::string& user_id) {
  const auto snapshot = call.services.authenticator.credentials().snapshot();
  const auth::Identity* identity = snapshot->find_user(user_id);
  return {.id = user_id, .display_name = identity == nullptr ? user_id : identity->display_name};
}

void write_owner(xml::Writer& writer, std::string_view element, const OwnerName& owner) {
  writer.open(element).text("ID", owner.id).text("DisplayName", owner.display_name);
  writer.close(element);
}

void write_checksum_names(xml::Writer& writer, const ObjectHead& head) {
  if (const auto algorithm = to_algorithm(head.checksum.kind)) {
    writer.text("ChecksumAlgorithm", digest::name(*algorithm));
    writer.text("ChecksumType", type_name(head.checksum.composite));
  }
}

void write_common_prefixes(xml::Writer& writer, const std::vector<std::string>& prefixes,
                           xml::Encoding encoding) {
  for (const std::string& prefix : prefixes) {
    writer.open("CommonPrefixes").key("Prefix", prefix, encoding).close("CommonPrefixes");
  }
}

}  // namespace mote::s3

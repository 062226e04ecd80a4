#pragma once

#include <string>
#include <string_view>

#include "erasure/meta/object.h"
#include "server/auth/credentials.h"
#include "server/s3/handlers/call.h"
#include "server/s3/xml/writer.h"

namespace mote::s3 {

/// The owner element of listings, ACLs and uploads: objects belong to the bucket's owner.
struct OwnerName {
  std::string id;
  std::string display_name;
};
[[nodiscard]] OwnerName owner_name(const Call& call, const std::string& user_id);
void write_owner(xml::Writer& writer, std::string_view element, const OwnerName& owner);

/// <ChecksumAlgorithm> and <ChecksumType> of an object that has a checksum.
void write_checksum_names(xml::Writer& writer, const ObjectHead& head);

void write_common_prefixes(xml::Writer& writer, const std::vector<std::string>& prefixes,
                           xml::Encoding encoding);

}  // namespace mote::s3

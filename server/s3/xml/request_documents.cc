#include "server/s3/xml/request_documents.h"

#include <charconv>

#include "server/s3/xml/reader.h"

namespace mote::xml {

namespace {

std::optional<std::int64_t> to_number(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  std::int64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::string_view without_quotes(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

std::optional<bool> to_boolean(std::string_view text) noexcept {
  if (text == "true" || text == "TRUE" || text == "True" || text == "1") {
    return true;
  }
  if (text == "false" || text == "FALSE" || text == "False" || text == "0") {
    return false;
  }
  return std::nullopt;
}

std::optional<Document> parse_root(std::string_view text, std::string_view root) {
  std::optional<Document> document = Document::parse(text);
  if (!document || document->root().name() != root) {
    return std::nullopt;
  }
  return document;
}

std::optional<DeleteEntry> read_delete_entry(const Element& object) {
  DeleteEntry entry;
  bool good = true;
  bool has_key = false;
  object.for_each([&](const Element& field) {
    std::optional<std::string> text = field.text();
    if (!text) {
      good = false;
    } else if (field.name() == "Key") {
      good = !has_key && !text->empty();
      has_key = true;
      entry.key = *std::move(text);
    } else if (field.name() == "VersionId") {
      entry.version_id = std::move(text);
    } else if (field.name() == "ETag") {
      entry.etag = std::move(text);
    } else if (field.name() == "LastModifiedTime" || field.name() == "Size") {
      entry.unsupported = true;
    }
    return good;
  });
  if (!good || !has_key) {
    return std::nullopt;
  }
  return entry;
}

std::optional<CompletePart> read_complete_part(const Element& element) {
  CompletePart part;
  bool good = true;
  bool has_etag = false;
  bool has_number = false;
  element.for_each([&](const Element& field) {
    std::optional<std::string> text = field.text();
    if (!text) {
      good = false;
    } else if (field.name() == "PartNumber") {
      const std::optional<std::int64_t> number = to_number(*text);
      good = number.has_value() && !has_number;
      has_number = true;
      part.number = number.value_or(0);
    } else if (field.name() == "ETag") {
      good = !has_etag;
      has_etag = true;
      part.etag = without_quotes(*text);
    } else if (field.name().starts_with("Checksum")) {
      part.checksums.emplace_back(field.name(), *std::move(text));
    }
    return good;
  });
  if (!good || !has_etag || !has_number) {
    return std::nullopt;
  }
  return part;
}

std::optional<Grant> read_grant(const Element& element) {
  const std::optional<Element> grantee = element.child("Grantee");
  std::optional<std::string> permission = element.child_text("Permission");
  if (!grantee || !permission) {
    return std::nullopt;
  }
  return Grant{.grantee_id = grantee->child_text("ID").value_or(""),
               .permission = *std::move(permission)};
}

}  // namespace

std::optional<DeleteDocument> read_delete(std::string_view text, std::size_t objects_max) {
  const std::optional<Document> document = parse_root(text, "Delete");
  if (!document) {
    return std::nullopt;
  }
  DeleteDocument out;
  bool good = true;
  document->root().for_each([&](const Element& child) {
    if (child.name() == "Quiet") {
      const std::optional<std::string> quiet = child.text();
      out.quiet = quiet == "true" || quiet == "True" || quiet == "1";
    } else if (child.name() == "Object") {
      std::optional<DeleteEntry> entry = read_delete_entry(child);
      good = entry.has_value() && out.objects.size() < objects_max;
      if (good) {
        out.objects.push_back(*std::move(entry));
      }
    }
    return good;
  });
  if (!good || out.objects.empty()) {
    return std::nullopt;
  }
  return out;
}

std::optional<CompleteDocument> read_complete(std::string_view text, std::size_t parts_max) {
  const std::optional<Document> document = parse_root(text, "CompleteMultipartUpload");
  if (!document) {
    return std::nullopt;
  }
  CompleteDocument out;
  bool good = true;
  document->root().for_each([&](const Element& child) {
    if (child.name() == "Part") {
      std::optional<CompletePart> part = read_complete_part(child);
      good = part.has_value() && out.parts.size() < parts_max;
      if (good) {
        out.parts.push_back(*std::move(part));
      }
    }
    return good;
  });
  if (!good || out.parts.empty()) {
    return std::nullopt;
  }
  return out;
}

std::optional<TagList> read_tagging(std::string_view text) {
  const std::optional<Document> document = parse_root(text, "Tagging");
  if (!document) {
    return std::nullopt;
  }
  const std::optional<Element> set = document->root().child("TagSet");
  if (!set) {
    return std::nullopt;
  }
  TagList out;
  bool good = true;
  set->for_each([&](const Element& tag) {
    std::optional<std::string> key = tag.child_text("Key");
    std::optional<std::string> value = tag.child_text("Value");
    good = tag.name() == "Tag" && key.has_value() && value.has_value();
    if (good) {
      out.emplace_back(*std::move(key), *std::move(value));
    }
    return good;
  });
  if (!good) {
    return std::nullopt;
  }
  return out;
}

std::optional<CreateBucketDocument> read_create_bucket(std::string_view text) {
  CreateBucketDocument out;
  if (text.empty()) {
    return out;
  }
  const std::optional<Document> document = parse_root(text, "CreateBucketConfiguration");
  if (!document) {
    return std::nullopt;
  }
  const Element root = document->root();
  if (const std::optional<Element> location = root.child("LocationConstraint")) {
    std::optional<std::string> value = location->text();
    if (!value) {
      return std::nullopt;
    }
    out.location = *std::move(value);
  }
  out.directory = root.child("Bucket").has_value() || root.child("Location").has_value();
  return out;
}

std::optional<VersioningDocument> read_versioning(std::string_view text) {
  const std::optional<Document> document = parse_root(text, "VersioningConfiguration");
  if (!document) {
    return std::nullopt;
  }
  const std::optional<std::string> status = document->root().child_text("Status");
  if (status != "Enabled" && status != "Suspended") {
    return std::nullopt;
  }
  const std::optional<std::string> mfa = document->root().child_text("MfaDelete");
  return VersioningDocument{.enabled = status == "Enabled", .mfa_delete = mfa == "Enabled"};
}

std::optional<std::string> read_ownership_controls(std::string_view text) {
  const std::optional<Document> document = parse_root(text, "OwnershipControls");
  if (!document) {
    return std::nullopt;
  }
  std::size_t rules = 0;
  std::optional<std::string> out;
  document->root().for_each([&](const Element& rule) {
    ++rules;
    out = rule.child_text("ObjectOwnership");
    return true;
  });
  const bool known =
      out == "BucketOwnerEnforced" || out == "BucketOwnerPreferred" || out == "ObjectWriter";
  return rules == 1 && known ? out : std::nullopt;
}

std::optional<AclDocument> read_acl(std::string_view text) {
  const std::optional<Document> document = parse_root(text, "AccessControlPolicy");
  if (!document) {
    return std::nullopt;
  }
  AclDocument out;
  if (const std::optional<Element> owner = document->root().child("Owner")) {
    out.owner_id = owner->child_text("ID").value_or("");
  }
  const std::optional<Element> list = document->root().child("AccessControlList");
  if (!list) {
    return std::nullopt;
  }
  bool good = true;
  list->for_each([&](const Element& element) {
    std::optional<Grant> grant = read_grant(element);
    good = grant.has_value();
    if (good) {
      out.grants.push_back(*std::move(grant));
    }
    return good;
  });
  if (!good) {
    return std::nullopt;
  }
  return out;
}

std::optional<PublicAccessBlockDocument> read_public_access_block(std::string_view text) {
  const std::optional<Document> document = parse_root(text, "PublicAccessBlockConfiguration");
  if (!document) {
    return std::nullopt;
  }
  PublicAccessBlockDocument out;
  const std::pair<std::string_view, bool*> fields[] = {
      {"BlockPublicAcls", &out.block_public_acls},
      {"IgnorePublicAcls", &out.ignore_public_acls},
      {"BlockPublicPolicy", &out.block_public_policy},
      {"RestrictPublicBuckets", &out.restrict_public_buckets}};
  for (const auto& [name, value] : fields) {
    if (!document->root().child(name)) {
      continue;
    }
    const std::optional<bool> given =
        to_boolean(document->root().child_text(name).value_or(std::string()));
    if (!given) {
      return std::nullopt;
    }
    *value = *given;
  }
  return out;
}

}  // namespace mote::xml

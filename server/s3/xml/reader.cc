#include "server/s3/xml/reader.h"

#include <utility>

#include <pugixml.hpp>

namespace mote::xml {

namespace {

pugi::xml_node as_node(void* node) noexcept {
  return pugi::xml_node(static_cast<pugi::xml_node_struct*>(node));
}

void* as_pointer(pugi::xml_node node) noexcept {
  return node.internal_object();
}

std::string_view local_name(std::string_view name) noexcept {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

pugi::xml_node skip_to_element(pugi::xml_node node) noexcept {
  while (node && node.type() != pugi::node_element) {
    node = node.next_sibling();
  }
  return node;
}

}  // namespace

struct Document::Tree {
  pugi::xml_document document;
};

std::string_view Element::name() const noexcept {
  return local_name(as_node(node_).name());
}

std::optional<std::string> Element::text() const {
  std::string out;
  for (const pugi::xml_node part : as_node(node_).children()) {
    if (part.type() == pugi::node_element) {
      return std::nullopt;
    }
    if (part.type() == pugi::node_pcdata || part.type() == pugi::node_cdata) {
      out.append(part.value());
    }
  }
  return out;
}

std::optional<Element> Element::child(std::string_view wanted) const {
  std::optional<Element> found;
  for_each([&found, wanted](const Element& at) {
    if (at.name() == wanted) {
      found = at;
      return false;
    }
    return true;
  });
  return found;
}

std::optional<std::string> Element::child_text(std::string_view wanted) const {
  const std::optional<Element> found = child(wanted);
  return found ? found->text() : std::nullopt;
}

std::optional<Element> Element::first() const noexcept {
  const pugi::xml_node node = skip_to_element(as_node(node_).first_child());
  return node ? std::optional(Element(as_pointer(node))) : std::nullopt;
}

std::optional<Element> Element::next() const noexcept {
  const pugi::xml_node node = skip_to_element(as_node(node_).next_sibling());
  return node ? std::optional(Element(as_pointer(node))) : std::nullopt;
}

std::optional<Document> Document::parse(std::string_view text) {
  if (!is_acceptable(text)) {
    return std::nullopt;
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  auto tree = std::make_unique<Tree>();
  // A key may be a single blank: character data is kept even where it is blanks only.
  constexpr unsigned kOptions = pugi::parse_default | pugi::parse_ws_pcdata_single;
  const pugi::xml_parse_result parsed =
      tree->document.load_buffer(text.data(), text.size(), kOptions, pugi::encoding_utf8);
  if (!parsed) {
    return std::nullopt;
  }
  return Document(std::move(tree));
}

Element Document::root() const noexcept {
  return Element(as_pointer(tree_->document.document_element()));
}

Document::Document(std::unique_ptr<Tree> tree) noexcept : tree_(std::move(tree)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

}  // namespace mote::xml

import Foundation
import StoreModel

/// The query of a list with pages.
package struct PageQuery: APIObject {
  package var after: PageCursor?
  package var limit: Int64?

  package static let notes: [String: MemberNote] = ["after": "`next` of the page before.", "limit": limitNote]

  package static let limitNote = MemberNote(
    "The number of elements on a page.", minimum: 1, maximum: 1_000, defaultValue: .integer(1_000))

  package init(after: PageCursor? = nil, limit: Int64? = nil) {
    self.after = after
    self.limit = limit
  }

  package var count: Int { Int(limit ?? 1_000) }
}

/// The position after which a page begins. Clients send it back as it is.
package struct PageCursor: APIValue, Hashable {
  /// The parts of the key of the last element of the page before.
  package let key: [String]

  package init(key: [String]) { self.key = key }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let bytes = Self.bytes(text), let key = try? JSONDecoder().decode([String].self, from: bytes),
      key.allSatisfy({ !$0.utf8.contains(0) && $0.isStreamSafe })
    else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is not `next` of a page.")
    }
    self.key = key
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// The cursor as clients send it, for example in an address.
  package var text: String {
    // Encoding strings cannot fail.
    let bytes = (try? JSONEncoder().encode(key)) ?? Data()
    return bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Decodes base64url without padding (RFC 4648, section 5).
  private static func bytes(_ text: String) -> Data? {
    guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") })
    else { return nil }
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
  }

  package static func schema(_ components: SchemaComponents) -> JSONSchema { JSONSchema(.string) }
  package static var sample: PageCursor { PageCursor(key: []) }
  package static var componentName: String? { "PageCursor" }
}

/// A list of which an endpoint answers a page.
package protocol PagedList: APIObject {
  /// The position after which the next page begins; nil on the last page.
  var next: PageCursor? { get }

  /// Appends the page that follows.
  mutating func append(_ page: Self)
}

extension MemberNote {
  package static let nextPageAfter: MemberNote = "`after` for the next page; missing on the last page."
}

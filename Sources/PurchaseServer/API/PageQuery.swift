import APIDescription
import Foundation
import SignedData
import StoreModel

/// The query of a list with pages.
struct PageQuery: APIObject {
  let after: PageCursor?
  let limit: Int64?

  static let notes: [String: MemberNote] = [
    "after": "`next` of the page before.",
    "limit": MemberNote("The number of elements on a page.", minimum: 1, maximum: 1_000, defaultValue: .integer(1_000)),
  ]

  var count: Int { Int(limit ?? 1_000) }
}

/// The position after which a page begins. Clients send it back as it is.
struct PageCursor: APIValue {
  /// The parts of the key of the last element of the page before.
  let key: [String]

  init(key: [String]) { self.key = key }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let bytes = Array(text.utf8).withUnsafeBufferPointer({ Base64.decode($0, .url) }),
      let key = try? JSONDecoder().decode([String].self, from: Data(bytes)),
      key.allSatisfy({ !$0.utf8.contains(0) && $0.isStreamSafe })
    else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is not `next` of a page.")
    }
    self.key = key
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Base64.text(Array(try JSONEncoder().encode(key)), .url))
  }

  static func schema(_ components: SchemaComponents) -> JSONSchema { JSONSchema(.string) }
  static var sample: PageCursor { PageCursor(key: []) }
  static var componentName: String? { "PageCursor" }
}

import Foundation

/// The status and the header fields of a response.
public struct HTTPReplyHead: Hashable, Sendable {
  public let status: Int
  private let fields: [String: String]

  /// - Parameter fields: the header fields. Names are case-insensitive. Of several names that differ only in case, an
  ///   arbitrary one is kept.
  public init(status: Int, fields: [String: String] = [:]) {
    self.status = status
    self.fields = Dictionary(fields.map { ($0.lowercased(), $1) }) { first, _ in first }
  }

  /// The value of a header field; nil if it is missing. The case of the name does not matter.
  public subscript(_ name: String) -> String? { fields[name.lowercased()] }
}

/// A complete response.
public struct HTTPReply: Hashable, Sendable {
  public let head: HTTPReplyHead
  public let body: Data

  public init(head: HTTPReplyHead, body: Data) {
    self.head = head
    self.body = body
  }

  public var status: Int { head.status }
}

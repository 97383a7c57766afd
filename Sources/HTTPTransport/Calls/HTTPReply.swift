import Foundation

/// What comes before the body of an answer.
public struct HTTPReplyHead: Hashable, Sendable {
  public let status: Int
  private let fields: [String: String]

  /// - Parameter fields: of the same name in whatever case, one.
  public init(status: Int, fields: [String: String] = [:]) {
    self.status = status
    self.fields = Dictionary(fields.map { ($0.lowercased(), $1) }) { first, _ in first }
  }

  /// The value of a field, whose name's case does not matter; nil where there is none.
  public subscript(_ name: String) -> String? { fields[name.lowercased()] }
}

/// An answer, all of it.
public struct HTTPReply: Hashable, Sendable {
  public let head: HTTPReplyHead
  public let body: Data

  public init(head: HTTPReplyHead, body: Data) {
    self.head = head
    self.body = body
  }

  public var status: Int { head.status }
}

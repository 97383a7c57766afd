import Foundation

/// A form with a file, from a request's body: `multipart/form-data` (RFC 7578).
package struct SubmittedFile: Sendable {
  /// The content of the first part.
  package let content: Data
  /// The texts of the other parts, by their names.
  package let otherFields: [String: String]

  /// The maximum number of bytes that are read after the file's part.
  private static let largestRest = 1 << 16

  /// Nil if the body is not `multipart/form-data`, or has no complete part.
  ///
  /// - Parameters:
  ///   - body: the request's body.
  ///   - contentType: the request's `Content-Type`, which contains the boundary.
  package init?(_ body: Data, _ contentType: String) {
    guard let boundary = Self.boundary(in: contentType), let start = body.range(of: Data("--\(boundary)\r\n".utf8)),
      let head = body.range(of: Data("\r\n\r\n".utf8), in: start.upperBound..<body.endIndex),
      let end = body.range(of: Data("\r\n--\(boundary)".utf8), in: head.upperBound..<body.endIndex)
    else { return nil }
    content = Data(body[head.upperBound..<end.lowerBound])
    let rest = String(decoding: body[end.upperBound...].prefix(Self.largestRest), as: UTF8.self)
    let fields = rest.matches(of: /form-data; name="([A-Za-z]+)"\r\n\r\n([^\r]*)/)
    otherFields = Dictionary(fields.map { (String($0.1), String($0.2)) }) { $1 }
  }

  private static func boundary(in contentType: String) -> String? {
    let parts = contentType.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
    guard parts.first?.lowercased() == "multipart/form-data" else { return nil }
    let value = parts.dropFirst().first { $0.lowercased().hasPrefix("boundary=") }?.dropFirst("boundary=".count)
    let boundary = value.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
    // RFC 2046 allows 70 bytes. Searching a large body for a longer boundary would be slow.
    return boundary.flatMap { (1...70).contains($0.utf8.count) ? $0 : nil }
  }
}

import Foundation

/// Reads a file from a form's request body, `multipart/form-data` (RFC 7578).
package enum SubmittedFile {
  /// - Parameters:
  ///   - contentType: the request's `Content-Type`, which contains the boundary.
  ///   - body: the request's body.
  /// - Returns: the content of the first part; nil if there is none.
  package static func content(of body: Data, _ contentType: String) -> Data? {
    guard let boundary = boundary(in: contentType), let start = body.range(of: Data("--\(boundary)\r\n".utf8)),
      let head = body.range(of: Data("\r\n\r\n".utf8), in: start.upperBound..<body.endIndex),
      let end = body.range(of: Data("\r\n--\(boundary)".utf8), in: head.upperBound..<body.endIndex)
    else { return nil }
    return Data(body[head.upperBound..<end.lowerBound])
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

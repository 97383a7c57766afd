import Foundation

/// The file that a form sends, as `multipart/form-data` (RFC 7578).
enum SubmittedFile {
  /// - Parameters:
  ///   - contentType: of the request, which names the boundary.
  ///   - body: of the request.
  /// - Returns: what is in the first part; nil where there is none.
  static func content(of body: Data, _ contentType: String) -> Data? {
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
    // No longer than RFC 2046 allows: what is searched for in a large body costs its length each time.
    return boundary.flatMap { (1...70).contains($0.utf8.count) ? $0 : nil }
  }
}

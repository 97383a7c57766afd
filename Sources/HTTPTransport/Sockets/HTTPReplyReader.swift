import Foundation

/// Parses an HTTP/1.1 response as its bytes arrive (RFC 9112). The body has a given length, comes in chunks, or ends
/// with the connection.
struct HTTPReplyReader {
  /// Thrown if the response is not HTTP/1.1, or its header is longer than ``longestHead``.
  struct Fault: Error, Hashable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private enum Body {
    /// The number of bytes still to come.
    case length(Int)
    /// The number of bytes of a chunk still to come: nil between two chunks, 0 before the line break that ends a chunk.
    case chunks(Int?)
    case rest
    case whole
  }

  static let longestHead = 64 * 1024

  /// Whether the response has no body although its header describes one, as in a response to `HEAD`.
  let hasNoBody: Bool
  private var unread: [UInt8] = []
  /// The number of bytes of `unread` already searched for the end of the header. Each byte is searched about once, even
  /// if the response arrives in very small pieces.
  private var searched = 0
  private var body: Body?

  init(hasNoBody: Bool = false) { self.hasNoBody = hasNoBody }

  /// Parses more bytes, and passes the result to `sink`.
  ///
  /// - Returns: whether the response is complete.
  mutating func take(_ bytes: some Sequence<UInt8>, for sink: any HTTPReplySink) throws -> Bool {
    unread += bytes
    while body == nil {
      guard let lines = try takeHead() else { return false }
      if let head = try read(lines) { try sink.begin(head) }
    }
    return try takeBody(for: sink)
  }

  /// Whether the response is complete if the connection ends now.
  var isWholeAtEnd: Bool {
    switch body {
    case .rest, .whole: true
    default: false
    }
  }

  // MARK: The head

  private mutating func takeHead() throws -> [String]? {
    guard let end = unread[max(0, searched - 3)...].firstRange(of: Array("\r\n\r\n".utf8)) else {
      guard unread.count <= Self.longestHead else { throw Fault("its answer has no end of the header") }
      searched = unread.count
      return nil
    }
    defer {
      unread.removeSubrange(..<end.upperBound)
      searched = 0
    }
    return String(decoding: unread[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
  }

  /// Returns nil for an interim response (1xx). The final response comes after it.
  private mutating func read(_ lines: [String]) throws -> HTTPReplyHead? {
    let parts = lines[0].split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), parts[1].utf8.count == 3, let status = Int(parts[1]) else {
      throw Fault("it does not speak HTTP/1.1")
    }
    if (100..<200).contains(status) { return nil }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { throw Fault("its header has a line that is none") }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      fields[line[..<colon].lowercased()] = value
    }
    if status == 204 || status == 304 || hasNoBody {
      body = .whole
    } else if let coding = fields["transfer-encoding"] {
      guard coding.lowercased() == "chunked" else { throw Fault("its answer is coded as \(coding)") }
      body = .chunks(nil)
    } else if let text = fields["content-length"] {
      guard let length = Int(text), length >= 0 else { throw Fault("its answer has a length of \(text)") }
      body = length == 0 ? .whole : .length(length)
    } else {
      body = .rest
    }
    return HTTPReplyHead(status: status, fields: fields)
  }

  // MARK: The body

  private mutating func takeBody(for sink: any HTTPReplySink) throws -> Bool {
    while true {
      switch body {
      case .length(let length):
        let count = try pass(atMost: length, to: sink)
        guard count == length else {
          body = .length(length - count)
          return false
        }
        body = .whole
      case .chunks(nil):
        guard let size = try takeChunkSize() else { return false }
        // Trailers, which may follow the last chunk, are ignored: the connection is closed next.
        body = size == 0 ? .whole : .chunks(size)
      case .chunks(0):
        guard unread.count >= 2 else { return false }
        guard unread.starts(with: Array("\r\n".utf8)) else { throw Fault("its answer has a chunk without an end") }
        unread.removeFirst(2)
        body = .chunks(nil)
      case .chunks(let size?):
        let count = try pass(atMost: size, to: sink)
        body = .chunks(size - count)
        guard count == size else { return false }
      case .rest:
        _ = try pass(atMost: .max, to: sink)
        return false
      case .whole:
        return true
      case nil:
        return false
      }
    }
  }

  private mutating func pass(atMost most: Int, to sink: any HTTPReplySink) throws -> Int {
    let count = min(unread.count, most)
    guard count > 0 else { return 0 }
    let bytes = Data(unread[..<count])
    unread.removeFirst(count)
    try sink.take(bytes)
    return count
  }

  private mutating func takeChunkSize() throws -> Int? {
    guard let end = unread.firstRange(of: Array("\r\n".utf8)) else {
      guard unread.count <= Self.longestHead else { throw Fault("its answer has a chunk without a size") }
      return nil
    }
    let line = String(decoding: unread[..<end.lowerBound], as: UTF8.self)
    guard let size = Int(line.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces), radix: 16), size >= 0 else {
      throw Fault("its answer has a chunk of size \(line)")
    }
    unread.removeSubrange(..<end.upperBound)
    return size
  }
}

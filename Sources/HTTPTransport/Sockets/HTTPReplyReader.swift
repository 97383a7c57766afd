import Foundation

/// Reads an answer as its bytes come (RFC 9112): of a given length, in chunks, or up to the end of the connection.
struct HTTPReplyReader {
  /// Not an answer in HTTP/1.1, or a header longer than is taken.
  struct Fault: Error, Hashable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private enum Body {
    /// So many bytes are still to come.
    case length(Int)
    /// So many bytes of a chunk are still to come; nil between two chunks, 0 before a chunk's end of line.
    case chunks(Int?)
    case rest
    case whole
  }

  static let longestHead = 64 * 1024

  /// For the answer to `HEAD`, whose header tells of a body that does not come.
  let hasNoBody: Bool
  private var unread: [UInt8] = []
  /// How much of it has no end of a header in it: looked at once, however small the pieces are that come.
  private var searched = 0
  private var body: Body?

  init(hasNoBody: Bool = false) { self.hasNoBody = hasNoBody }

  /// Takes what has come, and passes on what it is.
  ///
  /// - Returns: whether the answer is whole.
  mutating func take(_ bytes: some Sequence<UInt8>, for sink: any HTTPReplySink) throws -> Bool {
    unread += bytes
    while body == nil {
      guard let lines = try takeHead() else { return false }
      if let head = try read(lines) { try sink.begin(head) }
    }
    return try takeBody(for: sink)
  }

  /// Whether the end of the connection makes the answer whole; otherwise something is missing.
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

  /// Nil for an interim answer: the one that counts is to come.
  private mutating func read(_ lines: [String]) throws -> HTTPReplyHead? {
    let words = lines[0].split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1]) else {
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
        // Trailers would follow the last chunk; nobody reads them, and the connection is closed anyway.
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

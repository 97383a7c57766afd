import Foundation

/// Reads an answer as its bytes come (RFC 9112): of a given length, in chunks, or up to the end of the connection.
struct HTTPReplyReader {
  /// Not an answer in HTTP/1.1, or more than is taken.
  struct Fault: Error, Hashable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private enum Body {
    case length(Int)
    case chunks
    case rest
  }

  static let longestHead = 64 * 1024
  static let longestBody = 512 * 1024 * 1024

  private var unread: [UInt8] = []
  private var status = 0
  private var kind: Body?
  private var body = Data()

  /// Takes what has come. The reply, once it is whole.
  mutating func take(_ bytes: some Sequence<UInt8>) throws -> HTTPReply? {
    unread += bytes
    while kind == nil {
      guard let head = try takeHead() else { return nil }
      try read(head)
    }
    switch kind {
    case .length(let length):
      try moveToBody(min(unread.count, length - body.count))
      return body.count == length ? HTTPReply(status: status, body: body) : nil
    case .chunks:
      return try takeChunks() ? HTTPReply(status: status, body: body) : nil
    case .rest:
      try moveToBody(unread.count)
      return nil
    case nil:
      return nil
    }
  }

  /// The reply that the end of the connection makes whole; nil if something is missing.
  var replyAtEnd: HTTPReply? {
    if case .rest = kind { HTTPReply(status: status, body: body) } else { nil }
  }

  // MARK: The head

  private mutating func takeHead() throws -> [String]? {
    guard let end = unread.firstRange(of: Array("\r\n\r\n".utf8)) else {
      guard unread.count <= Self.longestHead else { throw Fault("its answer has no end of the header") }
      return nil
    }
    defer { unread.removeSubrange(..<end.upperBound) }
    return String(decoding: unread[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
  }

  private mutating func read(_ head: [String]) throws {
    let words = head[0].split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1]) else {
      throw Fault("it does not speak HTTP/1.1")
    }
    // An interim answer: the one that counts is to come.
    if (100..<200).contains(status) { return }
    self.status = status
    var fields: [String: String] = [:]
    for line in head.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { throw Fault("its header has a line that is none") }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      fields[line[..<colon].lowercased()] = value
    }
    if status == 204 || status == 304 {
      kind = .length(0)
    } else if let coding = fields["transfer-encoding"] {
      guard coding.lowercased() == "chunked" else { throw Fault("its answer is coded as \(coding)") }
      kind = .chunks
    } else if let text = fields["content-length"] {
      guard let length = Int(text), (0...Self.longestBody).contains(length) else {
        throw Fault("its answer has a length of \(text)")
      }
      kind = .length(length)
    } else {
      kind = .rest
    }
  }

  // MARK: The body

  private mutating func moveToBody(_ count: Int) throws {
    guard body.count + count <= Self.longestBody else { throw Fault("its answer is too long") }
    body.append(contentsOf: unread[..<count])
    unread.removeFirst(count)
  }

  /// Whether the last chunk was among what has come.
  private mutating func takeChunks() throws -> Bool {
    while let end = unread.firstRange(of: Array("\r\n".utf8)) {
      let line = String(decoding: unread[..<end.lowerBound], as: UTF8.self)
      guard let size = Int(line.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces), radix: 16),
        (0...Self.longestBody).contains(size)
      else { throw Fault("its answer has a chunk of size \(line)") }
      // Trailers would follow the last chunk; nobody reads them, and the connection is closed anyway.
      if size == 0 { return true }
      guard unread.count >= end.upperBound + size + 2 else { return false }
      unread.removeSubrange(..<end.upperBound)
      try moveToBody(size)
      guard unread.starts(with: Array("\r\n".utf8)) else { throw Fault("its answer has a chunk without an end") }
      unread.removeFirst(2)
    }
    guard unread.count <= Self.longestHead else { throw Fault("its answer has a chunk without a size") }
    return false
  }
}

import Foundation
import Testing

@testable import HTTPTransport

@Suite("Reading an HTTP answer", .timeLimit(.minutes(30)))
struct HTTPReplyReaderTests {
  struct Answer: Hashable {
    let status: Int
    let body: String
  }

  /// Reads `text` in pieces of every size, and expects the same result each time.
  private func reply(_ text: String, thenEnds: Bool = false) throws -> Answer? {
    let bytes = Array(text.utf8)
    var replies: [Answer?] = []
    for size in [1, 2, 3, 7, max(1, bytes.count)] {
      var reader = HTTPReplyReader()
      let sink = RecordedReply()
      var isWhole = false
      for start in stride(from: 0, to: bytes.count, by: size) where !isWhole {
        isWhole = try reader.take(bytes[start..<min(start + size, bytes.count)], for: sink)
      }
      isWhole = isWhole || thenEnds && reader.isWholeAtEnd
      replies.append(isWhole ? sink.head.map { Answer(status: $0.status, body: sink.text) } : nil)
    }
    #expect(Set(replies).count == 1)
    return replies[0]
  }

  @Test("with a length, in chunks, to the end of the connection, or without a body")
  func framings() throws {
    let hello = Answer(status: 200, body: "hello")
    #expect(try reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello") == hello)
    #expect(
      try reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=1\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n") == hello)
    #expect(try reply("HTTP/1.0 200 OK\r\n\r\nhello", thenEnds: true) == hello)
    #expect(try reply("HTTP/1.1 204 No Content\r\n\r\n") == Answer(status: 204, body: ""))
    #expect(try reply("HTTP/1.1 404 Not Found\r\ncontent-length:0\r\n\r\n") == Answer(status: 404, body: ""))
  }

  @Test("an interim response is skipped")
  func interim() throws {
    #expect(
      try reply("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
        == Answer(status: 200, body: "x"))
  }

  @Test(
    "a response that is cut at any place is incomplete",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
    ])
  func cutShort(text: String) throws {
    for length in 0..<text.utf8.count {
      #expect(try reply(String(decoding: text.utf8.prefix(length), as: UTF8.self), thenEnds: true) == nil, "\(length)")
    }
    #expect(try reply(text) != nil)
  }

  @Test(
    "a response that is not HTTP is a fault",
    arguments: [
      "SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 200 OK\r\nx\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
      String(repeating: "x", count: HTTPReplyReader.longestHead + 1),
    ])
  func faults(text: String) {
    #expect(throws: HTTPReplyReader.Fault.self) { try reply(text) }
  }
}

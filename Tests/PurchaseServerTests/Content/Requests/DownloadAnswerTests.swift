import HTTPTypes
import Testing

@testable import PurchaseServer

@Suite("Responses to requests for a file (RFC 9110, section 13.2)", .timeLimit(.minutes(30)))
struct DownloadAnswerTests {
  private static let file = Sample.file()
  private static let tag = "\"\(file.digest)\""

  private static func answer(
    _ fields: HTTPFields = [:], _ method: HTTPRequest.Method = .get, file: DownloadableFile = file
  ) -> DownloadAnswer {
    DownloadAnswer(to: method, fields, file: file)
  }

  @Test("The response with the whole file has all header fields")
  func whole() {
    let answer = Self.answer()
    #expect((answer.status, answer.part) == (.ok, 0..<1000))
    #expect(
      answer.fields == [
        .contentType: "application/epub+zip", .contentLength: "1000",
        .contentDisposition: "attachment; filename=\"book.epub\"", .acceptRanges: "bytes",
        .xContentTypeOptions: "nosniff", .eTag: Self.tag, .cacheControl: "private, no-store, no-transform",
        .reprDigest: "sha-256=:rjWWQhnRsku6EKL7qVUaBiGdcBqPP/9ugHUNCfTztJU=:",
      ])
  }

  @Test("HEAD has the header fields of GET and no body; it ignores a range")
  func head() {
    let (head, get) = (Self.answer([.range: "bytes=1-2"], .head), Self.answer())
    #expect((head.status, head.part) == (.ok, nil))
    #expect(head.fields == get.fields)
  }

  @Test("A part is 206, with its range and the size of the file")
  func part() {
    let answer = Self.answer([.range: "bytes=10-19"])
    #expect((answer.status, answer.part) == (.partialContent, 10..<20))
    #expect(answer.fields[.contentRange] == "bytes 10-19/1000")
    #expect(answer.fields[.contentLength] == "10")
    #expect(answer.fields[.eTag] == Self.tag)
    #expect(answer.fields[.reprDigest] == Self.answer().fields[.reprDigest])
  }

  @Test("An unsatisfiable range is 416, with the size of the file")
  func unsatisfiable() {
    let answer = Self.answer([.range: "bytes=1000-"])
    #expect((answer.status, answer.part) == (.rangeNotSatisfiable, nil))
    #expect(answer.fields[.contentRange] == "bytes */1000")
    #expect(answer.fields[.contentLength] == "0")
  }

  @Test("Several ranges are answered with the whole file, in one field or two")
  func several() {
    #expect(Self.answer([.range: "bytes=0-1,5-6"]).status == .ok)
    var fields = HTTPFields()
    fields.append(HTTPField(name: .range, value: "bytes=0-1"))
    fields.append(HTTPField(name: .range, value: "bytes=5-6"))
    #expect(Self.answer(fields).status == .ok)
  }

  @Test("If-Range: only the same strong tag continues a download; a date never does")
  func ifRange() {
    func status(_ condition: String) -> HTTPResponse.Status {
      Self.answer([.range: "bytes=10-", .ifRange: condition]).status
    }
    #expect(status(Self.tag) == .partialContent)
    for other in [
      "W/\(Self.tag)", "\"other\"", "*", "\(Self.tag), \"other\"", "Wed, 01 Jul 2026 12:00:00 GMT", "", "rubbish",
    ] { #expect(status(other) == .ok, "\(other)") }
    // If the condition fails, the range is ignored, even if it cannot be satisfied.
    #expect(Self.answer([.range: "bytes=1000-", .ifRange: "\"other\""]).status == .ok)
    #expect(Self.answer([.range: "bytes=1000-", .ifRange: Self.tag]).status == .rangeNotSatisfiable)
    #expect(Self.answer([.ifRange: "\"other\""]).status == .ok)
  }

  @Test("If-None-Match: 304 without length or body for an unchanged file, whatever its range")
  func ifNoneMatch() {
    for condition in [Self.tag, "W/\(Self.tag)", "*", "\"a\", \(Self.tag)"] {
      for method in [HTTPRequest.Method.get, .head] {
        let answer = Self.answer([.ifNoneMatch: condition, .range: "bytes=0-1"], method)
        #expect((answer.status, answer.part) == (.notModified, nil))
        #expect(answer.fields[.contentLength] == nil && answer.fields[.eTag] == Self.tag)
      }
    }
    for condition in ["\"a\"", "", Self.file.digest.description] {
      #expect(Self.answer([.ifNoneMatch: condition]).status == .ok)
    }
  }

  @Test("If-Match: 412 unless the tag matches; it is checked first")
  func ifMatch() {
    for condition in [Self.tag, "*", "\"a\", \(Self.tag)"] { #expect(Self.answer([.ifMatch: condition]).status == .ok) }
    for condition in ["W/\(Self.tag)", "\"a\"", "", "rubbish"] {
      let answer = Self.answer([.ifMatch: condition, .ifNoneMatch: "*", .range: "bytes=0-1"])
      #expect((answer.status, answer.part) == (.preconditionFailed, nil), "\(condition)")
    }
    #expect(Self.answer([.ifMatch: Self.tag, .ifNoneMatch: "*"]).status == .notModified)
  }

  @Test("An empty file is answered with 200 and an empty body")
  func empty() {
    let file = Sample.file(size: 0)
    #expect((Self.answer(file: file).status, Self.answer(file: file).part) == (.ok, 0..<0))
    #expect(Self.answer(file: file).fields[.contentLength] == "0")
    #expect(Self.answer([.range: "bytes=-1"], file: file).status == .ok)
    let unsatisfiable = Self.answer([.range: "bytes=0-"], file: file)
    #expect(unsatisfiable.fields[.contentRange] == "bytes */0")
  }

  @Test(
    "An invalid media type is sent as application/octet-stream",
    arguments: [
      ("text/plain; charset=utf-8", "text/plain; charset=utf-8"), ("text", "application/octet-stream"),
      ("", "application/octet-stream"), ("a/b/c", "application/octet-stream"),
      ("text/html\r\nSet-Cookie: a=b", "application/octet-stream"), ("text/plain;\u{0}", "application/octet-stream"),
      ("te xt/plain", "application/octet-stream"),
    ])
  func mediaType(stored: String, sent: String) {
    #expect(Self.answer(file: Sample.file(mediaType: stored)).fields[.contentType] == sent)
  }
}

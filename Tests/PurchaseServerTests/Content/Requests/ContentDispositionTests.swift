import Foundation
import HTTPTypes
import Testing

@testable import PurchaseServer

@Suite("File names in a header (RFC 6266, RFC 8187)", .timeLimit(.minutes(30)))
struct ContentDispositionTests {
  @Test(
    "A safe name is written unchanged",
    arguments: [
      ("book.epub", #"attachment; filename="book.epub""#),
      ("My book (2).epub", #"attachment; filename="My book (2).epub""#),
      ("Bücher.epub", #"attachment; filename="B_cher.epub"; filename*=UTF-8''B%C3%BCcher.epub"#),
      ("猿.epub", #"attachment; filename="_.epub"; filename*=UTF-8''%E7%8C%BF.epub"#),
      ("100%.txt", #"attachment; filename="100_.txt"; filename*=UTF-8''100%25.txt"#),
      ("a'b;c.txt", #"attachment; filename="a'b;c.txt""#),
    ])
  func safe(name: String, field: String) { #expect(ContentDisposition.attachment(name) == field) }

  @Test(
    "No name contains a path, hides characters or ends the header",
    arguments: [
      ("../../etc/passwd", "_.._etc_passwd"), ("/etc/passwd", "_etc_passwd"), ("..", "content"), (".", "content"),
      ("", "content"), (" . ", "content"), (".bashrc", "bashrc"), ("C:\\Windows\\x.dll", "C__Windows_x.dll"),
      ("a\u{0}b", "a_b"), ("a\"; filename=\"b", "a_; filename=_b"), ("a\r\nSet-Cookie: b=c", "a__Set-Cookie_ b=c"),
      ("..\u{FF0F}..\u{2215}x", "_.._x"), ("\u{2025}\u{2044}x", "__x"), ("\u{FF0E}\u{FF0E}/x", "___x"),
      ("cod\u{202E}fdp.exe", "cod_fdp.exe"), ("a\u{200B}b", "a_b"), ("a\u{2028}b", "a_b"), ("a\u{7F}\u{85}b", "a__b"),
      ("x.txt. . ", "x.txt"), ("a?b*c|d<e>f", "a_b_c_d_e_f"),
    ])
  func safe(name: String, safe: String) throws {
    #expect(ContentDisposition.safe(name) == safe)
    let field = ContentDisposition.attachment(name)
    #expect(HTTPField.isValidValue(field) && field.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(field)")
    #expect(field.contains("\"") && !field.contains("/") && !field.contains("\\"))
    #expect(field.filter { $0 == "\"" }.count == 2)
  }

  @Test("A long name keeps its extension, and whole characters")
  func long() {
    let safe = ContentDisposition.safe(String(repeating: "ü", count: 5000) + ".epub")
    #expect(safe.utf8.count <= ContentDisposition.longestName)
    #expect(safe.hasSuffix("üü.epub"))
    #expect(
      ContentDisposition.safe(String(repeating: "a.", count: 5000) + String(repeating: "b", count: 500)).utf8.count
        <= 200)
  }
}

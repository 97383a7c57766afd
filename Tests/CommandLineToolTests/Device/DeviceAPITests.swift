import Foundation
import SharedFixtures
import Testing

@testable import CommandLineTool

@Suite("Hostile requests to a device's endpoints", .serialized, .timeLimit(.minutes(30)))
struct DeviceAPITests {
  // No server listens there. The phone and its app start nevertheless.
  private static let nowhere = "http://127.0.0.1:9"
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func phone() async throws -> DevicePhone {
    let phone = try await DevicePhone(in: scratch.url.appending(path: "a"), store: Self.nowhere)
    try await phone.steps(until: .launched)
    return phone
  }

  private func settings(of phone: DevicePhone) throws -> Data {
    try Data(contentsOf: phone.folder.appending(path: "settings.json"))
  }

  private static let form = "application/x-www-form-urlencoded"
  private static let file = "multipart/form-data; boundary=b"
  private static let hugeBodies: [(path: String, type: String, bytes: Int)] = [
    ("/phone/airplane", form, 1 << 17), ("/phone/hold", form, 64 << 20), ("/phone/restore-backup", form, 1 << 17),
    ("/app/spend", form, 1 << 17), ("/app/sheet", form, 64 << 20), ("/app/photograph", file, 11 << 20),
    ("/app/photograph", file, 64 << 20),
  ]

  @Test(
    "a body above the maximum size of forms and photographs is refused with a message, and nothing changes",
    arguments: hugeBodies)
  func hugeBody(_ path: String, _ type: String, _ bytes: Int) async throws {
    let phone = try await phone()
    let before = try settings(of: phone)
    let origin = "http://127.0.0.1:\(phone.port)"
    let start = type == Self.form ? "on=true&screen=home&x=" : "--b\r\n\r\n\u{FF}"
    let answer = try await phone.answer(
      "POST", path, ["Content-Type": type, "Origin": origin], start + String(repeating: "a", count: bytes))
    #expect(answer.status == 413, "\(answer)")
    #expect(answer.text.contains(#""error":{"code":"#), "\(answer.text)")
    #expect(try settings(of: phone) == before)
    #expect(!FileManager.default.fileExists(atPath: phone.folder.appending(path: "app/photograph").path))
    #expect(try await phone.page("credits").contains("0 monkey credits"))
    #expect(try await phone.stop() == 0, "\(phone.program.standardError)")
  }

  @Test(
    "an incomplete body changes nothing, delays no other request, and does not prevent the phone's end",
    arguments: ["/phone/airplane", "/phone/remove", "/app/spend", "/app/photograph"])
  func slowBody(_ path: String) async throws {
    let phone = try await phone()
    let before = try settings(of: phone)
    let client = try PlainClient(port: UInt16(phone.port))
    // Sent as one with a whole request: when that is answered, the phone has read the other's beginning.
    try client.send(
      "GET /?screen=home HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        + "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(phone.port)\r\nOrigin: http://127.0.0.1:\(phone.port)\r\n"
        + "Content-Type: \(Self.form)\r\nContent-Length: 60\r\n\r\non=true&screen=home&amount=1")
    #expect(client.received(until: "</html>").hasPrefix("HTTP/1.1 200"))
    #expect(try await phone.page("credits").contains("0 monkey credits"))
    try await phone.press("/phone/restrict", ["on": "true"])
    try await phone.press("/phone/restrict", ["on": "false"])
    #expect(try settings(of: phone) == before)
    #expect(try await phone.stop() == 0, "\(phone.program.standardError)")
    withExtendedLifetime(client) {}
  }

  @Test(
    "a link or an oversized file in the documents is no backup: it cannot be chosen, and the link's target stays unchanged"
  )
  func linkedBackup() async throws {
    let phone = try await phone()
    let secret = scratch.url.appending(path: "secret")
    try Data("secret".utf8).write(to: secret)
    let documents = phone.folder.appending(path: "documents")
    try FileManager.default.createSymbolicLink(
      at: documents.appending(path: "link.backup"), withDestinationURL: secret)
    let huge = documents.appending(path: "huge.backup").path
    #expect(FileManager.default.createFile(atPath: huge, contents: nil))
    #expect(truncate(huge, 1 << 40) == 0)
    let page = try await phone.page("settings")
    #expect(!page.contains("link.backup") && !page.contains("huge.backup"))
    let link = try await phone.press("/phone/restore-backup", ["file": "link.backup", "key": "KEY"])
    #expect(link.status == 409 && link.text.contains("There is no backup link.backup"), "\(link)")
    let large = try await phone.press("/phone/restore-backup", ["file": "huge.backup", "key": "KEY"])
    #expect(large.status == 409 && large.text.contains("There is no backup huge.backup"), "\(large)")
    #expect(try Data(contentsOf: secret) == Data("secret".utf8))
    #expect(try await phone.stop() == 0, "\(phone.program.standardError)")
  }

  @Test("a photograph that is a link is replaced, and its target stays unchanged; a file of unknown type is not shown")
  func linkedPhotograph() async throws {
    let phone = try await phone()
    let secret = scratch.url.appending(path: "secret")
    try Data("secret".utf8).write(to: secret)
    let photograph = phone.folder.appending(path: "app/photograph")
    try FileManager.default.createSymbolicLink(at: photograph, withDestinationURL: secret)
    #expect(!(try await phone.answer("GET", "/app/photograph").text.contains("secret")))
    let fields = ["Content-Type": Self.file, "Origin": "http://127.0.0.1:\(phone.port)"]
    let form = "--b\r\nContent-Disposition: form-data; name=\"photograph\"\r\n\r\nRIFF0000WEBPVP8 \r\n--b--\r\n"
    #expect(try await phone.answer("POST", "/app/photograph", fields, form).status == 303)
    #expect(try await phone.answer("GET", "/app/photograph").text == "RIFF0000WEBPVP8 ")
    #expect(try Data(contentsOf: secret) == Data("secret".utf8))
    #expect(try await phone.stop() == 0, "\(phone.program.standardError)")
  }

  @Test("unreadable documents are reported on the page, and in the response to a request for a backup")
  func unreadableDocuments() async throws {
    let phone = try await phone()
    try FileManager.default.removeItem(at: phone.folder.appending(path: "documents"))
    #expect(try await phone.page("settings").contains("documents cannot be read"))
    let refused = try await phone.press("/phone/restore-backup", ["file": "a.backup", "key": "KEY"])
    #expect(refused.status == 409 && refused.text.contains("documents cannot be read"), "\(refused)")
    #expect(try await phone.stop() == 0, "\(phone.program.standardError)")
  }
}

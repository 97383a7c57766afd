import Foundation
import SharedFixtures
import Testing

@testable import CommandLineTool

@Suite("Errors of openstorekit device", .serialized, .timeLimit(.minutes(30)))
struct DeviceRefusalTests {
  // No server listens there. The phone and its app start nevertheless.
  private static let nowhere = "http://127.0.0.1:9"
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test("a port or folder that is in use is a clear message and exit status 1")
  func taken() async throws {
    let folder = scratch.url.appending(path: "a")
    let phone = try await DevicePhone(in: folder, store: Self.nowhere)
    let sameFolder = try Program("device", "--port", "0", "--data", folder.path, "--store", Self.nowhere)
    #expect(try await sameFolder.finish().status == 1)
    #expect(sameFolder.standardError.contains("in use by another process"))
    let other = scratch.url.appending(path: "b").path
    let samePort = try Program("device", "--port", String(phone.port), "--data", other, "--store", Self.nowhere)
    #expect(try await samePort.finish().status == 1)
    #expect(samePort.standardError.contains("Port \(phone.port) is in use"))
    #expect(try await phone.stop() == 0)
  }

  @Test(
    "wrong usage is exit status 2, with a message that says what to do",
    arguments: [
      ([], "--store"), (["--store", "nowhere"], "--store is an address"),
      (["--store", nowhere, "--server", "ftp://x"], "--server is an address"),
      (["--store", nowhere, "--port", "70000"], "not a port"),
    ] as [([String], String)])
  func usage(_ arguments: [String], _ message: String) async throws {
    let program = try Program(arguments: ["device", "--port", "0"] + arguments)
    #expect(try await program.finish().status == 2)
    #expect(program.standardError.contains(message), "\(program.standardError)")
  }

  @Test("a path too long for a socket is a clear message")
  func longPath() async throws {
    let folder = scratch.url.appending(path: String(repeating: "long", count: 30)).path
    let program = try Program("device", "--port", "0", "--data", folder, "--store", Self.nowhere)
    #expect(try await program.finish().status == 1)
    #expect(program.standardError.contains("shorter path"))
  }

  @Test(
    "its page accepts only loopback host names, refuses changes from other origins, and can be framed only by the given origins"
  )
  func visitors() async throws {
    let phone = try await DevicePhone(
      in: scratch.url.appending(path: "a"), store: Self.nowhere, more: ["--framed-by", "http://127.0.0.1:4711"])
    #expect(try await phone.answer("GET", "/", ["Host": "phone.example.com"]).status == 421)
    let foreign = ["Origin": "http://127.0.0.1:4711", "Content-Type": "application/x-www-form-urlencoded"]
    #expect(try await phone.answer("POST", "/phone/force-quit", foreign, "screen=home").status == 403)
    let page = try await phone.answer("GET", "/?screen=home")
    let policy = page.fields["content-security-policy"] ?? ""
    #expect(policy.contains("frame-ancestors http://127.0.0.1:4711"))
    #expect(policy.contains("default-src 'none'"))
    #expect(try await phone.answer("GET", "/app/fragment").status == 404)
    #expect(try await phone.stop() == 0)
  }
}

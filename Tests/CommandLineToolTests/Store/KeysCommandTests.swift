import AppStoreServerAPI
import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import CommandLineTool

@Suite("openstorekit keys", .timeLimit(.minutes(30)))
struct KeysCommandTests {
  /// The HTTP status of a request with a token of the key.
  private func status(_ keyID: String, _ issuer: String, _ pem: String, in store: RunningStore) async throws -> String {
    let key = try ServerAPIKey(keyID: keyID, issuerID: issuer, pem: pem)
    let token = try key.token(for: RunningStore.app, at: RunningStore.opening).text
    let id = try await store.buy()
    return try await store.serverAPI("GET", "v1/transactions/\(id)", token: token)
  }

  @Test(
    "a key is added to a file that only this user can read, signs tokens, is listed, and is refused once it is removed"
  )
  func keys() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let file = folder.url.appending(path: "key.p8").path
    try await RunningStore.open { store in
      let own = try await store.store.apiKeys()[0].keyID
      let first = try await store.run("keys")
      #expect(first.lines.count == 2 && first.lines[1].hasPrefix(own) && first.lines[1].hasSuffix("the store's own"))

      let added = try await store.run("keys", "add", "--bundle-id", RunningStore.app.rawValue, "--file", file)
      let key = try #require(try await store.store.apiKeys().last)
      let issuer = try #require(key.issuerID)
      #expect(added.lines == ["key     \(key.keyID)", "issuer  \(issuer)", "file    \(file)"])
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let pem = try String(contentsOfFile: file, encoding: .utf8)
      #expect(try await status(key.keyID, issuer, pem, in: store) == "200")
      #expect(
        try await store.run("keys", "list").lines.contains { $0.hasPrefix("\(key.keyID)  \(issuer)  2026-07-01") })

      // An existing file stays as it is.
      let again = try await store.run("keys", "add", "--bundle-id", RunningStore.app.rawValue, "--file", file)
      #expect(again.status == 1 && again.messages.contains("was added, but \(file) cannot be written"))
      #expect(try String(contentsOfFile: file, encoding: .utf8) == pem)
      let json = try await store.run("keys", "add", "--bundle-id", RunningStore.app.rawValue, "--json").json
      #expect((json?["privateKey"] as? String)?.hasPrefix("-----BEGIN PRIVATE KEY-----") == true)

      #expect(try await store.run("keys", "remove", key.keyID).lines == ["\(key.keyID): removed"])
      #expect(try await status(key.keyID, issuer, pem, in: store) == "401")
      for (missing, word) in [(key.keyID, key.keyID), (own, "cannot be removed")] {
        let refused = try await store.run("keys", "remove", missing)
        #expect(refused.status == 1 && refused.messages.contains(word), "\(refused.messages)")
      }
    }
  }

  @Test(
    "wrong usage is exit status 2",
    arguments: [["add"], ["add", "--bundle-id", ""], ["remove"], ["remove", ""], ["key"]])
  func usage(arguments: [String]) async throws {
    #expect(try await RunningStore.run(["keys"] + arguments).status == 2)
  }
}

extension RunningStore {
  /// Sends a request to the Server API of the sandbox with curl, and returns the HTTP status.
  ///
  /// - Parameter path: begins with the version.
  func serverAPI(_ method: String, _ path: String, token: String, body: String? = nil) async throws -> String {
    try await Program.run(
      "curl",
      [
        "--silent", "--noproxy", "*", "--output", "/dev/null", "--write-out", "%{http_code}", "--request", method,
        "--header", "Authorization: Bearer \(token)", "\(address)/sandbox/inApps/\(path)",
      ] + (body.map { ["--header", "Content-Type: application/json", "--data", $0] } ?? [])
    ).standardOutput
  }
}

import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Configuration files as bytes and on disk", .timeLimit(.minutes(30)))
struct ConfigurationFileTests {
  @Test("A file on disk is read, and named in errors as it was given")
  func disk() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "catalog-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let good = folder.appending(path: "Good.storekit")
    try Data(ConfigurationFixtures.version1x0.utf8).write(to: good)
    #expect(try StoreKitConfiguration(contentsOf: good) == readConfiguration(ConfigurationFixtures.version1x0))

    let bad = folder.appending(path: "Bad.storekit")
    try Data("[]".utf8).write(to: bad)
    let error = #expect(throws: StoreKitConfigurationError.self) { try StoreKitConfiguration(contentsOf: bad) }
    #expect(error?.description == "\(bad.path): the file holds JSON, but not an object in braces")

    for unreadable in [folder.appending(path: "None.storekit"), folder] {
      let error = #expect(throws: StoreKitConfigurationError.self) {
        try StoreKitConfiguration(contentsOf: unreadable)
      }
      #expect(error?.description.hasPrefix("\(unreadable.relativePath): cannot be read: ") == true)
    }
  }

  @Test("A web address is refused without asking for it")
  func webAddress() throws {
    let address = try #require(URL(string: "https://shop.invalid/Shop.storekit"))
    let error = #expect(throws: StoreKitConfigurationError.self) { try StoreKitConfiguration(contentsOf: address) }
    #expect(error?.problems.map(\.kind) == [.unreadable(reason: "it is not a file on this machine")])
  }

  @Test("What is not JSON is refused with the place where it stops being JSON")
  func malformed() throws {
    let problem = try #require(problems(of: "{\n  \"products\" : [],\n  \"größe\" : x\n}").first)
    guard case .malformedJSON(_, let line, let column) = problem.kind else {
      Issue.record("\(problem) is not about JSON")
      return
    }
    #expect(line == 3)
    #expect(column == 13)
    #expect(problem.description.hasPrefix("not JSON: "))
    #expect(problem.description.hasSuffix(" at line 3, column 13"))
  }

  @Test("Text that ends early is refused, wherever it ends", arguments: ConfigurationFixtures.all.indices)
  func truncated(fixture: Int) {
    let whole = ConfigurationFixtures.all[fixture].trimmingCharacters(in: .whitespacesAndNewlines)
    for length in stride(from: 0, to: whole.count, by: 17) {
      let kinds = problems(of: String(whole.prefix(length))).map(\.kind)
      guard case .malformedJSON? = kinds.first, kinds.count == 1 else {
        Issue.record("\(length) characters were understood as \(kinds)")
        return
      }
    }
  }

  @Test("JSON that is not an object is refused", arguments: ["[]", "3", "\"products\"", "null", "true"])
  func notAnObject(text: String) {
    #expect(problems(of: text).map(\.kind) == [.notAnObject])
  }

  @Test("A part of another JSON type is named")
  func wrongParts() {
    #expect(
      problems(of: #"{"products":{},"nonRenewingSubscriptions":3,"subscriptionGroups":"G","identifier":[]}"#)
        .map(\.description) == [
          "products must be an array", "nonRenewingSubscriptions must be an array",
          "subscriptionGroups must be an array",
        ])
    let file = fileWithConsumable().dropLast() + #","identifier":[],"subscriptionGroups":3}"#
    #expect(
      (try? readConfiguration(String(file)))?.warnings == [
        "subscriptionGroups must be an array; its products are left out",
        "identifier must be a string; it has no effect",
      ])
  }

  @Test("A file past 16 MiB is refused, one of exactly 16 MiB is read")
  func size() throws {
    let padding = String(repeating: " ", count: StoreKitConfiguration.sizeLimit - 2)
    #expect(try readConfiguration("{\(padding)}").products.isEmpty)
    #expect(problems(of: "{\(padding) }").map(\.kind) == [.tooLarge(limitBytes: 16 << 20)])
  }

  @Test("Nesting without end is refused, not followed")
  func depth() {
    let deep = "{\"products\":" + String(repeating: "[", count: 1_000_000)
    #expect(problems(of: deep).count == 1)
  }
}

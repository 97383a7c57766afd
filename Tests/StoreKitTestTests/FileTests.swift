import Foundation
import Testing

@testable import StoreKitTest

enum ConfigurationFileOfTest {
  static var url: URL {
    get throws { try #require(Bundle.module.url(forResource: "Shop", withExtension: "storekit")) }
  }
}

@Suite("SKTestSession: finding the file", .isolatedStore, .timeLimit(.minutes(30)))
struct FileTests {
  @Test(
    "T20 A file of the test target's resources is found by its name, also in a folder",
    arguments: [
      "Shop", "Shop.storekit", "Nested", "Nested.storekit",
    ])
  func byName(_ name: String) throws { _ = try SKTestSession(configurationFileNamed: name) }

  @Test("T20 The resources of the calling target come before those of others")
  func ownTarget() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    for target in ["AnotherTests", "ShopTests", "MoreShopTests"] {
      let bundle = folder.appending(path: "Package_\(target).resources")
      try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
      try Data().write(to: bundle.appending(path: "Found.storekit"))
    }
    func found(_ target: String) throws -> String {
      try ConfigurationFile.find("Found", for: target, besideProgramIn: folder, workingDirectory: folder)
        .deletingLastPathComponent().lastPathComponent
    }
    #expect(try found("ShopTests") == "Package_ShopTests.resources")
    #expect(try found("MoreShopTests") == "Package_MoreShopTests.resources")
    #expect(try found("App") == "Package_AnotherTests.resources")
  }

  @Test("T20 A file that is missing, is none, or cannot be read is an error that says so")
  func errors() throws {
    expect(.fileNotFound) { _ = try SKTestSession(configurationFileNamed: "Missing") }
    expect(.fileNotFound) { _ = try SKTestSession(contentsOf: URL(filePath: "/nowhere/Shop.storekit")) }
    expect(.invalidURL) {
      _ = try SKTestSession(contentsOf: #require(URL(string: "https://example.com/Shop.storekit")))
    }
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).storekit")
    try Data("{".utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    #expect(throws: (any Error).self) { _ = try SKTestSession(contentsOf: url) }
  }

  @Test("An error of a session is an NSError of SKTestErrorDomain, and back")
  func bridging() throws {
    do {
      _ = try SKTestSession(configurationFileNamed: "Missing")
      Issue.record("a missing file was found")
    } catch SKTestError.fileNotFound {
      // As Apple's clients catch it.
    }
    let error = SKTestError(.noTransactionFound) as NSError
    #expect(error.domain == SKTestErrorDomain)
    #expect(error.code == 6)
    #expect((error as Error as? SKTestError)?.code == .noTransactionFound)
    #expect(SKTestError(.invalidAction).errorCode == 7)
  }
}

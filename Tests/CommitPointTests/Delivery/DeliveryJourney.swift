import Crypto
import Foundation
import SampleModel
import SignedData

@testable import CommandLineTool
@testable import Demo

/// A customer buys a book, whose files the developer's purchase server delivers, and then fifty pages, whose books it keeps.
struct DeliveryJourney: Journey {
  let name = "a server-delivered purchase"

  static let book = SampleCatalog.smallPrint
  static let pages = SampleCatalog.fiftyPages
  /// What is in the book: in two files, the larger of them too large to be sent along with the answer.
  static let files: [(name: String, content: Data)] = [
    ("cover.txt", Data(repeating: 0x63, count: 700)), ("text.txt", Data(repeating: 0x74, count: 150_000)),
  ]

  /// What the app reads in it, all files one after the other.
  static var digest: String {
    var hash = SHA256()
    for file in files { hash.update(data: file.content) }
    return Hexadecimal.lowercaseText(of: Array(hash.finalize()))
  }

  func prepare(in folder: URL) async throws {
    try SampleShop.writeCatalog(in: folder)
    try await SampleShop.rehearse(in: folder) { stage in
      let customer = SampleCustomer(stage)
      try await customer.start(.store)
      // Before the server runs: one process at a time has the ledger open.
      let key = try await Self.operatorKey(stage, try await customer.shop.serverConfiguration())
      try await customer.start(.server)
      let address = try await customer.shop.purchaseServer()
      let operators = OperatorClient(address: address, key: key)
      try await operators.publish(Self.book, files: Self.files)
      try await operators.list(Self.pages, credits: (SampleCatalog.pagesUnit, 50))
      try await stage.quit(.server)
      try await stage.quit(.store)
    }
  }

  private static func operatorKey(_ stage: Stage, _ configuration: URL) async throws -> String {
    let (lines, line) = AsyncStream.makeStream(of: PartyProcess.Output.self)
    _ = try PartyProcess(
      "openstorekit",
      ["server", "operator-key", "--config", configuration.path, "publisher"],
      variables: [:], errors: stage.folder.appending(path: "operator-key.errors")
    ) { line.yield($0) }
    for await output in lines {
      if case .line(let key) = output { return key }
      break
    }
    throw PlayStuck(lastLine: "no operator's key could be made")
  }

  func play(on stage: Stage) -> DeliveryPlay { DeliveryPlay(stage) }
}

/// The parts of the play.
enum DeliveryScene: String {
  case book, pages
}

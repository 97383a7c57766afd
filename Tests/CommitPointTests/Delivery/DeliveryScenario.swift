import Crypto
import Foundation
import SampleModel
import SignedData

@testable import CommandLineTool
@testable import Demo

/// A customer buys a book, whose files the developer's purchase server delivers, and then fifty pages, which the server keeps as credits.
struct DeliveryScenario: Scenario {
  let name = "a server-delivered purchase"

  static let book = SampleCatalog.smallPrint
  static let pages = SampleCatalog.fiftyPages
  /// The two files of the book. The larger one is too large to be sent in the response.
  static let files: [(name: String, content: Data)] = [
    ("cover.txt", Data(repeating: 0x63, count: 700)), ("text.txt", Data(repeating: 0x74, count: 150_000)),
  ]

  /// The digest of all files, one after the other, as the app reads them.
  static var digest: String {
    var hash = SHA256()
    for file in files { hash.update(data: file.content) }
    return Hexadecimal.lowercaseText(of: Array(hash.finalize()))
  }

  func prepare(in folder: URL) async throws {
    try SampleShop.writeCatalog(in: folder)
    try await SampleShop.prepareDisks(in: folder) { environment in
      let customer = SampleCustomer(environment)
      try await customer.start(.store)
      // Made before the server starts, because only one process at a time can open the ledger.
      let key = try await DeveloperServer.operatorKey(environment, try await customer.shop.serverConfiguration())
      try await customer.start(.server)
      let address = try await customer.shop.purchaseServer()
      let operators = OperatorClient(address: address, key: key)
      try await operators.publish(Self.book, files: Self.files)
      try await operators.list(Self.pages, credits: (SampleCatalog.pagesUnit, 50))
      try await environment.quit(.server)
      try await environment.quit(.store)
    }
  }

  func makeRun(in environment: RunEnvironment) -> DeliveryRun { DeliveryRun(environment) }
}

/// The phases of the run.
enum DeliveryPhase: String {
  case book, pages
}

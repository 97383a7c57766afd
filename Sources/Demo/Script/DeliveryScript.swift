import ControlAPI
import Crypto
import Foundation
import PrivatePostgreSQL
import PurchaseKit
import SampleApp
import SampleModel
import SignedData
import StoreModel

/// The part of the script about books that a purchase server delivers: verification, download, interruption, refund.
///
/// It also covers the server's list of products, and credits whose balance the server keeps. It runs once with one
/// purchase server, and once with two on one PostgreSQL database.
final class DeliveryScript: ScriptPart {
  let storeAddress: URL
  let book = SampleCatalog.smallPrint
  let encyclopedia = SampleCatalog.encyclopedia
  /// A book that is not built into this version of the app.
  let almanac = "com.xamarin.storekit.testing.book.almanac"
  let pages = SampleCatalog.fiftyPages
  /// The names that the app's alerts contain.
  static let names = CustomerNames(title: { $0 == SampleCatalog.smallPrint ? "The Small Print" : nil })
  /// The files of each book, with random text that is the same in every run.
  let texts: [String: [(name: String, content: Data)]]

  init(environment: ScriptEnvironment, store: ControlAPIClient, reporter: ScriptReporter, storeAddress: URL) {
    self.storeAddress = storeAddress
    texts = [
      SampleCatalog.smallPrint: [("cover.txt", Self.text(2_000)), ("text.txt", Self.text(600_000))],
      SampleCatalog.encyclopedia: [("volumes.txt", Self.text(6_000_000))],
      almanac: [("weather.txt", Self.text(40_000))],
    ]
    super.init(environment: environment, store: store, reporter: reporter)
  }

  func run() async throws {
    let root = SHA256Fingerprint(of: try await store.connection().receiptRootCertificate)
    try await store.serve(PurchaseServerGroup.otherApp)
    try await run(ServerSetup(name: "one server", servers: 1, account: "reader"), root)
    let postgreSQL: PrivatePostgreSQL
    do {
      postgreSQL = try PrivatePostgreSQL.shared.get()
    } catch PrivatePostgreSQLError.notInstalled {
      beginChapter("The same again with two purchase servers on one PostgreSQL")
      return explain("Skipped: \(PrivatePostgreSQLError.notInstalled)")
    }
    try await postgreSQL.withDatabase { database in
      try await run(ServerSetup(name: "two servers", servers: 2, account: "student"), root, postgreSQL: database)
    }
  }

  /// The number of servers and the account of one run.
  struct ServerSetup {
    let name: String
    let servers: Int
    /// A store account that has not bought a book yet.
    let account: String
  }

  private func run(_ setup: ServerSetup, _ root: SHA256Fingerprint, postgreSQL: String? = nil) async throws {
    beginChapter(
      setup.servers == 1
        ? "The developer runs a purchase server"
        : "The same again with two purchase servers on one PostgreSQL")
    try await store.add(AccountName(setup.account))
    let servers = environment.servers(setup.name, storeAddress: storeAddress)
    try await servers.open(setup.servers, postgreSQL: postgreSQL)
    explain("\(setup.servers) × openstorekit server, reached at \(servers.address)")
    func phone(_ name: String, hasServerCredits: Bool = false) -> SampleAppPhone {
      environment.phone(
        "\(name) of \(setup.account)", storeAddress: storeAddress, receiptRoot: root, serverAddress: servers.address,
        hasServerCredits: hasServerCredits, account: setup.account)
    }
    let (first, second) = (phone("phone"), phone("tablet"))
    try await showTheList(on: first, servers)
    try await buyWithInterruptions(on: first, servers, killsServer: setup.servers > 1)
    try await buyLarge(on: first, servers)
    try await replay(the: first, servers)
    try await reinstall(first, servers)
    try await secondDevice(second)
    try await buyWhatIsNew(on: first, servers)
    try await buyPages(on: first, and: second, servers)
    try await loseTheAnswerToASpend(on: first, and: second, servers)
    try await spendAtOnce(on: first, and: second)
    try await keepCreditsOnServer(
      on: phone("new phone", hasServerCredits: true), and: phone("newer phone", hasServerCredits: true), servers)
    try await refund(on: first, servers)
    try await refundBeforeDelivery(on: first, servers)
    await servers.clear()
  }

  // MARK: Steps

  /// Returns the titles of the books' buttons, and the screen's message.
  func books(
    on phone: SampleAppPhone, after command: AppCommand = .showBooks
  ) async throws -> (titles: [String: String], alert: String?) {
    try phone.send(command)
    let event = try await phone.nextEvent()
    guard case .books(let titles, let alert) = event else { throw DemoFailure("The books were not shown: \(event)") }
    return (titles, alert)
  }

  /// Publishes a book and lists it.
  func publish(_ product: String, _ servers: PurchaseServerGroup) async throws {
    try await servers.operators.publish(product, files: texts[product] ?? [])
  }

  /// Starts to buy a product of the server, and confirms the sheet.
  func buy(_ product: String, on phone: SampleAppPhone) async throws {
    try await phone.waitForPrice(of: product)
    try phone.send(.buy(product: product, quantity: 1, confirms: true))
    let event = try await nextEvent(on: phone)
    guard case .sheet(let title, _, _, let total) = event else {
      throw DemoFailure("No confirmation sheet was shown, but: \(event)")
    }
    explain("Sheet: \(title), \(total)")
  }

  /// Returns when the app has granted the product and the store has acknowledged the finish.
  func takeDelivery(of product: String, on phone: SampleAppPhone) async throws {
    var event = try await nextEvent(on: phone)
    if case .kept(product, let reason) = event {
      // The receipt was older than the purchase, so the app refreshes it.
      explain("\"\(reason)\"")
      event = try await phone.nextEvent()
    }
    guard case .succeeded(product, let transaction, _) = event else {
      throw DemoFailure("\(product) was not granted: \(event)")
    }
    try await phone.waitUntilFinished(transaction)
  }

  /// Returns the next event of the app. Skips the sign-in sheet, which the app shows if no customer is signed in.
  func nextEvent(on phone: SampleAppPhone) async throws -> AppEvent {
    let event = try await phone.nextEvent()
    guard case .signInSheet = event else { return event }
    return try await phone.nextEvent()
  }

  /// Opens a book, and checks that its whole text is as published.
  func checkReading(_ product: String, on phone: SampleAppPhone, _ description: String) async throws {
    try phone.send(.readBook(product: product))
    let event = try await phone.nextEvent()
    guard case .opened(product, _, let digest) = event else { throw DemoFailure("The book did not open: \(event)") }
    check(description, digest == expectedDigest(of: product))
  }

  /// Checks the amounts that the store has charged for transactions.
  func checkCharges(_ amounts: [Int64], of transactions: [String]) async throws {
    let charges = try await store.charges().filter { transactions.contains($0.transactionId.rawValue) }
    check(
      "the store has charged \(amounts.map(money).joined(separator: ", ")) for these transactions",
      charges.map(\.amount.rawValue) == amounts)
  }

  func expectedDigest(of product: String) -> String {
    var hash = SHA256()
    for file in (texts[product] ?? []).sorted(by: { $0.name < $1.name }) { hash.update(data: file.content) }
    return Hexadecimal.lowercaseText(of: Array(hash.finalize()))
  }

  private static func text(_ size: Int) -> Data {
    var generator = SeededGenerator(seed: UInt64(size))
    return Data((0..<size).map { $0 % 61 == 60 ? 0x0A : UInt8(0x61 + generator.next() % 26) })
  }
}

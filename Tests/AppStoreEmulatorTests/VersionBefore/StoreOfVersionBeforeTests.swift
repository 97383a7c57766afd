import Foundation
import SharedFixtures
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Opens an emulator's folder that the previous version wrote.
@Suite("An emulator's folder of the version before", .timeLimit(.minutes(30)))
struct StoreOfVersionBeforeTests {
  private static let app: BundleID = "com.xamarin.storekit.testing"
  private static let five: ProductID = "com.xamarin.storekit.testing.consume5credits"

  /// The responses of the previous version's control API.
  struct Books: Decodable {
    struct Connection: Decodable {
      let rootCertificate: Data
      let receiptRootCertificate: Data
      let sharedSecret: String
      let appAppleId: Int64
      let issuerId: String
    }

    struct Line: Decodable, Hashable {
      let transactionId: TransactionID
      let customer: AccountName
      let amount: Milliunits
      let currency: String
      let date: StoreDate
    }

    struct Transaction: Decodable, Hashable {
      let sequence: Int64
      let state: TransactionState
      let transactionId: TransactionID
      let originalTransactionId: TransactionID
      let environment: StoreEnvironment
      let productId: ProductID
      let quantity: Int
      let price: Milliunits
      let currency: String
      let storefront: String
      let purchaseDate: StoreDate
      let appAccountToken: String?
      let applicationUsername: String?
      let customer: AccountName
      let installationId: InstallationID?
      let finishedDate: StoreDate?
      let inAppOwnershipType: OwnershipType
      let sharedTransactionId: TransactionID?
      let expiresDate: StoreDate?
      let revocationDate: StoreDate?
      let revocationReason: RevocationReason?
      let revocationType: RevocationType?
      let revocationPercentage: Int?
    }

    struct Person: Decodable, Hashable {
      let environment: StoreEnvironment
      let name: AccountName
      let password: String?
      let storefront: String
      let paymentMethod: Customer.PaymentMethod
      let needsApproval: Bool
      let family: String?
    }

    struct Approval: Decodable, Hashable {
      let installationId: InstallationID
      let paymentId: PaymentID
      let customer: AccountName
      let total: Milliunits
    }

    let connection: Connection
    let transactions: [Transaction]
    let charges: [Line]
    let refunds: [Line]
    let customers: [Person]
    let approvals: [Approval]
  }

  /// The machine's clock stands at the day on which the last folder was made. With today's date, the store would take
  /// up what became due since then: subscriptions would be renewed, and an approval would have timed out.
  private func open(_ before: VersionBefore) throws -> EmulatedAppStore {
    let made = StoreDate(millisecondsSince1970: 1_795_895_660_000)
    return try EmulatedAppStore(.init(directory: before.folder, wallClock: ManualClock(made)))
  }

  /// `store` is of migration 5. The others are of those migrations: 20 adds the numbers of finishes, 21 notifications, 22 the tables of
  /// the Server API. The last is of migration 23, and has rows in most of these.
  private static let folders = ["store", "store-19", "store-20", "store-25e4deb1"]

  @Test("opens, upgrades and keeps every row", arguments: folders)
  func rows(folder: String) throws {
    let before = try VersionBefore(folder)
    defer { before.remove() }
    try open(before).close()
    let lost = try VersionBefore.lostRows(
      of: "\(folder)/store.sqlite", in: before.folder.appending(path: "store.sqlite"),
      // It moves past those that a forgotten store can have used.
      changing: ["store": ["nextRevision"]])
    #expect(lost == [])
  }

  @Test(
    "lists the same transactions, charges, refunds, customers and approvals, under the same keys and secrets",
    arguments: folders)
  func records(folder: String) async throws {
    let expected = try VersionBefore.expectation(folder, as: Books.self)
    let before = try VersionBefore(folder)
    defer { before.remove() }
    let store = try open(before)
    #expect(try await store.transactions().map(Books.Transaction.init) == expected.transactions)
    #expect(try await store.charges().map(Books.Line.init) == expected.charges)
    #expect(try await store.refunds().map(Books.Line.init) == expected.refunds)
    #expect(Set(try await store.customers().map(Books.Person.init)) == Set(expected.customers))
    #expect(try await store.pendingApprovals().map(Books.Approval.init) == expected.approvals)
    #expect(try await store.settings() == StoreSettings())
    let app = try await store.app(Self.app)
    #expect(app.sharedSecret == expected.connection.sharedSecret)
    #expect(app.appAppleID == expected.connection.appAppleId)
    #expect(app.issuerID == expected.connection.issuerId)
    #expect(Data(try store.authority.jwsRootCertificate) == expected.connection.rootCertificate)
    #expect(Data(try store.authority.receiptRootCertificate) == expected.connection.receiptRootCertificate)
    try store.close()
  }

  @Test("I3 its installations have no settings, and get them")
  func settings() async throws {
    let before = try VersionBefore("store")
    defer { before.remove() }
    var store = try open(before)
    let installations = try await store.installations()
    #expect(!installations.isEmpty && installations.allSatisfy { $0.settings == InstallationSettings() })
    try await store.changeSettings(of: "device-1") { $0.isRestricted = true }
    try store.close()
    store = try open(before)
    let changed = try await store.installations().first { $0.installationID == "device-1" }
    #expect(changed?.settings == InstallationSettings(isRestricted: true))
    try store.close()
  }

  @Test(
    "goes on: what is unfinished is delivered, a payment asked again is not charged again, and what waits is decided")
  func goesOn() async throws {
    let before = try VersionBefore("store")
    defer { before.remove() }
    let store = try open(before)
    let charges = try await store.charges().count
    let expected = try VersionBefore.metadata("store")

    // The folder's device. Its payment "p-2" was charged and is unfinished.
    let device: InstallationID = "device-1"
    let unfinished = try await store.unfinished(for: device)
    #expect(unfinished.deliveries.map(\.paymentID) == ["p-2", "p-4"])
    let payment = PaymentRequest(
      paymentID: "p-2", productID: "com.xamarin.storekit.testing.consume10credits", quantity: 1,
      applicationUsername: "5f1d3c52-0000-4000-8000-0000000000aa")
    let again = try await store.confirm(try await store.quote(payment, for: device), for: device)
    guard case .purchased(let batch) = again else {
      Issue.record("the payment was charged before: \(again)")
      return
    }
    let verifier = SignedDataVerifier(anchors: try store.authority.anchors)
    let proven = try await verifier.verifyTransaction(
      try #require(batch.deliveries.first).signedTransaction,
      expecting: Expectation(bundleID: Self.app, environments: [.sandbox]))
    #expect(proven.value.transactionID.rawValue == (try expected.text("unfinished consumable")))
    #expect(try await store.charges().count == charges)

    // Approving a payment and correcting a payment method each complete a purchase.
    let approved = try await store.decideApproval(of: "p-1", on: "device-3", isApproved: true)
    #expect(approved?.record.productID == Self.five)
    try await store.changeCustomer("late", .sandbox) { $0.paymentMethod = .valid }
    #expect(try await store.charges().count == charges + 2)

    // A refund can be reversed.
    let refunded = try #require(TransactionID(rawValue: expected.text("refunded")))
    #expect(try await store.reverseRefund(of: refunded).record.revocationDate == nil)
    try store.close()
  }

  @Test("its customers have sums and a timeline, which need the indexes that this version adds")
  func customers() async throws {
    let before = try VersionBefore("store")
    defer { before.remove() }
    let store = try open(before)
    for customer in try await store.customers() {
      let filter = RecordFilter(environment: customer.environment, account: customer.name)
      let charged = try await store.charges(filter).reduce(Int64(0)) { $0 + $1.amount.rawValue }
      let refunded = try await store.refunds(filter).reduce(Int64(0)) { $0 + $1.amount.rawValue }
      let totals = try await store.totals(of: customer.name, customer.environment)
      #expect(totals.spent.reduce(0) { $0 + $1.amount.rawValue } == charged - refunded)
      let page = try await store.timeline(ofCustomer: customer.name, customer.environment, limit: 1_000)
      let transactions = page.events.filter { if case .transaction = $0.kind { true } else { false } }
      #expect(transactions.count == (try await store.transactionCount(filter)))
    }
    try store.close()
  }

  @Test("its charges get the orders that the store would have given them")
  func orders() async throws {
    let before = try VersionBefore("store")
    defer { before.remove() }
    let store = try open(before)
    let charges = try await store.charges()
    let identity = try await store.database.read { $0.identity }
    #expect(!charges.isEmpty && charges.allSatisfy { $0.orderID == identity.orderID(of: $0.transactionID) })
    #expect(Set(charges.map(\.orderID)).count == charges.count)
    try store.close()
  }

  @Test("is accepted as a snapshot", arguments: folders)
  func snapshot(folder: String) async throws {
    let expected = try VersionBefore.expectation(folder, as: Books.self)
    let shop = try await TeaShop()
    try await shop.store.restore(try Data(contentsOf: VersionBefore.file("\(folder)/store.sqlite")))
    #expect(try await shop.store.transactions().map(Books.Transaction.init) == expected.transactions)
    #expect(try await shop.store.charges().map(Books.Line.init) == expected.charges)
  }
}

extension StoreOfVersionBeforeTests.Books.Line {
  fileprivate init(_ charge: Charge) {
    self.init(
      transactionId: charge.transactionID, customer: charge.account, amount: charge.amount, currency: charge.currency,
      date: charge.date)
  }

  fileprivate init(_ refund: Refund) {
    self.init(
      transactionId: refund.transactionID, customer: refund.account, amount: refund.amount, currency: refund.currency,
      date: refund.date)
  }
}

extension StoreOfVersionBeforeTests.Books.Person {
  fileprivate init(_ customer: Customer) {
    self.init(
      environment: customer.environment, name: customer.name, password: customer.password,
      storefront: customer.storefrontCountryCode, paymentMethod: customer.paymentMethod,
      needsApproval: customer.needsApproval, family: customer.family)
  }
}

extension StoreOfVersionBeforeTests.Books.Approval {
  fileprivate init(_ approval: PendingApproval) {
    self.init(
      installationId: approval.installationID, paymentId: approval.payment.paymentID, customer: approval.account,
      total: approval.total.amount)
  }
}

extension StoreOfVersionBeforeTests.Books.Transaction {
  fileprivate init(_ stored: StoredTransaction) {
    let record = stored.record
    self.init(
      sequence: stored.sequence, state: stored.state, transactionId: record.transactionID,
      originalTransactionId: record.originalTransactionID, environment: record.environment,
      productId: record.productID, quantity: record.quantity, price: record.price, currency: record.currency,
      storefront: record.storefrontCountryCode, purchaseDate: record.purchaseDate,
      appAccountToken: record.appAccountToken?.uuidString.lowercased(),
      applicationUsername: record.applicationUsername, customer: stored.account,
      installationId: stored.installationID, finishedDate: stored.finishedDate,
      inAppOwnershipType: record.ownership, sharedTransactionId: stored.sharedTransactionID,
      expiresDate: record.expiresDate, revocationDate: record.revocationDate,
      revocationReason: record.revocationReason, revocationType: record.revocationType,
      revocationPercentage: record.revocationPercentage)
  }
}

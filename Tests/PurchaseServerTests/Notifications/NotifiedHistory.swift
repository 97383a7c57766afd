import AppStoreServerAPI
import Foundation
import Logging
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseServer

/// A random history of three customers at an emulated store, whose notifications reach a ledger in any order, twice or not at all.
struct NotifiedHistory {
  static let app: BundleID = "com.example.club"

  struct Person: Hashable {
    let name: AccountName
    let environment: StoreEnvironment

    static let all = [
      Person(name: "ada", environment: .sandbox), Person(name: "bob", environment: .sandbox),
      Person(name: "cleo", environment: .production),
    ]
  }

  let store: EmulatedAppStore
  let ledger: Ledger
  private let clock: StoreClock
  private let api: EmulatedServerAPI
  private let client: AppStoreServerAPIClient
  private let mailbox = NotificationMailbox()
  private let receiver: NotificationReceiver
  private let catchUp: NotificationCatchUp
  private(set) var claimants: [Person: Claimant] = [:]
  private var generator: SeededGenerator
  /// The notifications that have not arrived yet.
  private var onTheWay: [String] = []
  /// Signed transactions that customers redeem later.
  private var proofs: [(person: Person, jws: String)] = []
  /// How often each thing happened.
  private(set) var counts: [String: Int] = [:]

  /// The store's date, which the ledger uses as well.
  private final class StoreClock: MachineClock {
    let date = LockedValue(BookStore.opening)
    var now: StoreDate { date.value }
  }

  private static let products: [ProductDefinition] = [
    ProductDefinition(productID: "coins", type: .consumable, price: Milliunits(990)),
    ProductDefinition(productID: "book", type: .nonConsumable, price: Milliunits(9_990), isFamilyShareable: true),
    ProductDefinition(productID: "pass", type: .nonRenewingSubscription, price: Milliunits(2_990)),
    plan("gold", level: 1), plan("silver", level: 2), plan("bronze", level: 3),
  ]

  private static func plan(_ id: ProductID, level: Int) -> ProductDefinition {
    ProductDefinition(
      productID: id, type: .autoRenewableSubscription, price: Milliunits(Int64(10_000 / level)),
      isFamilyShareable: true,
      subscription: SubscriptionTerms(
        groupID: "club", groupLevel: level, period: CalendarPeriod(value: 1, unit: .week), offers: []))
  }

  init(seed: UInt64, on database: any LedgerDatabase) async throws {
    generator = SeededGenerator(seed: seed)
    let wall = ManualClock(BookStore.opening)
    store = try EmulatedAppStore(
      EmulatedAppStore.Configuration(directory: nil, keyDirectory: nil, wallClock: wall, seed: seed))
    _ = try await store.serve(Self.app, catalog: [BookStore.file(Self.products)])
    try await store.setRenewalRules(
      RenewalRules(gracePeriod: seed % 3 == 0 ? .off : .seconds(3 * 86_400)), of: Self.app)
    for person in Person.all {
      try await store.addCustomer(
        Customer(environment: person.environment, name: person.name, family: person.name == "ada" ? "club" : nil))
    }
    try await store.setNotificationURL(URL(string: "https://server.example/notifications"))
    store.deliverNotifications(over: mailbox)
    let anchors = try store.authority.anchors
    clock = StoreClock()
    ledger = try await Ledger(database: database, anchors: anchors, apps: [Self.app: LedgerSettings()], clock: clock)
    for product in Self.products {
      try await ledger.publish(Self.published(product), app: Self.app, by: "olga")
    }
    for person in Person.all {
      claimants[person] = try await ledger.identify(subject: "club \(person.name)")
    }
    let verifier = try ProofVerifier(
      anchors: anchors, policies: [VerificationPolicy(bundleID: Self.app, method: .offline)],
      server: TestReceiptServer(store), clock: clock)
    api = EmulatedServerAPI(store)
    client = try await api.client(of: Self.app, clock: wall)
    let logger = Logger(label: "history") { _ in SwiftLogNoOpLogHandler() }
    receiver = NotificationReceiver(ledger: ledger, verifier: verifier, metrics: ServiceMetrics(), clock: clock)
    catchUp = NotificationCatchUp(
      receiver: receiver,
      histories: [.sandbox, .production].map { [client] in .init(app: Self.app, environment: $0, client: client) },
      minutes: 15, logger: logger)
  }

  private static func published(_ product: ProductDefinition) throws -> LedgerProduct {
    let unit = try #require(CreditUnit(rawValue: "coins"))
    return LedgerProduct(
      id: product.productID, type: product.type,
      credits: product.type == .consumable ? LedgerProduct.Credits(unit: unit, amount: 7) : nil,
      accessDays: product.type == .nonRenewingSubscription ? 30 : nil)
  }

  // MARK: Steps

  /// Something happens at the store, and some notifications arrive.
  mutating func step() async throws {
    do {
      try await act()
    } catch is StoreRefusal {
    } catch is AppStoreEmulatorError {}
    clock.date.value = try await store.clockReading().now
    try await store.settleNotifications(timeoutMilliseconds: 600_000)
    onTheWay += mailbox.take()
    if chance(2) == 0 { try await deliver() }
    if chance(3) == 0 { try await redeem() }
    if chance(12) == 0 { await readHistory() }
  }

  private mutating func act() async throws {
    let person = Person.all[Int(chance(3))]
    switch chance(20) {
    case 0...3: try await store.changeClock(.advance(milliseconds: Int64(1 + chance(4 * 86_400)) * 1_000))
    case 4...7: try await store.changeClock(.toNextEvent)
    case 8...11:
      let product = Self.products[Int(chance(6))]
      let bought = try await store.purchase(
        product.productID, quantity: product.type == .consumable ? Int(1 + chance(3)) : 1, of: Self.app,
        for: person.name, in: person.environment)
      count("bought \(bought.record.type.rawValue)")
    case 12...13:
      guard let chosen = try await transaction(of: person) else { return }
      try await store.refund(chosen.transactionID, percentage: chance(2) == 0 ? 100_000 : Int(1 + chance(99_999)))
      count("refunded")
    case 14:
      guard let chosen = try await transaction(of: person, isRefunded: true) else { return }
      try await store.reverseRefund(of: chosen.transactionID)
      count("refund reversed")
    case 15...16:
      let isValid = chance(3) > 0
      try await store.changeCustomer(person.name, person.environment) {
        $0.paymentMethod = isValid ? .valid : .declined
      }
    case 17:
      guard let subscription = try await store.subscriptions(of: person.name, in: person.environment).first else {
        return
      }
      try await store.setAutoRenew(ofSubscription: subscription.originalTransactionID, isOn: chance(2) == 0)
    case 18:
      let isMember = chance(3) > 0
      try await store.changeCustomer("bob", .sandbox) { $0.family = isMember ? "club" : nil }
    default:
      // A customer has a proof that is redeemed perhaps much later, when the store states something else.
      guard let chosen = try await transaction(of: person) else { return }
      proofs.append((person, try await signed(chosen, of: person)))
    }
  }

  /// Some of the notifications on the way arrive: in any order, twice or never.
  private mutating func deliver() async throws {
    for index in onTheWay.indices.reversed() { onTheWay.swapAt(index, Int(chance(UInt64(index + 1)))) }
    while let body = onTheWay.popLast(), chance(6) > 0 {
      switch chance(6) {
      case 0...1: count("lost")
      case 2:
        count("doubled")
        for _ in 0..<2 { try await receive(body) }
      default: try await receive(body)
      }
    }
  }

  private func receive(_ body: String) async throws {
    let outcome = try await receiver.receive(
      try signedPayload(of: body), of: Self.app, from: .sent, Logger(label: "") { _ in SwiftLogNoOpLogHandler() })
    if case .setAside(let problem) = outcome { Issue.record("set aside: \(problem)") }
  }

  /// A customer redeems a purchase, with a new or an old proof.
  private mutating func redeem() async throws {
    let (person, jws): (Person, String)
    if !proofs.isEmpty, chance(2) == 0 {
      (person, jws) = proofs.remove(at: Int(chance(UInt64(proofs.count))))
    } else {
      person = Person.all[Int(chance(3))]
      guard let chosen = try await transaction(of: person) else { return }
      jws = try await signed(chosen, of: person)
    }
    try await redeem(jws, of: person)
  }

  /// Every customer redeems all own purchases with new proofs, and then those with old proofs that are left.
  mutating func redeemAll() async throws {
    for person in Person.all {
      for stored in try await transactions(of: person) {
        try await redeem(try await signed(stored.record, of: person), of: person)
      }
    }
    while let (person, jws) = proofs.popLast() { try await redeem(jws, of: person) }
  }

  private mutating func redeem(_ jws: String, of person: Person) async throws {
    let proof = try await receiver.verifier.verify(.signedTransaction(jws), for: Self.app)
    let items = proof.purchases.map { RedemptionRequest.Item(transactionID: $0.transactionID) }
    for purchase in try await ledger.redeem(proof, .purchases(items), for: #require(claimants[person])).purchases {
      count(purchase.outcome.isGiven ? "given" : "refused")
    }
  }

  /// Reads the history in both environments, as the server does after a downtime.
  mutating func readHistory() async {
    for history in catchUp.histories {
      guard case .read(let received) = await catchUp.read(history) else {
        Issue.record("the history could not be read")
        continue
      }
      counts["read from the history", default: 0] += received
    }
  }

  /// The types and subtypes of the notifications that the store has made.
  func notifiedTypes() async throws -> Set<String> {
    var filter = NotificationFilter()
    (filter.after, filter.limit) = (0, 100_000)
    return Set(
      try await store.notifications(filter).notifications.map { notification in
        notification.type.rawValue + (notification.subtype.map { " \($0.rawValue)" } ?? "")
      })
  }

  // MARK: Choices

  private mutating func chance(_ count: UInt64) -> UInt64 { generator.next() % count }

  private mutating func count(_ what: String) { counts[what, default: 0] += 1 }

  /// One of a customer's newest transactions.
  private mutating func transaction(of person: Person, isRefunded: Bool = false) async throws -> TransactionRecord? {
    let own = try await transactions(of: person).filter { !isRefunded || $0.record.revocationDate != nil }.suffix(6)
    return own.isEmpty ? nil : own[own.startIndex + Int(chance(UInt64(own.count)))].record
  }

  /// All transactions of a customer, oldest first.
  func transactions(of person: Person) async throws -> [StoredTransaction] {
    try await store.transactions().filter {
      $0.account == person.name && $0.record.environment == person.environment
    }.sorted { $0.sequence < $1.sequence }
  }

  private func signed(_ record: TransactionRecord, of person: Person) async throws -> String {
    let call = GetTransactionInfo(transactionId: record.transactionID)
    return try await client.signedTransaction(call, in: person.environment)
  }
}

extension AppStoreServerAPIClient {
  fileprivate func signedTransaction(
    _ call: GetTransactionInfo, in environment: StoreEnvironment
  ) async throws -> String {
    try await send(call).signedTransactionInfo
  }
}

extension RedeemedPurchase.Outcome {
  fileprivate var isGiven: Bool { if case .given = self { true } else { false } }
}

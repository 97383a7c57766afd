import Foundation
import PurchaseLedger
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseKit

/// An App Store, a purchase server's ledger, and one device for each of several people.
struct FamilyWorld: EmulatedShop {
  static let app: BundleID = "org.example.club"
  static let group: SubscriptionGroupID = "club"

  /// Two plans that families share, a plan and a book that they do not, and a book that they share.
  static let products = [
    plan("gold", level: 1, shared: true), plan("silver", level: 2, shared: true),
    plan("bronze", level: 3, shared: false),
    ProductDefinition(
      productID: "atlas", type: .nonConsumable, price: Milliunits(9_990), isFamilyShareable: true),
    ProductDefinition(productID: "diary", type: .nonConsumable, price: Milliunits(9_990)),
  ]

  /// How the server verifies receipts. Only the store's answers contain grace periods.
  enum Verification: CaseIterable, Sendable {
    case offline
    case asksStore
  }

  /// What somebody believes to be owned: the product and the end of access, by original transaction id.
  typealias Access = [String: Owned]

  struct Owned: Hashable, CustomStringConvertible {
    let product: String
    let until: StoreDate?

    var description: String { "\(product) until \(until.map { "\($0)" } ?? "ever")" }
  }

  private struct Person: Sendable {
    let phone: ShopPhone
    let customer: Claimant
    let entitlements: EntitlementManager
  }

  let store: EmulatedAppStore
  private let clock = ManualClock(StoreDate(millisecondsSince1970: 1_782_907_200_250))
  private let verification: Verification
  private let ledger: Ledger
  private let verifier: ProofVerifier
  private var people: [(name: AccountName, person: Person)] = []

  init(_ verification: Verification) async throws {
    self.verification = verification
    store = try EmulatedAppStore(EmulatedAppStore.Configuration(directory: nil, wallClock: clock, seed: 7))
    try await store.serve(Self.app, catalog: [Self.file(Self.products)])
    try await store.setRenewalRules(
      RenewalRules(gracePeriod: verification == .offline ? .off : .standard), of: Self.app)
    let anchors = try store.authority.anchors
    ledger = try await Ledger(
      database: SQLiteLedgerDatabase(at: nil), anchors: anchors, apps: [Self.app: LedgerSettings()], clock: clock)
    for product in Self.products {
      try await ledger.publish(LedgerProduct(id: product.productID, type: product.type), app: Self.app, by: "olga")
    }
    let asking = VerifyReceiptPolicy(sharedSecret: SharedSecret(try await store.app(Self.app).sharedSecret))
    verifier = try ProofVerifier(
      anchors: anchors,
      policies: [
        VerificationPolicy(bundleID: Self.app, method: verification == .offline ? .offline : .both(asking))
      ],
      server: StoreInProcess(store: store), clock: clock)
    for name in FamilyHistory.people {
      try await store.addCustomer(Customer(environment: .sandbox, name: name))
      let phone = try await phone("\(name)'s", signedInAs: name)
      let vault = try PurchaseVault(
        at: nil, keys: MemoryVaultKeyStore(), owner: VaultOwner(bundleID: Self.app, deviceIdentifier: phone.device),
        clock: clock)
      let entitlements = EntitlementManager(
        vault: vault, receipts: nil, productIdentifiers: ["atlas", "diary"], subscriptionIdentifiers: Self.plans)
      people.append(
        (
          name,
          Person(phone: phone, customer: try await ledger.identify(subject: "\(name)"), entitlements: entitlements)
        ))
    }
  }

  private static let plans: Set<String> = ["gold", "silver", "bronze"]

  private static func plan(_ id: ProductID, level: Int, shared: Bool) -> ProductDefinition {
    ProductDefinition(
      productID: id, type: .autoRenewableSubscription, price: Milliunits(Int64(10_000 - level)),
      isFamilyShareable: shared,
      subscription: SubscriptionTerms(
        groupID: group, groupLevel: level, period: CalendarPeriod(value: 1, unit: .month), offers: []))
  }

  // MARK: Events

  /// Carries out the events one by one.
  ///
  /// - Returns: the first disagreement, and the number of events until it; nil if there is none.
  func firstDisagreement(in events: [FamilyEvent]) async throws -> (count: Int, text: String)? {
    for (index, event) in events.enumerated() {
      try await carryOut(event)
      // Receipts have whole seconds. Those after a revocation can have the date of the next second.
      clock.advance(seconds: 2)
      if let text = try await disagreement() { return (index + 1, text) }
    }
    return nil
  }

  /// Carries out an event. The store refuses some events, which then change nothing.
  private func carryOut(_ event: FamilyEvent) async throws {
    do {
      switch event {
      case .buys(let name, let product):
        _ = try await store.purchase(product, of: Self.app, for: name, in: .sandbox)
      case .renews(let name, let isOn):
        guard let id = try await subscription(name)?.originalTransactionID else { return }
        try await store.setAutoRenew(ofSubscription: id, isOn: isOn)
      case .canPay(let name, let isValid):
        try await store.changeCustomer(name, .sandbox) { $0.paymentMethod = isValid ? .valid : .declined }
      case .refund(let name, let purchase):
        guard let id = try await self.purchase(purchase, of: name) else { return }
        _ = try await store.refund(id)
      case .reversal(let name, let purchase):
        guard let id = try await self.purchase(purchase, of: name) else { return }
        _ = try await store.reverseRefund(of: id)
      case .extends(let name, let hours):
        guard let found = try await subscription(name) else { return }
        try await store.changeSubscription(
          found.originalTransactionID, by: [.extend(to: found.periodEnd.adding(seconds: hours * 3600))])
      case .moves(let name, let family):
        try await store.changeCustomer(name, .sandbox) { $0.family = family }
      case .time(let hours): clock.advance(seconds: hours * 3600)
      }
    } catch is StoreRefusal {
    } catch is AppStoreEmulatorError {}
  }

  private func subscription(_ name: AccountName) async throws -> RenewalRecord? {
    try await store.subscriptions(of: name, in: .sandbox).first
  }

  private func purchase(_ position: Int, of name: AccountName) async throws -> TransactionID? {
    let bought = try await store.transactions(RecordFilter(account: name)).filter { $0.sharedTransactionID == nil }
    let newest = bought.sorted { $0.sequence > $1.sequence }
    return newest.indices.contains(position) ? newest[position].record.transactionID : nil
  }

  // MARK: Comparing

  /// The first person about whose purchases store, server and device disagree; nil if they agree.
  private func disagreement() async throws -> String? {
    var own: [AccountName: Set<String>] = [:]
    var owned: [AccountName: Set<String>] = [:]
    for (name, person) in people {
      let found = try await store.entitlements(of: name, .sandbox, limit: 1_000)
      let count = found.transactions.count + found.subscriptions.count
      let (all, inReceipt) = access(found)
      guard all.count == count else { return "\(name): two periods of one original transaction run at once" }
      own[name] = Set(
        found.transactions.filter { $0.sharedTransactionID == nil }.map(\.record.productID.rawValue)
          + found.subscriptions.map(\.productID.rawValue))
      owned[name] = Set(all.values.map(\.product))
      let receipt = try await freshReceipt(for: person.phone)
      let server = try await server(person, receipt)
      guard server == all else { return "\(name): the store gives \(all), the server \(server)" }
      let device = try await device(person, receipt)
      guard device == inReceipt else { return "\(name): the store gives \(inReceipt), the device \(device)" }
      if let text = try stateDisagreement(person, Set(inReceipt.values.map(\.product))) { return "\(name): \(text)" }
    }
    return verification == .offline ? try await unshared(own, owned) : nil
  }

  /// What the store gives now, and the part that receipts show. They do not show grace periods.
  private func access(_ found: CustomerEntitlements) -> (all: Access, inReceipt: Access) {
    var (all, inReceipt): (Access, Access) = ([:], [:])
    for stored in found.transactions {
      let (id, graceEnd) = (
        stored.record.originalTransactionID.rawValue, found.graceEnds[stored.record.transactionID]
      )
      all[id] = Owned(product: stored.record.productID.rawValue, until: graceEnd ?? stored.record.expiresDate)
      if graceEnd == nil { inReceipt[id] = all[id] }
    }
    for subscription in found.subscriptions {
      let id = subscription.originalTransactionID.rawValue
      all[id] = Owned(product: subscription.productID.rawValue, until: subscription.accessEnd)
      if subscription.state != .gracePeriod { inReceipt[id] = all[id] }
    }
    return (all, inReceipt)
  }

  private func server(_ person: Person, _ receipt: Data) async throws -> Access {
    let proof = try await verifier.verify(.appReceipt(receipt), for: Self.app)
    _ = try await ledger.redeem(proof, .everythingOwned, for: person.customer)
    let entitlements = try await ledger.entitlements(of: person.customer.customer, app: Self.app)
    return Dictionary(
      uniqueKeysWithValues: entitlements.filter { $0.isActive(at: clock.now) }.map {
        ($0.source, Owned(product: $0.product.rawValue, until: $0.accessUntil))
      })
  }

  private func device(_ person: Person, _ receipt: Data) async throws -> Access {
    let verified = try await SignedDataVerifier(anchors: anchors).verifyAppReceipt(
      receipt,
      expecting: Expectation(bundleID: Self.app, environments: [.sandbox], device: person.phone.device))
    try person.entitlements.merge(verified)
    return Dictionary(
      uniqueKeysWithValues: person.entitlements.entitlements.filter { $0.isActive(at: clock.now.date) }.map {
        (
          $0.originalTransactionIdentifier,
          Owned(product: $0.productIdentifier, until: $0.expirationDate.map(StoreDate.init))
        )
      })
  }

  /// Checks what the device's app is told about each product, and about the group of plans.
  private func stateDisagreement(_ person: Person, _ products: Set<String>) throws -> String? {
    for product in Self.products.map(\.productID.rawValue) {
      guard try person.entitlements.isEntitled(to: product) == products.contains(product) else {
        return "isEntitled(to: \(product)) is wrong, because these are owned: \(products)"
      }
    }
    let running = products.intersection(Self.plans)
    let state = try person.entitlements.subscriptionState(of: Self.plans)
    guard case .active(let product, _) = state else {
      return running.isEmpty ? nil : "the state is \(state) with \(running)"
    }
    return running.contains(product) ? nil : "the state is \(state) with \(running)"
  }

  /// Checks that everybody has exactly what they or their relatives bought. Without grace periods only: a share that
  /// begins in one is made with the next period.
  private func unshared(_ own: [AccountName: Set<String>], _ owned: [AccountName: Set<String>]) async throws -> String?
  {
    let shareable = Set(Self.products.filter(\.isFamilyShareable).map(\.productID.rawValue))
    let customers = try await store.customers().filter { own[$0.name] != nil && $0.environment == .sandbox }
    for member in customers {
      let relatives = customers.filter { $0.family == member.family && member.family != nil && $0.name != member.name }
      let expected = relatives.reduce(own[member.name] ?? []) { $0.union((own[$1.name] ?? []).intersection(shareable)) }
      guard expected == owned[member.name] else {
        return "\(member.name) has \(owned[member.name] ?? []), and should have \(expected)"
      }
    }
    return nil
  }
}

/// The `verifyReceipt` endpoints of a store in this process.
private struct StoreInProcess: ReceiptServer {
  let store: EmulatedAppStore

  func post(
    _ body: Data, to url: URL, timeoutMilliseconds: Int64
  ) async throws(ReceiptServerFailure) -> ReceiptServerReply {
    let environment: StoreEnvironment = url == VerifyReceiptPolicy.appleProductionURL ? .production : .sandbox
    do {
      return ReceiptServerReply(httpStatus: 200, body: try await store.verifyReceipt(body, at: environment).body)
    } catch {
      throw .noConnection(detail: "\(error)")
    }
  }
}

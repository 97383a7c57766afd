import AppStoreServerAPI
import Foundation
import OpenStoreKit
import SignedData
import StoreModel

@testable import AppStoreEmulator

/// Everything that a person's phone and the developer's server see of the person's transactions, compared member by member.
struct PersonViews {
  let shop: TeaShop
  let server: TeaServer
  let phone: ObservedPhone
  /// The consumables that the app has finished.
  var finished: Set<String> = []
  private var deviceRevision: StoreRevision?
  private var historyRevision: String?
  private(set) var comparedCount = 0

  init(_ phone: ObservedPhone, _ shop: TeaShop) async throws {
    (self.phone, self.shop) = (phone, shop)
    server = try await TeaServer(shop, in: phone.person.environment)
  }

  private var person: Person { phone.person }
  private var environment: StoreEnvironment { person.environment }

  /// Compares all APIs. The transactions that changed since the last call are compared in every one.
  ///
  /// - Returns: the members that differ, each with both values.
  mutating func compare(_ model: ClubModel, _ matching: NotificationMatching) async throws -> [String] {
    let own = model.transactions.filter { $0.person == person }
    guard let first = own.first, let anyID = TransactionID(rawValue: matching.ids[first.number] ?? "") else {
      return []
    }
    let queue = try await phone.transactions()
    let (device, received, unbound) = try await deviceChanges()
    let history = try await historyChanges(anyID)
    var (problems, references) = (unbound, [String: [String: String]]())
    for id in device.keys.sorted() {
      guard let number = matching.number(id), let transactionID = TransactionID(rawValue: id) else {
        problems.append("the device has \(id), of which no notification was sent")
        continue
      }
      let transaction = model.transactions[number]
      let info = try await server.send(GetTransactionInfo(transactionId: transactionID)).signedTransactionInfo
      let signed = try ShownTransaction("Server API", jws: info).members
      let reference = ShownTransaction.reference(signed, upgradeDate: transaction.upgradeDate)
      references[id] = reference
      problems += (device[id]?.differences(from: reference) ?? [])
      problems += (history[id]?.differences(from: reference) ?? [])
      problems += Self.differences(
        "model, \(id)", transaction.members, signed.filter { !Self.invented.contains($0.key) })
      // What changes without a notification: the token and the end by an upgrade.
      if let last = matching.last[number], last.model.members == transaction.members {
        var sent = last.transaction
        sent["signedDate"] = nil
        problems += Self.differences("notification, \(id)", sent, signed)
      }
    }
    comparedCount += references.count
    problems += Set(history.keys).subtracting(device.keys).map { "the device has no change of \($0)" }
    problems += try await receipts(own, matching, references)
    problems += try queue.flatMap { try Self.differences(of: $0, references, matching) }
    let sequences = try await DeviceSequences(of: phone.device)
    problems += lists(sequences, queue, own, matching, references)
    problems += try await statuses(anyID, own, received, sequences, model, matching)
    return problems
  }

  private static let invented: Set = [
    "transactionId", "originalTransactionId", "webOrderLineItemId", "appTransactionId",
  ]

  private static func differences(
    _ api: String, _ members: [String: String], _ reference: [String: String]
  ) -> [String] {
    Set(members.keys).union(reference.keys).sorted().compactMap { name in
      members[name] == reference[name]
        ? nil : "\(api), \(name): \(members[name] ?? "nothing"), Server API: \(reference[name] ?? "nothing")"
    }
  }

  // MARK: Changes

  /// The transactions that have changed for a device with StoreKit 2, all statuses, and what lacks a proof for the device.
  private mutating func deviceChanges() async throws -> ([String: ShownTransaction], [SignedStatus], [String]) {
    var found: [String: ShownTransaction] = [:]
    var problems: [String] = []
    let device = DeviceIdentifier.vendorIdentifier(phone.device.deviceID)
    while true {
      let page = try await shop.store.transactions(
        after: deviceRevision, withStatuses: true, for: phone.device.installationID)
      for transaction in page.transactions {
        let shown = try ShownTransaction("device", jws: transaction.signedTransaction)
        found[shown.id] = shown
        if try !UnverifiedJWS(transaction.signedTransaction).transaction().isIssued(for: device) {
          problems.append("\(shown.id) has no proof for the device")
        }
      }
      deviceRevision = page.revision
      if !page.hasMore { return (found, page.statuses ?? [], problems) }
    }
  }

  private mutating func historyChanges(_ id: TransactionID) async throws -> [String: ShownTransaction] {
    var found: [String: ShownTransaction] = [:]
    while true {
      var query = TransactionHistoryQuery()
      query.revision = historyRevision
      let page = try await server.send(GetTransactionHistory(anyTransactionId: id, query: query))
      for jws in page.signedTransactions {
        let shown = try ShownTransaction("history", jws: jws)
        found[shown.id] = shown
      }
      historyRevision = page.revision
      if !page.hasMore { return found }
    }
  }

  // MARK: Receipts

  private func receipts(
    _ own: [ClubTransaction], _ matching: NotificationMatching, _ references: [String: [String: String]]
  ) async throws -> [String] {
    let data = try await shop.store.refreshReceipt(for: phone.device.installationID)
    let purchases = try UnverifiedAppReceipt(data).receipt.inAppPurchases
    let answer = try await VerifyReceiptAnswer(
      shop, data, password: try await shop.store.app(TeaShop.app).sharedSecret, at: environment)
    var problems = answer.status == 0 ? [] : ["verifyReceipt answers \(answer.status ?? -1)"]
    func compare(_ api: String, _ shown: [(id: String, transaction: () -> ShownTransaction)]) {
      let ids = shown.map(\.id)
      let lasting = Set(own.filter { $0.type != .consumable }.compactMap { matching.ids[$0.number] })
      let consumables = Set(own.filter { $0.type == .consumable }.compactMap { matching.ids[$0.number] })
      if Set(ids).count != ids.count { problems.append("\(api) has a transaction twice") }
      problems += lasting.subtracting(ids).map { "\(api) lacks \($0)" }
      problems += Set(ids).subtracting(lasting).subtracting(consumables.subtracting(finished)).map {
        "\(api) has \($0)"
      }
      for (id, transaction) in shown { problems += references[id].map { transaction().differences(from: $0) } ?? [] }
    }
    compare(
      "app receipt", purchases.map { purchase in (purchase.transactionID.rawValue, { ShownTransaction(purchase) }) })
    func elements(_ fields: [[String: String]], isLatest: Bool) -> [(id: String, transaction: () -> ShownTransaction)] {
      fields.map { fields in
        (fields["transaction_id"] ?? "", { ShownTransaction(verifyReceipt: fields, isLatest: isLatest) })
      }
    }
    compare("verifyReceipt's in_app", elements(answer.inApp, isLatest: false))
    if own.contains(where: { $0.type == .autoRenewableSubscription }) {
      compare("latest_receipt_info", elements(answer.latest, isLatest: true))
    }
    return problems
  }

  /// The differences of a transaction of the payment queue, and of its receipt.
  private static func differences(
    of transaction: SKPaymentTransaction, _ references: [String: [String: String]], _ matching: NotificationMatching
  ) throws -> [String] {
    guard transaction.transactionState == .purchased, let id = transaction.transactionIdentifier else { return [] }
    guard matching.number(id) != nil else {
      // A redelivery has an id of its own, and the first purchase as its original.
      let original = transaction.original?.transactionIdentifier ?? "nothing"
      return matching.number(original) == nil ? ["StoreKit 1, \(id): its original is \(original)"] : []
    }
    guard let reference = references[id] else { return [] }
    var problems = ShownTransaction(transaction).differences(from: reference)
    if let data = transaction.transactionReceipt {
      problems += ShownTransaction(legacy: try UnverifiedLegacyReceipt(data).receipt).differences(from: reference)
    } else {
      problems.append("StoreKit 1, \(id): it has no receipt")
    }
    return problems
  }

  // MARK: StoreKit 2

  /// What is wrong with the list of all transactions that StoreKit 2 shows.
  private func lists(
    _ sequences: DeviceSequences, _ queue: [SKPaymentTransaction], _ own: [ClubTransaction],
    _ matching: NotificationMatching, _ references: [String: [String: String]]
  ) -> [String] {
    var problems = sequences.problems
    let ids = Set(sequences.all.map(\.id))
    if ids.count != sequences.all.count { problems.append("StoreKit 2 lists a transaction twice") }
    for (newer, older) in zip(sequences.all, sequences.all.dropFirst()) where newer.purchaseDate < older.purchaseDate {
      problems.append("StoreKit 2 lists \(newer.id) before \(older.id), which is newer")
    }
    problems += ids.subtracting(own.compactMap { matching.ids[$0.number] }).map { "StoreKit 2 lists \($0)" }
    let unfinished = Set(queue.filter { $0.transactionState == .purchased }.compactMap(\.transactionIdentifier))
    for transaction in own {
      guard let id = matching.ids[transaction.number] else { continue }
      if transaction.type != .consumable || unfinished.contains(id) {
        if !ids.contains(id) { problems.append("StoreKit 2 does not list \(id)") }
      } else if transaction.revocation == nil, ids.contains(id) {
        problems.append("StoreKit 2 lists \(id), a finished consumable")
      }
    }
    for item in sequences.all {
      guard let reference = references[item.id] else { continue }
      problems += item.shown.flatMap { $0.differences(from: reference) }
    }
    return problems
  }

  /// What is wrong with the statuses and the entitlements that StoreKit 2 shows. The Server API has the statuses, and the model
  /// what else the person owns.
  private func entitlements(
    _ sequences: DeviceSequences, _ own: [ClubTransaction], _ matching: NotificationMatching, _ shown: [LastTransaction]
  ) throws -> [String] {
    var problems: [String] = []
    var expected: Set<String> = []
    var statuses: Set<String> = []
    for status in shown {
      let transaction = try JSONMembers(jws: status.signedTransactionInfo).values
      let id = transaction["transactionId"] ?? ""
      statuses.insert("\(status.originalTransactionId.rawValue): \(status.status.rawValue), \(id)")
      // Active, or in the grace period.
      if [1, 4].contains(status.status.rawValue), transaction["isUpgraded"] != "true" { expected.insert(id) }
    }
    let ofDevice = Set(sequences.statuses.map { "\($0.original): \($0.state), \($0.transaction)" })
    problems += ofDevice.symmetricDifference(statuses).sorted().map { "only one of StoreKit 2 and the API has \($0)" }

    var durable: [ProductID: (isOwn: Bool, date: StoreDate, id: TransactionID)] = [:]
    for transaction in own where transaction.revocation == nil {
      guard let id = matching.ids[transaction.number].flatMap(TransactionID.init(rawValue:)) else { continue }
      switch transaction.type {
      case .nonRenewingSubscription: expected.insert(id.rawValue)
      case .nonConsumable:
        // A purchase comes before a family share, and the newest of each first.
        let this = (isOwn: transaction.sharedFrom == nil, date: transaction.purchaseDate, id: id)
        guard let known = durable[transaction.product] else {
          durable[transaction.product] = this
          continue
        }
        let isBetter =
          this.isOwn == known.isOwn ? (this.date, this.id) > (known.date, known.id) : this.isOwn
        if isBetter { durable[transaction.product] = this }
      case .consumable, .autoRenewableSubscription: continue
      }
    }
    expected.formUnion(durable.values.map(\.id.rawValue))
    let found = Set(sequences.entitlements)
    if found.count != sequences.entitlements.count { problems.append("StoreKit 2 lists an entitlement twice") }
    problems += expected.subtracting(found).sorted().map { "StoreKit 2 lacks the entitlement \($0)" }
    problems += found.subtracting(expected).sorted().map { "StoreKit 2 lists the entitlement \($0)" }
    return problems
  }

  // MARK: Subscriptions

  private func statuses(
    _ id: TransactionID, _ own: [ClubTransaction], _ received: [SignedStatus], _ sequences: DeviceSequences,
    _ model: ClubModel, _ matching: NotificationMatching
  ) async throws -> [String] {
    let answer = try await server.send(GetAllSubscriptionStatuses(anyTransactionId: id))
    var newest: [String: ClubTransaction] = [:]
    for transaction in own where transaction.plan != nil {
      guard let original = matching.ids[transaction.original] else { continue }
      newest[original] = transaction
    }
    let shown = answer.data.flatMap(\.lastTransactions)
    var problems: [String] = []
    if Set(shown.map(\.originalTransactionId.rawValue)) != Set(newest.keys) || shown.count != newest.count {
      problems.append("the statuses are of \(shown.map(\.originalTransactionId)), model: \(newest.keys.sorted())")
    }
    problems += try Self.differences(of: received, shown)
    problems += try entitlements(sequences, own, matching, shown)
    for status in shown {
      let original = status.originalTransactionId.rawValue
      guard let last = newest[original], let key = model.purchaser(of: last), let found = model.subscriptions[key]
      else {
        continue
      }
      let transaction = try JSONMembers(jws: status.signedTransactionInfo).values
      if transaction["transactionId"] != matching.ids[last.number] {
        problems.append("status, \(original): its transaction is \(transaction["transactionId"] ?? "nothing")")
      }
      if status.status.rawValue != model.status(found, last) {
        problems.append("status, \(original): \(status.status.rawValue), model: \(model.status(found, last))")
      }
      var info = try JSONMembers(jws: status.signedRenewalInfo).values
      for name in ["originalTransactionId", "appTransactionId", "signedDate"] { info[name] = nil }
      problems += Self.differences("model's renewal information, \(original)", model.renewalInfo(found, last), info)
    }
    return problems
  }

  /// The differences of the statuses that a device receives from those of the Server API. A device derives the status itself.
  private static func differences(of received: [SignedStatus], _ shown: [LastTransaction]) throws -> [String] {
    let stated = Dictionary(shown.map { ($0.originalTransactionId.rawValue, $0) }) { first, _ in first }
    var problems: [String] = []
    var originals: Set<String> = []
    for signed in received {
      let status = try ReceivedStatus(signed)
      let original = status.transaction.originalTransactionID.rawValue
      originals.insert(original)
      guard let known = stated[original] else { continue }
      if known.status.known != status.derived {
        problems.append("device's status, \(original): \(status.derived), Server API: \(known.status.rawValue)")
      }
      for (name, ofDevice, ofServer) in [
        ("transaction", signed.signedTransaction, known.signedTransactionInfo),
        ("renewal information", signed.signedRenewalInfo, known.signedRenewalInfo),
      ] {
        var (own, reference) = (try JSONMembers(jws: ofDevice).values, try JSONMembers(jws: ofServer).values)
        for member in ShownTransaction.ofSignature { (own[member], reference[member]) = (nil, nil) }
        problems += differences("device's \(name), \(original)", own, reference)
      }
    }
    if originals != Set(stated.keys) {
      problems.append("the device has statuses of \(originals.sorted()), Server API: \(stated.keys.sorted())")
    }
    return problems
  }
}

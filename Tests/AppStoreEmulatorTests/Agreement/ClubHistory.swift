import AppStoreServerAPI
import Foundation
import OpenStoreKit
import StoreModel
import Testing

@testable import AppStoreEmulator

/// A random history of three customers, its model, and what their servers and phones see of it.
struct ClubHistory {
  let shop: TeaShop
  let receiver = NotificationReceiver()
  private(set) var model: ClubModel
  private(set) var matching: NotificationMatching
  private var views: [PersonViews] = []
  private var generator: SeededGenerator
  /// The purchases that wait for approval, by their payments.
  private var approvals: [PaymentID: ClubPurchase] = [:]
  /// The customers' requests for refunds that are not decided.
  private var requests: [RequestedRefund] = []
  /// How often an action of each kind was accepted.
  private(set) var accepted: [String: Int] = [:]

  var comparedCount: Int { views.reduce(0) { $0 + $1.comparedCount } }

  init(seed: UInt64) async throws {
    generator = SeededGenerator(seed: seed)
    shop = try await TeaShop(seed: seed)
    try await shop.sell(ClubCatalog.definitions)
    let graceSeconds: Int64? = seed % 2 == 0 ? nil : 3 * 86_400
    try await shop.store.setRenewalRules(
      RenewalRules(gracePeriod: graceSeconds.map { .seconds($0) } ?? .off), of: TeaShop.app)
    for person in Person.all {
      let family = person == .ada ? "tea" : nil
      try await shop.store.addCustomer(Customer(environment: person.environment, name: person.name, family: family))
    }
    try await shop.store.setNotificationURL(TeaShop.server)
    shop.store.deliverNotifications(over: receiver)
    model = ClubModel(now: try await shop.store.clockReading().now, graceSeconds: graceSeconds)
    matching = NotificationMatching(appAppleID: try await shop.store.app(TeaShop.app).appAppleID)
    for (index, person) in Person.all.enumerated() {
      let phone = try await ObservedPhone(person, shop, seed: seed &* 8 &+ UInt64(index))
      views.append(try await PersonViews(phone, shop))
    }
  }

  /// Carries out a random action, and matches the notifications that it caused.
  ///
  /// - Returns: the action, and what is wrong.
  mutating func step() async throws -> (action: ClubAction, problems: [String]) {
    let action = ClubAction.random(&generator, model)
    do {
      if try await carryOut(action) { accepted[action.kind, default: 0] += 1 }
    } catch is StoreRefusal {
    } catch is AppStoreEmulatorError {
    } catch is ServerAPIRefusal {}
    model.advance(to: try await shop.store.clockReading().now)
    try await shop.store.settleNotifications(timeoutMilliseconds: 600_000)
    let sent = try receiver.take().map { try SentNotification($0.body) }
    return (action, matching.match(sent, model.takeExpected()))
  }

  /// Compares what all APIs show.
  mutating func compareViews() async throws -> [String] {
    var problems: [String] = []
    for index in views.indices { problems += try await views[index].compare(model, matching) }
    return problems
  }

  func close() async throws {
    for views in views { try await views.phone.device.close() }
    try shop.store.close()
  }

  // MARK: Actions

  /// - Returns: whether the store accepted the action. It also throws refusals.
  private mutating func carryOut(_ action: ClubAction) async throws -> Bool {
    switch action {
    case .advance(let seconds): try await shop.store.changeClock(.advance(milliseconds: seconds * 1_000))
    case .toNextEvent: try await shop.store.changeClock(.toNextEvent)
    case .order(let purchase):
      _ = try await shop.store.purchase(
        purchase.product, quantity: purchase.quantity, of: TeaShop.app, for: purchase.person.name,
        in: purchase.person.environment, applicationUsername: purchase.token?.uuidString, offer: purchase.offer)
      model.buy(purchase)
    case .buyInApp(let purchase, let asks): return try await buyInApp(purchase, asks: asks)
    case .decideApproval(let isApproved): return try await decideApproval(isApproved: isApproved)
    case .finish(let person, let choice): return try await finish(person, choice)
    case .pay(let person, let isPossible):
      try await shop.store.changeCustomer(person.name, person.environment) {
        $0.paymentMethod = isPossible ? .valid : .declined
      }
      model.pay(person, isPossible: isPossible)
    case .sell(let product, let isOnSale):
      try await shop.store.changeProduct(product, of: TeaShop.app, ProductChange(isOnSale: isOnSale))
      model.sell(product, isOnSale: isOnSale)
    case .family(let isMember):
      try await shop.store.changeCustomer(Person.bob.name, Person.bob.environment) {
        $0.family = isMember ? "tea" : nil
      }
      model.setFamily(.bob, isMember: isMember)
    case .autoRenew(let person, let choice, let isOn):
      guard let (key, id) = subscription(of: person, choice) else { return false }
      try await shop.store.setAutoRenew(ofSubscription: id, isOn: isOn)
      model.setAutoRenew(key, isOn: isOn)
    case .announceIncrease(let person, let choice, let needsConsent):
      guard let (key, id) = subscription(of: person, choice), let plan = model.subscriptions[key]?.plan else {
        return false
      }
      let price = model.price(plan.id) + 1_000
      try await shop.store.changeProduct(plan.id, of: TeaShop.app, ProductChange(price: Milliunits(price)))
      model.raisePrice(of: plan.id, to: price)
      try await shop.store.changeSubscription(id, by: [.announcePriceIncrease(needsConsent: needsConsent)])
      model.announceIncrease(key, needsConsent: needsConsent)
    case .answerIncrease(let person, let choice, let isAgreed):
      guard let (key, id) = subscription(of: person, choice) else { return false }
      try await shop.store.changeSubscription(id, by: [.answerPriceIncrease(isAgreed: isAgreed)])
      model.answerIncrease(key, isAgreed: isAgreed)
    case .extend, .extendAll, .setToken: return try await callServerAPI(action)
    case .refund, .reverseRefund, .requestRefund, .decideRequest: return try await refund(action)
    }
    return true
  }

  private mutating func buyInApp(_ purchase: ClubPurchase, asks: Bool) async throws -> Bool {
    guard let phone = phone(of: purchase.person) else { return false }
    let earlier = Set(try await shop.store.pendingApprovals().map(\.payment.paymentID))
    let state = try await phone.buy(purchase, asks: asks)
    switch state {
    case .purchased: model.buy(purchase)
    case .deferred:
      for pending in try await shop.store.pendingApprovals() where !earlier.contains(pending.payment.paymentID) {
        approvals[pending.payment.paymentID] = purchase
      }
    default: return false
    }
    return true
  }

  private mutating func decideApproval(isApproved: Bool) async throws -> Bool {
    guard let pending = try await shop.store.pendingApprovals().first,
      let purchase = approvals[pending.payment.paymentID]
    else { return false }
    let charged = try await shop.store.decideApproval(
      of: pending.payment.paymentID, on: pending.installationID, isApproved: isApproved)
    if charged != nil { model.buy(purchase) }
    return true
  }

  private mutating func finish(_ person: Person, _ choice: ClubChoice) async throws -> Bool {
    guard let index = views.firstIndex(where: { $0.phone.person == person }) else { return false }
    let phone = views[index].phone
    let all = try await phone.transactions().filter { [.purchased, .failed].contains($0.transactionState) }
    // Most are finished, so that the queue stays short.
    for transaction in all where transaction !== choice(all) || all.count == 1 {
      await phone.finish(transaction)
      if let id = transaction.transactionIdentifier { views[index].finished.insert(id) }
    }
    return !all.isEmpty
  }

  private mutating func callServerAPI(_ action: ClubAction) async throws -> Bool {
    switch action {
    case .extend(let person, let choice, let days):
      guard let (key, id) = subscription(of: person, choice), let server = server(of: person.environment) else {
        return false
      }
      try await server.send(
        ExtendSubscriptionRenewalDate(
          originalTransactionId: id,
          ExtendRenewalDateRequest(
            extendByDays: days, extendReasonCode: OpenEnum(.other), requestIdentifier: "request")))
      model.extend(key, days: days)
    case .extendAll(let environment, let product, let days, let id):
      guard let server = server(of: environment), let plan = ClubCatalog.plan(product) else { return false }
      try await server.send(
        ExtendRenewalDatesForAllActiveSubscribers(
          MassExtendRenewalDateRequest(
            requestIdentifier: id, extendByDays: days, extendReasonCode: OpenEnum(.other), productId: product)))
      model.extendAllLater(id, environment, plan, days: days)
    case .setToken(let person, let choice, let token):
      let firsts = model.transactions.filter { $0.person == person && $0.number == $0.original }
      guard let first = choice(firsts), let id = id(first.number), let server = server(of: person.environment) else {
        return false
      }
      try await server.send(SetAppAccountToken(originalTransactionId: id, appAccountToken: token))
      model.setToken(first.number, token)
    default: return false
    }
    return true
  }

  private mutating func refund(_ action: ClubAction) async throws -> Bool {
    switch action {
    case .refund(let person, let choice, let reason, let percentage):
      guard let (number, id) = transaction(of: person, choice) else { return false }
      try await shop.store.refund(id, reason: reason == 1 ? .issueWithApp : .other, percentage: percentage)
      model.refund(number, reason: reason, percentage: percentage)
    case .reverseRefund(let person, let choice):
      let refunded = model.transactions.filter { $0.person == person && $0.revocation != nil }
      // The newest, because a later period makes a reversal impossible.
      guard let chosen = choice(refunded.suffix(4)), let id = id(chosen.number) else { return false }
      try await shop.store.reverseRefund(of: id)
      model.reverseRefund(chosen.number)
    case .requestRefund(let person, let choice, let reason):
      guard let (number, id) = transaction(of: person, choice),
        let given = ConsumptionRequestReason(rawValue: reason.rawValue)
      else { return false }
      requests.append(try await shop.store.requestRefund(of: id, reason: given))
      model.requestRefund(number, reason: reason.rawValue)
    case .decideRequest(let choice, let isGranted):
      guard let request = choice(requests), let number = matching.number(request.transactionID.rawValue) else {
        return false
      }
      requests.removeAll { $0 == request }
      try await shop.store.decideRefundRequest(
        request.number, of: request.transactionID, isGranted ? .full : .declined)
      let isIssue = [.fulfillmentIssue, .unsatisfiedWithPurchase].contains(request.reason)
      if isGranted {
        model.refund(number, reason: isIssue ? 1 : 0, percentage: 100_000)
      } else {
        model.declineRefund(number)
      }
    default: return false
    }
    return true
  }

  // MARK: Choices

  private func phone(of person: Person) -> ObservedPhone? { views.first { $0.phone.person == person }?.phone }

  private func server(of environment: StoreEnvironment) -> TeaServer? {
    views.first { $0.phone.person.environment == environment }?.server
  }

  private func id(_ number: Int) -> TransactionID? { matching.ids[number].flatMap { TransactionID(rawValue: $0) } }

  /// A transaction of a person: mostly one of the newest.
  private func transaction(of person: Person, _ choice: ClubChoice) -> (number: Int, id: TransactionID)? {
    let own = model.transactions.filter { $0.person == person }
    guard let chosen = choice(choice.number % 4 == 0 ? own : own.suffix(5)), let id = id(chosen.number) else {
      return nil
    }
    return (chosen.number, id)
  }

  private func subscription(
    of person: Person, _ choice: ClubChoice
  ) -> (key: ClubModel.SubscriptionKey, id: TransactionID)? {
    guard let key = choice(model.keys(of: person)), let found = model.subscriptions[key],
      let id = id(model.transactions[found.current].original)
    else { return nil }
    return (key, id)
  }
}

extension ClubAction {
  /// The name of the action, without its values.
  var kind: String { String("\(self)".prefix { $0 != "(" }) }
}

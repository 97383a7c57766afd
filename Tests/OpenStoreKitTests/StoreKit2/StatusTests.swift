import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: statuses and entitlements", .timeLimit(.minutes(30)))
struct StatusTests {
  @Test("the status has the state, the newest transaction and the renewal information, also by a transaction's id")
  func status() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    #expect(try await Product.SubscriptionInfo.status(for: TestStore.group, on: device).isEmpty)
    let first = try await device.purchase(TestStore.basic)
    try await test.nextStep()
    let status: Product.SubscriptionInfo.Status = try #require(try await device.status())
    let newest = try status.transaction.payloadValue
    #expect(status.state == .subscribed && newest.id != first.id && newest.originalID == first.id)
    #expect(try status.renewalInfo.payloadValue.originalTransactionID == first.id)
    let ofFirst = try await Product.SubscriptionInfo.status(transactionID: first.id, on: device)
    #expect(ofFirst?.transaction.verifiedID == newest.id)
    #expect(await first.subscriptionStatus?.transaction.verifiedID == newest.id)
    #expect(try await Product.SubscriptionInfo.status(transactionID: 1, on: device) == nil)
    let sepia = try await device.purchase(TestStore.sepia)
    #expect(await sepia.subscriptionStatus == nil)
  }

  @Test("a refund and the status agree at every moment")
  func revoked() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let bought = try await device.purchase(TestStore.basic)
    try await test.store.refund(TransactionID(bought.id))
    let status = try #require(try await device.status())
    #expect(status.state == .revoked)
    #expect(try status.transaction.payloadValue.revocationDate != nil)
    #expect(try await device.entitlements().isEmpty)
  }

  @Test("updates has each change of a status, since the registration")
  func updates() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    let bought = try await device.purchase(TestStore.basic)
    _ = try await device.status()
    var updates = device.statusUpdates()
    var second = device.statusUpdates()
    try await device.changeSubscription(TransactionID(bought.id), .autoRenew(isOn: false))
    let off = try #require(await updates.next())
    #expect(try off.state == .subscribed && off.renewalInfo.payloadValue.willAutoRenew == false)
    #expect(await second.next()?.state == .subscribed)
    try await test.nextStep()
    #expect(await updates.next()?.state == .expired)
  }

  @Test("all has each group that was ever subscribed to, and ends")
  func all() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    for await _ in SubscriptionStatus.all(on: device) { Issue.record("there is no subscription") }
    try await device.purchase(TestStore.monthly)
    _ = await device.refresh()
    var groups: [String] = []
    for await (groupID, statuses) in SubscriptionStatus.all(on: device) {
      groups.append(groupID)
      #expect(statuses.map(\.state) == [.subscribed])
    }
    #expect(groups == [TestStore.group])
  }

  @Test("a family share has a status and an entitlement of its own; what is shared is not sold again")
  func family() async throws {
    let test = try await TestStore.club()
    _ = try await test.store.changeCustomer("customer", .sandbox) { $0.family = "F" }
    try await test.store.addCustomer(Customer(environment: .sandbox, name: "ann", family: "F"))
    let ann = try test.clubDevice(customer: AutomaticCustomer(credentials: SignInCredentials(account: "ann")))
    let device = try test.clubDevice()
    try await ann.purchase(TestStore.monthly)
    try await ann.purchase(TestStore.sepia)
    try await device.signIn(SignInCredentials(account: "customer"))
    #expect(Set(try await device.entitlements().map(\.productID)) == [TestStore.monthly, TestStore.sepia])
    #expect(try await device.entitlements().allSatisfy { $0.ownershipType == .familyShared })
    #expect(try await device.status()?.state == .subscribed)
    let shared = try #require(try await device.entitlements(of: TestStore.sepia).first)
    let chargeCount = try await test.chargeCount()
    #expect(try await device.purchase(TestStore.sepia).id == shared.id)
    #expect(try await test.chargeCount() == chargeCount)
  }

  @Test("each kind of product entitles in its way: never, for ever, each purchase, until the subscription ends")
  func kinds() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    try await device.purchase(TestStore.five, finishes: false)
    let sepia = try await device.purchase(TestStore.sepia)
    let first = try await device.purchase(TestStore.season)
    let second = try await device.purchase(TestStore.season)
    let basic = try await device.purchase(TestStore.basic)
    #expect(try await device.entitlements().map(\.id) == [basic.id, second.id, first.id, sepia.id])
    #expect(await Transaction.currentEntitlement(for: TestStore.basic, on: device)?.verifiedID == basic.id)
    #expect(await Transaction.currentEntitlement(for: TestStore.five, on: device) == nil)
    try await device.changeSubscription(TransactionID(basic.id), .autoRenew(isOn: false))
    try await test.nextStep()
    #expect(try await device.entitlements().map(\.id) == [second.id, first.id, sepia.id])
  }

  @Test("offline, a subscription is listed until its own end; a clock that was set back does not make it longer")
  func offline() async throws {
    let test = try await TestStore.club()
    let clock = ManualClock(StoreDate(millisecondsSince1970: 1_790_000_000_000))
    let device = try StoreKitDevice(
      connection: test.store, bundleID: TestStore.bundleID, storage: .inMemory, clock: clock)
    let basic = try await device.purchase(TestStore.basic)
    _ = try await device.all()
    device.switches.isOffline = true
    #expect(try await device.entitlements().map(\.id) == [basic.id])
    clock.advance(seconds: 27 * 86_400)
    #expect(try await device.entitlements().map(\.id) == [basic.id])
    clock.advance(seconds: 5 * 86_400)
    #expect(try await device.entitlements().isEmpty)
    clock.advance(seconds: -31 * 86_400)
    // The estimate is the latest signed date again: no later date is known.
    #expect(try await device.entitlements().map(\.id) == [basic.id])
    device.switches.isOffline = false
    #expect(try await device.entitlements().map(\.productID) == [TestStore.basic], "online, the store's records count")
  }

  @Test("another customer has other entitlements; after a sign-out they stay")
  func accounts() async throws {
    let test = try await TestStore.club()
    try await test.store.addCustomer(Customer(environment: .sandbox, name: "ann"))
    let device = try test.clubDevice()
    let sepia = try await device.purchase(TestStore.sepia)
    try await device.signOut()
    #expect(try await device.entitlements().map(\.id) == [sepia.id])
    try await device.signIn(SignInCredentials(account: "ann"))
    #expect(try await device.entitlements().isEmpty)
  }

  @Test(
    "the raw values and texts of the states",
    arguments: [
      (SubscriptionRenewalState.subscribed, 1), (.expired, 2), (.inBillingRetryPeriod, 3), (.inGracePeriod, 4),
      (.revoked, 5),
    ])
  func states(state: Product.SubscriptionInfo.RenewalState, number: Int) {
    #expect(state.rawValue == number && state == .init(rawValue: number))
    #expect(state.localizedDescription != SubscriptionRenewalState(rawValue: 9).localizedDescription)
  }
}

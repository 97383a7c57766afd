import AppStoreEmulator
import Foundation
import GRDB
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

/// Documentation/storekit2.md, "Status" and "Entitlements", as the device stores them.
@Suite("Statuses on the device", .timeLimit(.minutes(10)))
struct DeviceStatusTests {
  private static let signed = StoreDate(millisecondsSince1970: 1_000_000)

  private static func transaction(revoked: Bool = false) -> DeviceTransaction {
    DeviceTransaction(
      transactionID: TransactionID(2), originalTransactionID: TransactionID(1), productID: "club",
      type: .autoRenewableSubscription, purchaseDate: signed, revocationDate: revoked ? signed : nil,
      signedDate: signed, signedTransaction: "x.y.z", account: "customer", subscriptionGroupID: "G",
      expiresDate: StoreDate(millisecondsSince1970: 2_000_000))
  }

  private static func info(_ change: (inout SignedRenewalInfo) -> Void = { _ in }) -> SignedRenewalInfo {
    var info = SignedRenewalInfo(originalTransactionID: TransactionID(1), productID: "club", signedDate: signed)
    change(&info)
    return info
  }

  @Test("the state follows from the two signed values; the first match counts")
  func states() {
    func state(_ revoked: Bool = false, _ change: (inout SignedRenewalInfo) -> Void) -> SubscriptionState {
      SubscriptionState(Self.transaction(revoked: revoked), Self.info(change))
    }
    let later = StoreDate(millisecondsSince1970: 1_000_001)
    #expect(state { _ in } == .subscribed)
    #expect(state { $0.rawAutoRenewStatus = 0 } == .subscribed)
    #expect(state { $0.rawExpirationIntent = 1 } == .expired)
    #expect(state { $0.isInBillingRetryPeriod = false } == .subscribed)
    #expect(state { ($0.isInBillingRetryPeriod, $0.rawExpirationIntent) = (true, 2) } == .inBillingRetryPeriod)
    #expect(
      state { ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, Self.signed) } == .inBillingRetryPeriod)
    #expect(state { ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, later) } == .inGracePeriod)
    #expect(state { $0.gracePeriodExpiresDate = later } == .subscribed)
    #expect(state(true) { ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, later) } == .revoked)
  }

  /// A journal with one page of changes, which has the status of a subscription.
  private func journal(
    _ info: SignedRenewalInfo = DeviceStatusTests.info(), revoked: Bool = false
  ) throws -> PaymentJournal {
    let journal = try PaymentJournal.inMemory()
    try accept(info, revoked: revoked, in: journal)
    return journal
  }

  /// - Parameter isListed: whether the page has the transaction of the status, too.
  @discardableResult
  private func accept(
    _ info: SignedRenewalInfo, revoked: Bool = false, isListed: Bool = true, revision: Int64 = 1,
    in journal: PaymentJournal
  ) throws -> PageChanges {
    let epoch: StoreEpoch = "1"
    _ = try journal.adopt(
      epoch: epoch, rootFingerprints: ["A", "B"], changeCursor: ChangeCursor(rawValue: 0), account: "customer")
    let payload = String(decoding: Base64.encode(info.payloadBytes(), .url), as: UTF8.self)
    var page = VerifiedPage()
    let transaction = Self.transaction(revoked: revoked)
    page.transactions = isListed ? [transaction] : []
    page.statuses = [
      VerifiedStatus(groupID: "G", transaction: transaction, renewalInfo: info, signedRenewalInfo: "x.\(payload).z")
    ]
    let revision = StoreRevision(epoch: epoch, number: revision)
    let changes = TransactionChanges(
      account: "customer",
      transactions: isListed
        ? [TransactionChanges.Transaction(signedTransaction: "x.y.z", revision: revision, isFinished: true)] : [],
      revision: revision, hasMore: false,
      statuses: [SignedStatus(groupID: "G", signedTransaction: "x.y.z", signedRenewalInfo: "x.\(payload).z")])
    return try #require(
      try journal.accept(
        page, of: changes, requestedFor: try journal.transactionPlace(),
        at: StoreDate(millisecondsSince1970: 5_000_000), announces: true))
  }

  @Test("a status is stored with its page, and found by any of its transactions and by its group")
  func stored() throws {
    let journal = try journal()
    let status = try #require(try journal.statuses().first)
    #expect(status.groupID == "G" && status.state == 1 && status.failure == nil)
    #expect(status.transaction.transactionID == TransactionID(2))
    #expect(try journal.status(of: TransactionID(2)) == status)
    #expect(try journal.status(of: TransactionID(1)) == status)
    #expect(try journal.statuses(of: "G") == [status] && journal.statuses(of: "H").isEmpty)
    #expect(try journal.entitlements(at: nil) == [TransactionID(2)])
  }

  @Test("a status that has changed is reported, and one that was only signed anew is not")
  func changes() throws {
    let journal = try journal()
    let later = StoreDate(millisecondsSince1970: 1_500_000)
    let anew = Self.info { $0.signedDate = later }
    #expect(try accept(anew, revision: 2, in: journal).statuses.isEmpty)
    let off = Self.info { ($0.signedDate, $0.rawAutoRenewStatus) = (later, 0) }
    #expect(try accept(off, revision: 3, in: journal).statuses == [TransactionID(1)])
    let expired = Self.info { ($0.signedDate, $0.rawAutoRenewStatus, $0.rawExpirationIntent) = (later, 0, 1) }
    #expect(try accept(expired, revision: 4, in: journal).statuses == [TransactionID(1)])
    #expect(try journal.statuses().map(\.state) == [2])
    #expect(try journal.entitlements(at: nil).isEmpty)
  }

  @Test("the history of an account changes no status")
  func history() throws {
    let journal = try PaymentJournal.inMemory()
    #expect(try accept(Self.info(), in: journal).statuses.isEmpty)
    #expect(try journal.statuses().count == 1)
  }

  @Test("a period that at first only its status shows, because its page was not verified, is announced, and once")
  func announcedByStatus() throws {
    let journal = try PaymentJournal.inMemory()
    try journal.database.write {
      try $0.execute(sql: "UPDATE installation SET hasHistory = TRUE, account = 'customer'")
    }
    #expect(try accept(Self.info(), isListed: false, in: journal).statuses == [TransactionID(1)])
    #expect(try journal.announced() == [TransactionID(2)])
    let announcement = try journal.transaction(TransactionID(2))?.announcement
    #expect(try accept(Self.info(), revision: 2, in: journal).statuses.isEmpty)
    #expect(try journal.transaction(TransactionID(2))?.announcement == announcement)
  }

  @Test("a refund takes the status and the entitlement away in one commit")
  func refunded() throws {
    let journal = try journal()
    let changes = try accept(Self.info(), revoked: true, revision: 2, in: journal)
    #expect(changes.statuses == [TransactionID(1)])
    #expect(try journal.statuses().map(\.state) == [5])
    #expect(try journal.entitlements(at: nil).isEmpty)
    // A refunded subscription does not come back by Family Sharing or by its age.
    #expect(try journal.history(withConsumables: false) == [TransactionID(2)])
  }

  @Test(
    "online, the store's records count; offline, a subscription ends at its date, or at the end of its grace period")
  func dates() throws {
    func date(_ milliseconds: Int64) -> StoreDate { StoreDate(millisecondsSince1970: milliseconds) }
    let subscribed = try journal()
    #expect(try subscribed.entitlements(at: date(1_999_999)) == [TransactionID(2)])
    #expect(try subscribed.entitlements(at: date(2_000_000)).isEmpty)
    let grace = try journal(
      Self.info { ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, date(3_000_000)) })
    #expect(try grace.entitlements(at: nil) == [TransactionID(2)])
    #expect(try grace.entitlements(at: date(2_999_999)) == [TransactionID(2)])
    #expect(try grace.entitlements(at: date(3_000_000)).isEmpty)
    let retry = try journal(Self.info { $0.isInBillingRetryPeriod = true })
    #expect(try retry.entitlements(at: nil).isEmpty)
  }

  @Test("the store's date goes on with this machine's clock, and a clock that was set back adds nothing")
  func storeDate() throws {
    let journal = try journal()
    func estimate(_ now: Int64) throws -> Int64 {
      try journal.storeDate(now: StoreDate(millisecondsSince1970: now)).millisecondsSince1970
    }
    #expect(try estimate(5_000_000) == 1_000_000)
    #expect(try estimate(5_250_000) == 1_250_000)
    #expect(try estimate(1) == 1_000_000)
    // An installation that has never taken changes in knows only its own clock.
    #expect(try PaymentJournal.inMemory().storeDate(now: Self.signed) == Self.signed)
  }

  @Test("a message is raised once for its cause, and leaves with it if no app has received it")
  func messages() throws {
    let journal = try journal()
    let increase = Self.info { ($0.rawPriceIncreaseStatus, $0.renewalPrice) = (0, Milliunits(5_990)) }
    let update = MessageUpdate(message: .priceIncreaseConsent, originalTransactionID: TransactionID(1))
    #expect(try accept(increase, revision: 2, in: journal).messages == [update])
    #expect(try accept(increase, revision: 3, in: journal).messages.isEmpty)
    #expect(try journal.pendingMessages() == [update])
    // The customer has agreed.
    _ = try accept(Self.info { $0.rawPriceIncreaseStatus = 1 }, revision: 4, in: journal)
    #expect(try journal.pendingMessages().isEmpty)
    #expect(try accept(increase, revision: 5, in: journal).messages == [update])
    #expect(try journal.markDelivered(update))
    #expect(try !journal.markDelivered(update))
    #expect(try accept(increase, revision: 6, in: journal).messages.isEmpty)
    // Another increase is another message.
    let second = Self.info { ($0.rawPriceIncreaseStatus, $0.renewalPrice) = (0, Milliunits(6_990)) }
    #expect(try accept(second, revision: 7, in: journal).messages == [update])
  }

  @Test("another account takes the statuses, the messages and the history with it")
  func accounts() throws {
    let journal = try journal(Self.info { $0.isInBillingRetryPeriod = true })
    #expect(try !journal.pendingMessages().isEmpty)
    try journal.adopt(account: "bob")
    #expect(try journal.statuses().isEmpty && journal.pendingMessages().isEmpty)
    let headers = try journal.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM signatureHeader") }
    #expect(headers == 0)
    let hasHistory = try journal.database.read { try Bool.fetchOne($0, sql: "SELECT hasHistory FROM installation") }
    #expect(hasHistory == false)
  }

  @Test("renewal information with a wrong signature is not stored; the earlier state stays")
  func unverified() async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    try await device.signIn(SignInCredentials(account: "customer"))
    _ = try await test.boughtLongAgo(TestStore.monthly)
    #expect(await device.refresh().isCurrent)
    let good = try #require(try device.journal.statuses().first)
    #expect(good.failure == nil && good.state == 1)
    connection.rewriteChanges { page in
      TransactionChanges(
        account: page.account, transactions: page.transactions, revision: page.revision, hasMore: page.hasMore,
        statuses: page.statuses?.map {
          SignedStatus(
            groupID: $0.groupID, signedTransaction: $0.signedTransaction,
            signedRenewalInfo: "\($0.signedRenewalInfo.dropLast(80))\(String(repeating: "A", count: 80))")
        })
    }
    let place = try device.journal.transactionPlace()
    #expect(await !device.refresh().isCurrent)
    let wrong = try #require(try device.journal.statuses().first)
    #expect(wrong.failure?.fault == .signature && wrong.state == 1)
    #expect(wrong.signedRenewalInfo != good.signedRenewalInfo)
    #expect(try device.journal.transactionPlace() == place)
    connection.rewriteChanges(nil)
    #expect(await device.refresh().isCurrent)
    #expect(try device.journal.statuses().map(\.failure) == [nil])
  }

  @Test(
    "a device does not believe what was signed for another one, and not what proves no device",
    arguments: [true, false])
  func deviceProof(isOfOtherDevice: Bool) async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    let (device, other) = (try test.device(through: connection), try test.device())
    for device in [device, other] { try await device.signIn(SignInCredentials(account: "customer")) }
    let id = try await test.boughtLongAgo(TestStore.sepia)
    let copy: String
    if isOfOtherDevice {
      let page = try await test.store.transactions(after: nil, for: other.installationID)
      copy = try #require(page.transactions.first?.signedTransaction)
    } else {
      copy = try await test.store.proofs(of: id).signedTransaction
    }
    connection.rewriteChanges { page in
      TransactionChanges(
        account: page.account,
        transactions: page.transactions.map {
          TransactionChanges.Transaction(
            signedTransaction: copy, revision: $0.revision, isFinished: $0.isFinished)
        }, revision: page.revision, hasMore: page.hasMore, statuses: page.statuses)
    }
    guard case .stale = await device.refresh() else { throw UnexpectedResult() }
    #expect(try device.journal.transaction(id) == nil)
    connection.rewriteChanges(nil)
    #expect(await device.refresh().isCurrent)
    let signed = try #require(try device.journal.transaction(id)?.signedTransaction)
    let content = try UnverifiedJWS(signed).transaction()
    #expect(content.isIssued(for: .vendorIdentifier(device.deviceID)))
    #expect(!content.isIssued(for: .vendorIdentifier(other.deviceID)))
  }

  private struct UnexpectedResult: Error {}
}

import AppStoreEmulator
import Foundation
import SharedFixtures
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

/// Opens payment journals that the previous version wrote, and the store that they belong to.
@Suite("A payment journal of the version before", .timeLimit(.minutes(30)))
struct JournalOfVersionBeforeTests {
  private static let app: BundleID = "com.xamarin.storekit.testing"
  private static let five = "com.xamarin.storekit.testing.consume5credits"
  private static let ten = "com.xamarin.storekit.testing.consume10credits"
  private static let twenty = "com.xamarin.storekit.testing.consume20credits"
  private static let club = "com.xamarin.storekit.testing.club.monthly"

  private struct Phone: Decodable {
    let device: UUID
    let account: AccountName
  }

  private func device(
    _ name: String, _ folder: VersionBefore, connection: any AppStoreConnection
  ) throws -> StoreKitDevice {
    let phone = try VersionBefore.expectation(name, as: Phone.self)
    let device = try StoreKitDevice(
      connection: connection, bundleID: Self.app, storage: .directory(folder.folder), deviceID: phone.device,
      customer: AutomaticCustomer(credentials: SignInCredentials(account: phone.account)), retry: ManualRetry())
    #expect(device.deviceID == phone.device)
    return device
  }

  @Test(
    "opens, upgrades and keeps every row",
    arguments: ["phone", "finishing", "waiting", "frozen", "imported", "phone-25e4deb1"])
  func rows(_ name: String) async throws {
    let before = try VersionBefore(name)
    defer { before.remove() }
    try await device(name, before, connection: NoStore()).close()
    let file = before.folder.appending(path: "payment-queue.sqlite")
    #expect(try VersionBefore.lostRows(of: "\(name)/payment-queue.sqlite", in: file) == [])
  }

  @Test(
    "the columns for StoreKit 2 have the signed values; nothing is announced, and all transactions come again",
    arguments: [("phone-25e4deb1", 4), ("journal-5", 4)])
  func storeKit2(_ name: String, count: Int) async throws {
    let before = try VersionBefore(name)
    defer { before.remove() }
    let device = try device(name, before, connection: NoStore())
    let kept = try device.journal.transactions(limit: 100)
    #expect(kept.count == count && kept.contains { $0.subscriptionGroupID != nil } == (name == "journal-5"))
    for transaction in kept {
      let signed = try UnverifiedJWS(transaction.signedTransaction).transaction()
      #expect(transaction.subscriptionGroupID == signed.subscriptionGroupID)
      #expect(transaction.expiresDate == signed.expiresDate && transaction.isUpgraded == signed.isUpgraded)
      #expect(transaction.isShared == (signed.ownership == .familyShared))
      #expect(transaction.offerType == signed.rawOfferType)
      #expect(transaction.announcement == nil)
    }
    #expect(try !device.journal.usesStoreKit2() && device.journal.transactionPlace().revision == nil)
    #expect(!device.updates.isInUse)
    try await device.close()
  }

  @Test("shows its transactions, and its receipt, before anything was asked of the store")
  func shown() async throws {
    let before = try VersionBefore("phone")
    defer { before.remove() }
    let receipt = before.folder.appending(path: "StoreKit/sandboxReceipt")
    let written = try Data(contentsOf: receipt)
    // The journal has a copy of the receipt.
    try FileManager.default.removeItem(at: receipt)
    let device = try device("phone", before, connection: NoStore())
    let metadata = try VersionBefore.metadata("phone")
    let shown = device.paymentQueue.transactions
    #expect(shown.map(\.payment.productIdentifier).sorted() == [Self.ten, Self.twenty, Self.five, Self.club].sorted())
    let states = Dictionary(uniqueKeysWithValues: shown.map { ($0.payment.productIdentifier, $0.transactionState) })
    #expect(states == [Self.five: .purchasing, Self.ten: .purchasing, Self.twenty: .purchased, Self.club: .restored])
    #expect(shown.first { $0.payment.productIdentifier == Self.ten }?.payment.quantity == 3)
    let restored = try #require(shown.first { $0.payment.productIdentifier == Self.club })
    #expect(restored.original?.transactionIdentifier == (try metadata.text("kept restored original")))
    #expect(try Data(contentsOf: receipt) == written)
    try await device.close()
  }

  @Test(
    "C4 goes on with its store of the version before: the confirmed payment arrives and is not charged twice; one that was never confirmed fails, because its age is not known"
  )
  func goesOn() async throws {
    let (books, before) = (try VersionBefore("store"), try VersionBefore("phone"))
    defer { for folder in [books, before] { folder.remove() } }
    let store = try EmulatedAppStore(EmulatedAppStore.Configuration(directory: books.folder))
    let device = try device("phone", before, connection: store)
    let filter = RecordFilter(account: "customer")
    let charged = try await store.charges(filter).count
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    var purchased: Set<String> = []
    var failed: [SKPaymentTransaction] = []
    while !purchased.isSuperset(of: [Self.five, Self.twenty]) || failed.isEmpty {
      let reported = try await observer.next()
      guard case .updated(let product, let state, _) = reported.event else { continue }
      if state == .purchased { purchased.insert(product) }
      if state == .failed { failed.append(reported.transaction) }
    }
    #expect(failed.map(\.payment.productIdentifier) == [Self.ten])
    #expect((failed.first?.error as? SKError)?.code == .unknown)
    // The payment whose answer was lost had been charged before.
    #expect(try await store.charges(filter).count == charged)
    try await device.close()
    try store.close()
  }

  @Test("continues with its store of the version before: an unacknowledged finish, a promoted purchase, an approval")
  func others() async throws {
    let folders = try ["store", "finishing", "waiting"].map(VersionBefore.init)
    defer { for folder in folders { folder.remove() } }
    let store = try EmulatedAppStore(EmulatedAppStore.Configuration(directory: folders[0].folder))
    let finishing = try device("finishing", folders[1], connection: store)
    let finished = try #require(TransactionID(rawValue: VersionBefore.metadata("finishing").text("finishing")))
    #expect(finishing.paymentQueue.transactions.isEmpty)
    let events = EventObserver()
    finishing.paymentQueue.add(events)
    #expect(await events.next() == .storePayment(product: Self.five, quantity: 1, price: "0.99"))
    try await finishing.close()
    #expect(try await store.transaction(finished).stored.finishedDate != nil)

    let waiting = try device("waiting", folders[2], connection: store)
    #expect(waiting.paymentQueue.transactions.map(\.transactionState) == [.deferred])
    let observer = RecordingObserver()
    waiting.paymentQueue.add(observer)
    let approval = try #require(try await store.pendingApprovals().first { $0.account == "youngest" })
    try await store.decideApproval(of: approval.payment.paymentID, on: approval.installationID, isApproved: true)
    let bought = try await observer.next(.purchased)
    #expect(bought.payment.productIdentifier == Self.ten)
    #expect(bought.payment.quantity == 2)
    try await waiting.close()
    try store.close()
  }

  /// A connection on which no store can be reached.
  private struct NoStore: AppStoreConnection {
    func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
      throw StoreConnectionFailure.unreachable(reason: "there is no network")
    }
  }
}

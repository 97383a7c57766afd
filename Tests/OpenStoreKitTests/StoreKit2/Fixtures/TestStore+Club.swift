import AppStoreEmulator
import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

/// A store with products of all kinds, for StoreKit 2.
extension TestStore {
  static let season = "com.example.credits.season"
  static let group = "21400001"

  /// Returns a store that sells credits, two filters, a pass for a season, and a club of two plans. ``monthly`` has an
  /// introductory, a promotional and a win-back offer.
  static func club(seed: UInt64 = 1, clock: any MachineClock = clubClock) async throws -> TestStore {
    let test = try await TestStore(seed: seed, clock: clock)
    try await test.store.serve(
      bundleID, catalog: [try StoreKitConfiguration(data: Data(clubFile.utf8), name: "club.storekit")])
    return test
  }

  /// A clock that stands still, unless the store's clock is moved.
  static var clubClock: ManualClock { ManualClock(StoreDate(millisecondsSince1970: 1_790_000_000_000)) }

  private static let clubFile = """
    {"identifier": "3", "products": [
      {"productID": "\(five)", "type": "Consumable", "displayPrice": "0.99", "internalID": "6900000001",
       "localizations": [{"locale": "en_US", "displayName": "5 credits", "description": "Five"},
         {"locale": "de", "displayName": "5 Punkte", "description": "Fünf"}]},
      {"productID": "\(ten)", "type": "Consumable", "displayPrice": "1.99", "internalID": "6900000002",
       "localizations": []},
      {"productID": "\(sepia)", "type": "NonConsumable", "displayPrice": "2.99", "internalID": "6900000003",
       "familyShareable": true,
       "localizations": [{"locale": "en_US", "displayName": "Sepia", "description": "Brown"}]},
      {"productID": "\(greyscale)", "type": "NonConsumable", "displayPrice": "2.99", "internalID": "6900000004",
       "localizations": []}
    ], "nonRenewingSubscriptions": [
      {"productID": "\(season)", "type": "NonRenewingSubscription", "displayPrice": "3.99", "internalID": "6900000005",
       "localizations": [{"locale": "en_US", "displayName": "Season", "description": "A summer"}]}
    ], "subscriptionGroups": [{"id": "\(group)", "name": "Club",
      "localizations": [{"locale": "en_US", "displayName": "The Club", "description": ""}], "subscriptions": [
      {"productID": "\(monthly)", "type": "RecurringSubscription", "displayPrice": "4.99", "internalID": "6900000006",
       "groupNumber": 1, "subscriptionGroupID": "\(group)", "recurringSubscriptionPeriod": "P1M",
       "referenceName": "Monthly", "familyShareable": true,
       "localizations": [{"locale": "en_US", "displayName": "Member", "description": "Everything"}],
       "introductoryOffer": {"internalID": "O0", "paymentMode": "free", "subscriptionPeriod": "P1W"},
       "adHocOffers": [{"internalID": "O1", "offerID": "half", "referenceName": "Half price",
         "paymentMode": "payAsYouGo", "subscriptionPeriod": "P1M", "numberOfPeriods": 3, "displayPrice": "2.49"}],
       "codeOffers": [{"internalID": "O2", "referenceName": "TEA", "paymentMode": "free", "subscriptionPeriod": "P1M",
         "eligibility": ["new", "existing", "expired"]}],
       "winbackOffers": [{"internalID": "O3", "offerID": "back", "referenceName": "Back", "paymentMode": "payUpFront",
         "subscriptionPeriod": "P2M", "displayPrice": "1.49", "isEligible": true}]},
      {"productID": "\(basic)", "type": "RecurringSubscription", "displayPrice": "1.99", "internalID": "6900000007",
       "groupNumber": 2, "subscriptionGroupID": "\(group)", "recurringSubscriptionPeriod": "P1M",
       "referenceName": "Basic", "localizations": [], "adHocOffers": [], "codeOffers": [], "introductoryOffer": null}
    ]}], "subscriptionOffersKeyPair":
      {"id": "\(offerKeyID)", "privateKey": "\(offerKey.derRepresentation.base64EncodedString())"},
    "settings": {}, "version": {"major": 4, "minor": 0}}
    """

  /// A device of StoreKit 2.
  ///
  /// - Parameter isObserved: whether the app also has an observer of StoreKit 1.
  func clubDevice(
    through connection: (any AppStoreConnection)? = nil, storage: StoreKitDevice.Storage = .inMemory,
    customer: any StoreCustomer = AutomaticCustomer(credentials: SignInCredentials(account: "customer")),
    isObserved: Bool = false, retry: any RetrySchedule = TimedRetry(RetryPauses(always: .milliseconds(2))),
    problems: Problems = Problems()
  ) throws -> StoreKitDevice {
    let device = try device(
      through: connection, storage: storage, customer: customer, retry: retry, problems: problems)
    if isObserved { device.paymentQueue.add(RecordingObserver.lasting) }
    return device
  }

  /// Moves the store's clock to the next step of a subscription: a renewal, or an end.
  func nextStep() async throws { _ = try await store.changeClock(.toNextEvent) }

  /// Purchases a product for the customer outside of the device, as an operator of the store.
  ///
  /// - Returns: the id of the transaction.
  func boughtElsewhere(_ product: String) async throws -> UInt64 {
    let stored = try await store.purchase(ProductID(product), of: Self.bundleID, for: "customer", in: .sandbox)
    return try #require(stored.record.transactionID.number)
  }

  /// Sets how the customer pays.
  func pay(_ method: Customer.PaymentMethod) async throws {
    _ = try await store.changeCustomer("customer", .sandbox) { $0.paymentMethod = method }
  }

  /// The store's number of charges.
  func chargeCount() async throws -> Int { try await store.charges().count }
}

import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("The payloads of renewal information, app transactions and seats", .timeLimit(.minutes(30)))
struct SignedPayloadTests {
  static let date = SampleRecords.date

  /// Renewal information in which every member is set.
  static func everything() -> SignedRenewalInfo {
    var info = SignedRenewalInfo(
      originalTransactionID: TransactionID(4_000_000_001), productID: "books.monthly", signedDate: date)
    info.rawEnvironment = "Sandbox"
    info.autoRenewProductID = "books.yearly"
    info.rawAutoRenewStatus = 1
    info.renewalDate = date.adding(seconds: 86_400)
    info.renewalPrice = Milliunits(9_990)
    info.currency = "EUR"
    info.recentSubscriptionStartDate = date.adding(seconds: -86_400)
    info.rawExpirationIntent = 2
    info.isInBillingRetryPeriod = true
    info.gracePeriodExpiresDate = date.adding(seconds: 3_600)
    info.rawPriceIncreaseStatus = 0
    info.rawOfferType = 4
    info.offerIdentifier = "come \"back\""
    info.rawOfferDiscountType = "PAY_UP_FRONT"
    info.rawOfferPeriod = "P3M"
    info.eligibleWinBackOfferIDs = ["a", "b"]
    info.appAccountToken = SampleRecords.vendorIdentifier
    info.appTransactionID = "704000000000000001"
    info.rawRenewalBillingPlanType = "MONTHLY"
    var commitment = SignedRenewalInfo.CommitmentRenewal()
    commitment.autoRenewProductID = "books.yearly"
    commitment.rawAutoRenewStatus = 0
    commitment.rawRenewalBillingPlanType = "BILLED_UPFRONT"
    commitment.renewalDate = date
    commitment.renewalPrice = Milliunits(1)
    info.commitment = commitment
    info.advancedCommerceInfo = #"{"taxCode":"C003"}"#
    info.renewalQuantity = 5
    info.multiSeatInfo = .init(renewalPriceTiers: [SeatPriceTier(price: Milliunits(1_000), quantity: 5)])
    info.deviceVerificationNonce = SampleRecords.vendorIdentifier
    info.deviceVerification = SampleRecords.device.verification(nonce: SampleRecords.vendorIdentifier)
    return info
  }

  static func appTransaction() -> SignedAppTransaction {
    var transaction = SignedAppTransaction(
      bundleID: SampleRecords.bundleID, environment: .sandbox, receiptCreationDate: date)
    transaction.appAppleID = 1_234_567_890
    transaction.applicationVersion = "42"
    transaction.versionExternalIdentifier = 7
    transaction.originalPurchaseDate = date.adding(seconds: -9)
    transaction.originalApplicationVersion = "1.0"
    transaction.preorderDate = date.adding(seconds: -10)
    transaction.appTransactionID = "704000000000000001"
    transaction.rawOriginalPlatform = "visionOS"
    transaction.deviceVerificationNonce = SampleRecords.vendorIdentifier
    transaction.deviceVerification = SampleRecords.device.verification(nonce: SampleRecords.vendorIdentifier)
    transaction.requestDate = date.adding(seconds: 1)
    return transaction
  }

  @Test("H1 every member of renewal information comes back from its payload, and the typed values are read")
  func renewalInfo() throws {
    let info = Self.everything()
    let read = try SignedRenewalInfo(payload: info.payloadBytes())
    #expect(read == info)
    #expect(read.autoRenewStatus == .on && read.expirationIntent == .billingError)
    #expect(read.priceIncreaseStatus == .pending && read.offerType == .winBack)
    #expect(read.offerDiscountType == .payUpFront && read.offerPeriod?.iso8601 == "P3M")
    #expect(read.renewalBillingPlanType == .monthly && read.environment == .sandbox)
    #expect(read.isIssued(for: SampleRecords.device) && !read.isIssued(for: .vendorIdentifier(UUID())))
  }

  @Test("every member of an app transaction comes back, and its device proof is checked")
  func appTransaction() throws {
    let transaction = Self.appTransaction()
    let read = try SignedAppTransaction(payload: transaction.payloadBytes())
    #expect(read == transaction)
    #expect(read.environment == .sandbox && read.originalPlatform == .visionOS)
    #expect(read.isIssued(for: SampleRecords.device) && !read.isIssued(for: .vendorIdentifier(UUID())))
  }

  @Test("H1 the seats of a transaction stand in multiSeatInfo")
  func seats() throws {
    var record = SampleRecords.credits()
    record.invitationManagement = "DEVELOPER"
    record.revokedSeatQuantity = 2
    var transaction = SignedTransaction(record: record, signedDate: Self.date)
    transaction.multiSeatInfo?.priceTiers = [
      SeatPriceTier(price: Milliunits(990), quantity: 3), SeatPriceTier(price: Milliunits(790), quantity: 7),
    ]
    transaction.additionalTransactionReason = "SEAT_ADDITION"
    let text = String(decoding: transaction.payloadBytes(), as: UTF8.self)
    let seats = #""multiSeatInfo":{"invitationManagement":"DEVELOPER","priceTiers":[{"price":990,"quantity":3},"#
    #expect(text.contains(seats) && text.hasPrefix(#"{"additionalTransactionReason":"SEAT_ADDITION","#))
    #expect(try SignedTransaction(payload: transaction.payloadBytes()) == transaction)
  }

  @Test("members are written in the order of their names, each once")
  func order() {
    func check<Payload: SignedPayload>(_ type: Payload.Type) {
      let names = type.members.map { "\($0.name)" }
      #expect(names == names.sorted() && Set(names).count == names.count, "\(type)")
    }
    check(SignedRenewalInfo.self)
    check(SignedRenewalInfo.CommitmentRenewal.self)
    check(SignedRenewalInfo.SeatRenewal.self)
    check(SignedAppTransaction.self)
    check(TransactionSeats.self)
    check(SeatPriceTier.self)
  }

  @Test("unknown values and members, null, and fractions of milliseconds are tolerated")
  func tolerance() throws {
    let json =
      #"{"originalTransactionId":"1","productId":"p","signedDate":1714557600123.5004,"expirationIntent":77,"#
      + #""offerType":null,"environment":"Moon","future":[{}],"autoRenewStatus":3}"#
    let read = try SignedRenewalInfo(payload: Array(json.utf8))
    #expect(read.signedDate.millisecondsSince1970 == 1_714_557_600_124)
    #expect(read.rawExpirationIntent == 77 && read.expirationIntent == nil)
    #expect(read.rawEnvironment == "Moon" && read.environment == nil)
    #expect(read.rawAutoRenewStatus == 3 && read.autoRenewStatus == nil && read.rawOfferType == nil)
  }

  @Test(
    "what must be there must be there, once",
    arguments: [
      #"{"productId":"p","signedDate":1}"#, #"{"originalTransactionId":"1","signedDate":1}"#,
      #"{"originalTransactionId":"1","productId":"p"}"#,
      #"{"originalTransactionId":"1","productId":null,"signedDate":1}"#,
      #"{"originalTransactionId":"1","productId":"p","signedDate":1,"productId":"q"}"#, "[]", "",
    ])
  func required(json: String) async {
    #expect(await refusal { try SignedRenewalInfo(payload: Array(json.utf8)) } == .structure)
  }

  @Test("both are verified, with the environment, and the app and device where they are named")
  func verification() async throws {
    let authority = IssuingAuthority.shared
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    let info = try authority.signJWS(payload: Self.everything().payloadBytes(), at: Self.date)
    #expect(try await verifier.verifyRenewalInfo(info).value == Self.everything())
    let anyApp = Expectation(bundleID: "com.example.other", environments: [.sandbox])
    #expect(try await verifier.verifyRenewalInfo(info, expecting: anyApp).checkedDate == Self.date)
    #expect(
      await refusal {
        try await verifier.verifyRenewalInfo(info, expecting: Expectation(environments: [.production]))
      } == .environment)
    let ofDevice = Expectation(device: SampleRecords.device)
    #expect(try await verifier.verifyRenewalInfo(info, expecting: ofDevice).value == Self.everything())
    var unbound = Self.everything()
    (unbound.deviceVerification, unbound.deviceVerificationNonce) = (nil, nil)
    let forServers = try authority.signJWS(payload: unbound.payloadBytes(), at: Self.date)
    #expect(await refusal { try await verifier.verifyRenewalInfo(forServers, expecting: ofDevice) } == .device)
    #expect(
      await refusal {
        try await verifier.verifyRenewalInfo(info, expecting: Expectation(device: .vendorIdentifier(UUID())))
      } == .device)
    let jws = try authority.signJWS(payload: Self.appTransaction().payloadBytes(), at: Self.date)
    let own = Expectation(
      bundleID: SampleRecords.bundleID, environments: [.sandbox], device: SampleRecords.device)
    #expect(try await verifier.verifyAppTransaction(jws, expecting: own).value == Self.appTransaction())
    #expect(await refusal { try await verifier.verifyAppTransaction(jws, expecting: anyApp) } == .bundle)
    #expect(
      await refusal {
        try await verifier.verifyAppTransaction(jws, expecting: Expectation(device: .vendorIdentifier(UUID())))
      } == .device)
  }

  private func record(
    _ state: RenewalRecord.State, isAutoRenewOn: Bool, _ change: (inout RenewalRecord) -> Void = { _ in }
  ) -> RenewalRecord {
    var record = RenewalRecord(
      environment: .sandbox, bundleID: SampleRecords.bundleID, account: "a", groupID: "g",
      originalTransactionID: TransactionID(1), currentTransactionID: TransactionID(2), state: state,
      productID: "p", renewalProductID: "q", isAutoRenewOn: isAutoRenewOn,
      renewalPrice: Price(amount: Milliunits(990), currency: "USD"), periodStart: Self.date,
      periodEnd: Self.date.adding(seconds: 60), accessEnd: Self.date.adding(seconds: 60))
    change(&record)
    return record
  }

  @Test("H1 renewal information of a record has the members of the record's state")
  func ofRecord() {
    let price = Price(amount: Milliunits(790), currency: "USD")
    let active = SignedRenewalInfo(
      record: record(.active, isAutoRenewOn: true) {
        $0.renewalOffer = SubscriptionOffer(
          kind: .promotional, identifier: "o", paymentMode: .payAsYouGo,
          period: CalendarPeriod(value: 1, unit: .month), price: Milliunits(790))
        $0.priceIncrease = .init(price: price, needsConsent: true, isAgreed: false)
      }, nextPrice: price, signedDate: Self.date)
    #expect(active.autoRenewStatus == .on && active.autoRenewProductID == "q" && active.productID == "p")
    #expect(active.renewalPrice == Milliunits(790) && active.currency == "USD")
    #expect(active.renewalDate == Self.date.adding(seconds: 60) && active.isInBillingRetryPeriod == nil)
    #expect(active.offerType == .promotional && active.offerIdentifier == "o" && active.rawOfferPeriod == "P1M")
    #expect(active.offerDiscountType == .payAsYouGo && active.priceIncreaseStatus == .pending)

    let grace = SignedRenewalInfo(
      record: record(.gracePeriod, isAutoRenewOn: true) { $0.gracePeriodEnd = Self.date }, nextPrice: price,
      signedDate: Self.date)
    #expect(grace.isInBillingRetryPeriod == true && grace.gracePeriodExpiresDate == Self.date)

    let expired = SignedRenewalInfo(
      record: record(.expired, isAutoRenewOn: false) { $0.expirationReason = .cancelled }, nextPrice: price,
      signedDate: Self.date)
    #expect(expired.expirationIntent == .customerCancelled && expired.isInBillingRetryPeriod == false)
    #expect(expired.renewalPrice == nil && expired.currency == nil && expired.autoRenewStatus == .off)
    #expect(expired.autoRenewProductID == "q")
  }
}

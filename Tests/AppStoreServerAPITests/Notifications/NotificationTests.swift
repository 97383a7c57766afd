import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel
import Testing

@Suite("Notifications", .timeLimit(.minutes(30)))
struct NotificationTests {
  static let head = #""notificationUUID":"3f0c7b1e-5d0a-4c55-9a51-0d6f1f2c9b10""#

  @Test(
    "each kind of payload is read, and written back equal",
    arguments: [
      #"{"data":{"bundleId":"org.example.app","bundleVersion":"42","environment":"Sandbox","signedRenewalInfo":"r","#
        + #""signedTransactionInfo":"t","status":1},"notificationType":"DID_RENEW",HEAD"#
        + #","signedDate":1793000000123,"version":"2.0"}"#,
      #"{"data":{"bundleId":"a","consumptionRequestReason":"LEGAL","environment":"Sandbox"},"#
        + #""notificationType":"CONSUMPTION_REQUEST",HEAD,"signedDate":1,"version":"2.0"}"#,
      #"{"notificationType":"RENEWAL_EXTENSION",HEAD,"signedDate":1,"subtype":"SUMMARY","summary":{"appAppleId":41,"#
        + #""bundleId":"a","environment":"Production","failedCount":1,"productId":"p","requestIdentifier":"r","#
        + #""storefrontCountryCodes":["USA"],"succeededCount":2},"version":"2.0"}"#,
      #"{"externalPurchaseToken":{"bundleId":"a","externalPurchaseId":"SANDBOX_1","tokenCreationDate":1},"#
        + #""notificationType":"EXTERNAL_PURCHASE_TOKEN",HEAD,"signedDate":1,"subtype":"UNREPORTED","version":"2.0"}"#,
      #"{"appData":{"bundleId":"a","environment":"Sandbox","signedAppTransactionInfo":"x"},"#
        + #""notificationType":"RESCIND_CONSENT",HEAD,"signedDate":1,"version":"2.0"}"#,
      #"{"notificationType":"UNCLAIM_SEATS",HEAD,"signedDate":1,"unclaimInfo":{"unclaimSeatIds":["s"]},"version":"2.0"}"#,
      #"{"data":{"environment":"Moon","status":9},"notificationType":"ECLIPSE",HEAD,"signedDate":1,"subtype":"TOTAL"}"#,
    ])
  func roundTrip(json: String) throws {
    let json = json.replacingOccurrences(of: "HEAD", with: Self.head)
    let payload = try JSONDecoder().decode(NotificationPayload.self, from: Data(json.utf8))
    #expect(String(decoding: try payload.payloadBytes(), as: UTF8.self) == json)
  }

  @Test("content that is not known is no error")
  func unknownContent() throws {
    let json = #"{"notificationType":"ECLIPSE",\#(Self.head),"signedDate":1,"sun":{"a":1}}"#
    let payload = try JSONDecoder().decode(NotificationPayload.self, from: Data(json.utf8))
    #expect(payload.content == .unknown && payload.notificationType.rawValue == "ECLIPSE")
  }

  @Test("each subtype belongs to a type")
  func subtypes() {
    let used = Set(NotificationType.allCases.flatMap(\.subtypes))
    #expect(Set(NotificationSubtype.allCases).subtracting(used).isEmpty)
  }

  @Test("the status of a record's state is Apple's number")
  func status() {
    #expect(
      [RenewalRecord.State.active, .expired, .billingRetry, .gracePeriod, .revoked].map {
        SubscriptionStatus($0).rawValue
      } == [1, 2, 3, 4, 5])
  }

  @Test("F3 a notification is verified with its transaction and renewal information")
  func verification() async throws {
    let verifier = SignedDataVerifier(anchors: try Samples.authority.anchors)
    let payload = try Samples.renewal()
    let verified = try await verifier.verifyNotification(
      try Samples.notification(payload),
      expecting: Expectation(bundleID: Samples.bundleID, environments: [.sandbox]), appAppleID: 41)
    #expect(verified.type == .didRenew && verified.subtype == nil && verified.uuid == payload.notificationUUID)
    #expect(verified.payload.value == payload)
    #expect(verified.transaction?.value.transactionID == TransactionID(7))
    #expect(verified.renewalInfo?.value.productID == "club")
  }

  private func fault(
    _ payload: NotificationPayload, _ environments: Set<StoreEnvironment>, app: BundleID = Samples.bundleID,
    number: Int64? = nil, anchors: TrustAnchors? = nil
  ) async throws -> VerificationFailure.Fault? {
    let verifier = SignedDataVerifier(anchors: try anchors ?? Samples.authority.anchors)
    let jws = try Samples.notification(payload)
    do throws(VerificationFailure) {
      _ = try await verifier.verifyNotification(
        jws, expecting: Expectation(bundleID: app, environments: environments), appAppleID: number)
      return nil
    } catch {
      return error.fault
    }
  }

  @Test(
    "G6 a notification of another app, number, environment or signer is refused, and one with a foreign transaction")
  func refusals() async throws {
    let sandbox = try Samples.renewal()
    let production = try Samples.renewal(in: .production)
    #expect(try await fault(sandbox, [.sandbox], app: "com.example.other") == .bundle)
    #expect(try await fault(sandbox, [.production]) == .environment)
    #expect(try await fault(production, [.production], number: 42) == .bundle)
    #expect(try await fault(production, [.production], number: 41) == nil)
    #expect(try await fault(sandbox, [.sandbox], number: 42) == nil)
    #expect(try await fault(sandbox, [.sandbox], anchors: .apple) == .chain)
    guard case .data(var data) = sandbox.content else { throw SampleProblem.noData }
    data.signedTransactionInfo = try Samples.transaction(of: "com.example.other")
    var mixed = sandbox
    mixed.content = .data(data)
    #expect(try await fault(mixed, [.sandbox]) == .bundle)
    let seats = NotificationPayload(
      notificationType: OpenEnum(.unclaimSeats), notificationUUID: "u", signedDate: Samples.date,
      content: .unclaimInfo(UnclaimInfo(unclaimSeatIds: ["s"])))
    #expect(try await fault(seats, [.production]) == nil)
  }

  private enum SampleProblem: Error { case noData }
}

import AppStoreServerAPI
import Foundation
import StoreModel
import Testing

@Suite("Requests that are not valid", .timeLimit(.minutes(30)))
struct RefusedRequestTests {
  private func code<Call: ServerAPICall>(
    _ type: Call.Type, _ request: ServerAPIRequest, sourceLocation: SourceLocation = #_sourceLocation
  ) -> ServerAPIErrorCode? {
    do throws(ServerAPIRefusal) {
      _ = try Call(request)
      return nil
    } catch {
      #expect(!error.reason.isEmpty, sourceLocation: sourceLocation)
      return error.error.code
    }
  }

  @Test(
    "an id in the path is a number of 1 to 20 digits",
    arguments: ["", "abc", "-1", "1 ", "123456789012345678901", "١"])
  func ids(text: String) {
    #expect(code(GetTransactionInfo.self, .init(parameters: ["transactionId": text])) == .invalidTransactionId)
    #expect(
      code(GetTransactionHistory.self, .init(parameters: ["anyTransactionId": text])) == .invalidTransactionId)
    #expect(
      code(ExtendSubscriptionRenewalDate.self, .init(parameters: ["originalTransactionId": text]))
        == .invalidOriginalTransactionId)
  }

  @Test(
    "each filter of a history has its own error",
    arguments: [
      ("startDate=soon", .invalidStartDate), ("startDate=1.5", .invalidStartDate), ("endDate=", .invalidEndDate),
      ("startDate=2&endDate=2", .invalidEndDate), ("startDate=1&startDate=2", .invalidStartDate),
      ("productType=BANANA", .invalidProductType), ("productType=CONSUMABLE,NON_CONSUMABLE", .invalidProductType),
      ("productId=", .invalidProductId), ("subscriptionGroupIdentifier=", .invalidSubscriptionGroupIdentifier),
      ("inAppOwnershipType=LENT", .invalidInAppOwnershipType), ("revoked=yes", .invalidRevoked),
      ("sort=ascending", .invalidSort), ("excludeRevoked=1", .invalidExcludeRevoked),
      ("revision=a&revision=b", .invalidRequestRevision),
      ("productId=a&productId=b&unknown=1", nil), ("sort=ASCENDING&startDate=1&endDate=2", nil),
      // As Apple's library for Python writes it.
      ("revoked=True", nil),
    ] as [(String, ServerAPIErrorCode?)])
  func filters(query: String, expected: ServerAPIErrorCode?) {
    let items = query.split(separator: "&").map { item in
      let parts = item.split(separator: "=", omittingEmptySubsequences: false)
      return ServerAPIRequest.QueryItem(String(parts[0]), String(parts[1]))
    }
    let request = ServerAPIRequest(parameters: ["anyTransactionId": "1"], query: items)
    #expect(code(GetTransactionHistory.self, request) == expected)
  }

  @Test("statuses are the numbers 1 to 5", arguments: ["0", "6", "active", ""])
  func statuses(text: String) {
    let request = ServerAPIRequest(parameters: ["anyTransactionId": "1"], query: [.init("status", text)])
    #expect(code(GetAllSubscriptionStatuses.self, request) == .invalidStatus)
  }

  @Test(
    "each field of consumption information has its own error",
    arguments: [
      (
        #"{"customerConsented":false,"sampleContentProvided":true,"deliveryStatus":"DELIVERED"}"#,
        .invalidCustomerConsented
      ),
      (#"{"sampleContentProvided":true,"deliveryStatus":"DELIVERED"}"#, .invalidCustomerConsented),
      (
        #"{"customerConsented":true,"sampleContentProvided":"yes","deliveryStatus":"DELIVERED"}"#,
        .invalidSampleContentProvided
      ),
      (#"{"customerConsented":true,"sampleContentProvided":true,"deliveryStatus":"LOST"}"#, .invalidDeliveryStatus),
      (#"{"customerConsented":true,"sampleContentProvided":true}"#, .invalidDeliveryStatus),
      (
        #"{"customerConsented":true,"sampleContentProvided":true,"deliveryStatus":"DELIVERED","refundPreference":"MAYBE"}"#,
        .invalidRefundPreference
      ),
      // Apple's numbers of the errors for percentages are not published.
      (
        #"{"customerConsented":true,"sampleContentProvided":true,"deliveryStatus":"DELIVERED","consumptionPercentage":100001}"#,
        .generalBadRequest
      ),
      (
        #"{"customerConsented":true,"sampleContentProvided":true,"deliveryStatus":"UNDELIVERED_OTHER","consumptionPercentage":1}"#,
        .generalBadRequest
      ),
      (
        #"{"customerConsented":true,"sampleContentProvided":true,"deliveryStatus":"DELIVERED","consumptionPercentage":100000,"refundPreference":"GRANT_PRORATED"}"#,
        .generalBadRequest
      ),
      (
        #"{"customerConsented":true,"sampleContentProvided":true,"deliveryStatus":"DELIVERED","consumptionPercentage":1,"refundPreference":"GRANT_PRORATED","later":1}"#,
        nil
      ),
      ("", .generalBadRequest), ("[]", .generalBadRequest), ("{", .generalBadRequest),
    ] as [(String, ServerAPIErrorCode?)])
  func consumption(body: String, expected: ServerAPIErrorCode?) {
    let request = ServerAPIRequest(parameters: ["transactionId": "1"], body: Data(body.utf8))
    #expect(code(SendConsumptionInformation.self, request) == expected)
  }

  @Test(
    "each field of the first version has its own error, whether it is missing, mistyped or unknown",
    arguments: [
      ("appAccountToken", .invalidAppAccountToken, #""no uuid""#),
      ("consumptionStatus", .invalidConsumptionStatus, "4"), ("platform", .invalidPlatform, "3"),
      ("deliveryStatus", .invalidDeliveryStatus, "6"), ("accountTenure", .invalidAccountTenure, "8"),
      ("playTime", .invalidPlayTime, "8"), ("lifetimeDollarsPurchased", .invalidLifetimeDollarsPurchased, "8"),
      ("lifetimeDollarsRefunded", .invalidLifetimeDollarsRefunded, "-1"), ("userStatus", .invalidUserStatus, "5"),
      ("customerConsented", .invalidCustomerConsented, "false"),
    ] as [(String, ServerAPIErrorCode, String)])
  func consumptionV1(member: String, expected: ServerAPIErrorCode, unknown: String) throws {
    let body = try #require(
      try JSONSerialization.jsonObject(with: ServerAPI.encoder().encode(CallTests.consumptionV1()))
        as? [String: Any])
    for value in [nil, [String: Int](), unknown] as [Any?] {
      var changed = body
      changed[member] = value is String ? "VALUE" : value
      let text = String(decoding: try JSONSerialization.data(withJSONObject: changed), as: UTF8.self)
        .replacingOccurrences(of: #""VALUE""#, with: unknown)
      let request = ServerAPIRequest(parameters: ["transactionId": "1"], body: Data(text.utf8))
      #expect(code(SendConsumptionInformationV1.self, request) == expected, "\(text)")
    }
    var empty = CallTests.consumptionV1()
    empty.appAccountToken = .init(uuid: nil)
    empty.refundPreference = nil
    #expect(
      try SendConsumptionInformationV1(SendConsumptionInformationV1(transactionId: TransactionID(1), empty).request())
        .content == empty)
  }

  @Test(
    "extensions have an error for each field",
    arguments: [
      (#"{"extendByDays":0,"extendReasonCode":1,"requestIdentifier":"r"}"#, .invalidExtendByDays),
      (#"{"extendByDays":91,"extendReasonCode":1,"requestIdentifier":"r"}"#, .invalidExtendByDays),
      (#"{"extendReasonCode":1,"requestIdentifier":"r"}"#, .invalidExtendByDays),
      (#"{"extendByDays":1,"extendReasonCode":4,"requestIdentifier":"r"}"#, .invalidExtendReasonCode),
      (#"{"extendByDays":1,"extendReasonCode":1,"requestIdentifier":""}"#, .invalidRequestIdentifier),
      (#"{"extendByDays":1,"extendReasonCode":1}"#, .invalidRequestIdentifier),
      (#"{"extendByDays":1,"extendReasonCode":0,"requestIdentifier":"r"}"#, nil),
    ] as [(String, ServerAPIErrorCode?)])
  func extensions(body: String, expected: ServerAPIErrorCode?) {
    let request = ServerAPIRequest(parameters: ["originalTransactionId": "1"], body: Data(body.utf8))
    #expect(code(ExtendSubscriptionRenewalDate.self, request) == expected)
  }

  @Test(
    "a number with a fraction, or outside of the range, has the error of its field, and the reason has the name",
    arguments: ["1.5", "1e30", "-1e400", "9223372036854775808"])
  func unreadableNumbers(number: String) {
    func refused<Call: ServerAPICall>(
      _ type: Call.Type, _ name: String, _ expected: ServerAPIErrorCode, in body: String,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let text = body.replacingOccurrences(of: "\"\(name)\":1", with: "\"\(name)\":\(number)")
      let request = ServerAPIRequest(
        parameters: ["originalTransactionId": "1", "transactionId": "1"], body: Data(text.utf8))
      let error = #expect(throws: ServerAPIRefusal.self, sourceLocation: sourceLocation) { try Call(request) }
      #expect(error?.error.code == expected, "\(text)", sourceLocation: sourceLocation)
      #expect(
        error?.reason.contains("the body's \(name) ") == true, "\(String(describing: error))",
        sourceLocation: sourceLocation)
    }
    let one = #"{"extendByDays":1,"extendReasonCode":1,"requestIdentifier":"r"}"#
    refused(ExtendSubscriptionRenewalDate.self, "extendByDays", .invalidExtendByDays, in: one)
    refused(ExtendSubscriptionRenewalDate.self, "extendReasonCode", .invalidExtendReasonCode, in: one)
    let all =
      #"{"extendByDays":1,"extendReasonCode":1,"requestIdentifier":"\#(CallTests.uuid.uuidString)","productId":"p"}"#
    refused(ExtendRenewalDatesForAllActiveSubscribers.self, "extendByDays", .invalidExtendByDays, in: all)
    refused(ExtendRenewalDatesForAllActiveSubscribers.self, "extendReasonCode", .invalidExtendReasonCode, in: all)
    let history = #"{"startDate":1,"endDate":1,"later":1.5}"#
    refused(GetNotificationHistory.self, "startDate", .invalidStartDate, in: history)
    refused(GetNotificationHistory.self, "endDate", .invalidEndDate, in: history)
    // Its error has no published number.
    refused(
      SendConsumptionInformation.self, "consumptionPercentage", .generalBadRequest,
      in:
        #"{"customerConsented":true,"sampleContentProvided":true,"deliveryStatus":"DELIVERED","consumptionPercentage":1}"#
    )
  }

  @Test(
    "an extension for all subscribers, too",
    arguments: [
      ("r", "p", "null", .invalidRequestIdentifier), (CallTests.uuid.uuidString, "", "null", .invalidProductId),
      (CallTests.uuid.uuidString, "p", "[]", .invalidEmptyStorefrontCountryCodeList),
      (CallTests.uuid.uuidString, "p", #"["USA","US"]"#, .invalidStorefrontCountryCode),
      (CallTests.uuid.uuidString, "p", #""USA""#, .invalidStorefrontCountryCode),
      (CallTests.uuid.uuidString, "p", #"["USA"]"#, nil), (CallTests.uuid.uuidString, "p", "null", nil),
    ] as [(String, String, String, ServerAPIErrorCode?)])
  func massExtensions(identifier: String, product: String, storefronts: String, expected: ServerAPIErrorCode?) {
    let body =
      #"{"requestIdentifier":"\#(identifier)","extendByDays":1,"extendReasonCode":1,"productId":"\#(product)","#
      + #""storefrontCountryCodes":\#(storefronts)}"#
    #expect(code(ExtendRenewalDatesForAllActiveSubscribers.self, .init(body: Data(body.utf8))) == expected)
  }

  @Test(
    "a notification history has an error for each filter, and for filters that exclude each other",
    arguments: [
      (#"{"endDate":2}"#, .invalidStartDate), (#"{"startDate":"1","endDate":2}"#, .invalidStartDate),
      (#"{"startDate":1}"#, .invalidEndDate), (#"{"startDate":2,"endDate":2}"#, .startDateAfterEndDate),
      (#"{"startDate":1,"endDate":2,"notificationType":"BANANA"}"#, .invalidNotificationType),
      (#"{"startDate":1,"endDate":2,"notificationSubtype":"UPGRADE"}"#, .invalidNotificationType),
      (
        #"{"startDate":1,"endDate":2,"notificationType":"DID_RENEW","notificationSubtype":"UPGRADE"}"#,
        .invalidNotificationType
      ),
      (#"{"startDate":1,"endDate":2,"notificationType":"DID_RENEW","transactionId":"1"}"#, .multipleFiltersSupplied),
      (#"{"startDate":1,"endDate":2,"transactionId":"x"}"#, .invalidTransactionId),
      (#"{"startDate":1,"endDate":2,"transactionId":"1","onlyFailures":true}"#, nil),
      (#"{"startDate":1,"endDate":2,"notificationType":"DID_RENEW","notificationSubtype":"BILLING_RECOVERY"}"#, nil),
    ] as [(String, ServerAPIErrorCode?)])
  func notificationHistory(body: String, expected: ServerAPIErrorCode?) {
    #expect(code(GetNotificationHistory.self, .init(body: Data(body.utf8))) == expected)
  }

  @Test(
    "a body with a name twice is refused, at any depth and however the name is written, and the reason has the name",
    arguments: [
      #"{"extendByDays":1,"extendByDays":2,"extendReasonCode":1,"requestIdentifier":"r"}"#,
      #"{"extendByDays":1,"extendReasonCode":1,"requestIdentifier":"r","extend\u0042yDays":1}"#,
      #"{"extendByDays":1,"extendReasonCode":1,"requestIdentifier":"r","later":[{"extendByDays":1,"extendByDays":1}]}"#,
      "\u{FEFF}" + #"{"extendByDays":1,"extendByDays":2,"extendReasonCode":1,"requestIdentifier":"r"}"#,
    ])
  func repeatedNames(body: String) {
    let request = ServerAPIRequest(parameters: ["originalTransactionId": "1"], body: Data(body.utf8))
    let error = #expect(throws: ServerAPIRefusal.self) { try ExtendSubscriptionRenewalDate(request) }
    #expect(error?.error.code == .generalBadRequest)
    #expect(error?.reason.contains("the name extendByDays occurs twice") == true, "\(String(describing: error))")
  }

  @Test("a notification history begins at most 180 days ago")
  func window() throws {
    let now = Samples.date
    let oldest = now.adding(seconds: -180 * 86_400)
    try NotificationHistoryRequest(startDate: oldest, endDate: now).check(at: now)
    let early = NotificationHistoryRequest(startDate: oldest.adding(milliseconds: -1), endDate: now)
    #expect(throws: ServerAPIRefusal.self) { try early.check(at: now) }
  }

  @Test("a token is a UUID")
  func accountToken() {
    for body in [#"{"appAccountToken":"x"}"#, "{}", #"{"appAccountToken":""}"#, #"{"appAccountToken":7}"#] {
      let request = ServerAPIRequest(parameters: ["originalTransactionId": "1"], body: Data(body.utf8))
      #expect(code(SetAppAccountToken.self, request) == .invalidAppAccountTokenUUID)
    }
  }
}

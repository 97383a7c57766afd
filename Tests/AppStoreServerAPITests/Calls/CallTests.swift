import AppStoreServerAPI
import Foundation
import StoreModel
import Testing

@Suite("Calls of the Server API", .timeLimit(.minutes(30)))
struct CallTests {
  static let uuid = UUID(uuidString: "9B1DEB4D-3B7D-4BAD-9BDD-2B0D7B3DCB6D")!

  /// A history query with every filter.
  static func query() -> TransactionHistoryQuery {
    var query = TransactionHistoryQuery()
    query.revision = "a/b+c=="
    query.startDate = StoreDate(millisecondsSince1970: 1)
    query.endDate = StoreDate(millisecondsSince1970: 2)
    query.productIds = ["a b", "c"]
    query.productTypes = [.consumable, .autoRenewable]
    query.subscriptionGroupIdentifiers = ["20500001", "20500002"]
    query.inAppOwnershipType = .familyShared
    query.revoked = false
    query.sort = .descending
    query.excludeRevoked = true
    return query
  }

  static func consumptionV1() -> ConsumptionRequestV1 {
    var content = ConsumptionRequestV1(
      customerConsented: true, sampleContentProvided: true, deliveryStatus: OpenEnum(.wrongItem))
    content.appAccountToken = .init(uuid: uuid)
    content.consumptionStatus = OpenEnum(.fullyConsumed)
    content.platform = OpenEnum(.nonApple)
    content.accountTenure = OpenEnum(.over365Days)
    content.playTime = OpenEnum(.over16Days)
    content.lifetimeDollarsPurchased = OpenEnum(.from2000)
    content.lifetimeDollarsRefunded = OpenEnum(.zero)
    content.userStatus = OpenEnum(.limitedAccess)
    content.refundPreference = OpenEnum(.noPreference)
    return content
  }

  static func history() -> NotificationHistoryRequest {
    var content = NotificationHistoryRequest(
      startDate: StoreDate(millisecondsSince1970: 1), endDate: StoreDate(millisecondsSince1970: 2))
    content.notificationType = OpenEnum(.didRenew)
    content.notificationSubtype = OpenEnum(.billingRecovery)
    content.onlyFailures = true
    return content
  }

  @Test("each call comes back from its request, and has one entry in the list, its own name and its own path")
  func roundTrips() throws {
    let id = TransactionID(700_000_000_000_000_001)
    var seen: [String] = []
    func check<Call: ServerAPICall>(_ call: Call, _ target: String) throws {
      let request = try call.request()
      #expect(try Call(request) == call)
      #expect("\(Call.endpoint.method.rawValue) \(request.target(of: Call.endpoint))" == target)
      seen.append(Call.endpoint.name)
    }
    let path = "inApps/v1/transactions/700000000000000001"
    try check(GetTransactionInfo(transactionId: id), "GET \(path)")
    let filters =
      "revision=a%2Fb%2Bc%3D%3D&startDate=1&endDate=2&productId=a%20b&productId=c&productType=CONSUMABLE"
      + "&productType=AUTO_RENEWABLE&subscriptionGroupIdentifier=20500001&subscriptionGroupIdentifier=20500002"
      + "&inAppOwnershipType=FAMILY_SHARED&revoked=false&sort=DESCENDING&excludeRevoked=true"
    try check(
      GetTransactionHistory(anyTransactionId: id, query: Self.query()),
      "GET inApps/v2/history/700000000000000001?\(filters)")
    try check(
      GetTransactionHistoryV1(anyTransactionId: id, query: Self.query()),
      "GET inApps/v1/history/700000000000000001?\(filters)")
    try check(
      GetAllSubscriptionStatuses(anyTransactionId: id, statuses: [.active, .billingGracePeriod]),
      "GET inApps/v1/subscriptions/700000000000000001?status=1&status=4")
    try check(
      GetAppTransactionInfo(anyTransactionId: id), "GET inApps/v1/transactions/appTransactions/700000000000000001")
    try check(FinishTransaction(transactionId: id), "POST \(path)/finish")
    try check(LookUpOrderID(orderId: "W00/1 ä"), "GET inApps/v1/lookup/W00%2F1%20%C3%A4")
    try check(
      GetRefundHistory(anyTransactionId: id, revision: "r"),
      "GET inApps/v2/refund/lookup/700000000000000001?revision=r")
    try check(GetRefundHistoryV1(originalTransactionId: id), "GET inApps/v1/refund/lookup/700000000000000001")
    let consumption = ConsumptionRequest(
      customerConsented: true, sampleContentProvided: false, deliveryStatus: OpenEnum(.delivered),
      consumptionPercentage: 50_000, refundPreference: OpenEnum(.grantProrated))
    try check(
      SendConsumptionInformation(transactionId: id, consumption),
      "PUT inApps/v2/transactions/consumption/700000000000000001")
    try check(
      SendConsumptionInformationV1(transactionId: id, Self.consumptionV1()),
      "PUT inApps/v1/transactions/consumption/700000000000000001")
    try check(
      SetAppAccountToken(originalTransactionId: id, appAccountToken: Self.uuid), "PUT \(path)/appAccountToken")
    try check(
      ExtendSubscriptionRenewalDate(
        originalTransactionId: id,
        ExtendRenewalDateRequest(
          extendByDays: 90, extendReasonCode: OpenEnum(.serviceIssueOrOutage), requestIdentifier: "r")),
      "PUT inApps/v1/subscriptions/extend/700000000000000001")
    try check(
      ExtendRenewalDatesForAllActiveSubscribers(
        MassExtendRenewalDateRequest(
          requestIdentifier: Self.uuid, extendByDays: 1, extendReasonCode: OpenEnum(.other), productId: "club",
          storefrontCountryCodes: ["USA", "DEU"])),
      "POST inApps/v1/subscriptions/extend/mass")
    try check(
      GetStatusOfRenewalDateExtensions(productId: "club", requestIdentifier: Self.uuid.uuidString),
      "GET inApps/v1/subscriptions/extend/mass/club/\(Self.uuid.uuidString)")
    try check(
      GetNotificationHistory(Self.history(), paginationToken: "p"),
      "POST inApps/v1/notifications/history?paginationToken=p")
    try check(RequestTestNotification(), "POST inApps/v1/notifications/test")
    try check(GetTestNotificationStatus(testNotificationToken: "t_1"), "GET inApps/v1/notifications/test/t_1")

    let names = ServerAPI.calls.map { $0.endpoint.name }
    #expect(seen == names, "the calls that are checked here, in the order of ServerAPI.calls")
    let endpoints = ServerAPI.calls.map { $0.endpoint }
    #expect(Set(endpoints.map(\.name)).count == endpoints.count)
    #expect(Set(endpoints.map { "\($0.method) \($0.path)" }).count == endpoints.count)
  }

  @Test("the endpoints without a body in their answer, and their HTTP statuses, are those of the documentation")
  func statuses() {
    let empty = ServerAPI.calls.filter { !$0.hasAnswer }.map { $0.endpoint.name }
    #expect(
      empty == [
        "finishTransaction", "sendConsumptionInformation", "sendConsumptionInformationV1", "setAppAccountToken",
      ])
    let accepted = ServerAPI.calls.map { $0.endpoint }.filter { $0.successStatus == 202 }.map(\.name)
    #expect(accepted == ["sendConsumptionInformation", "sendConsumptionInformationV1"])
    #expect(
      ServerAPI.calls.map { $0.endpoint }.filter { !$0.isIdempotent }.map(\.name) == [
        "extendSubscriptionRenewalDate", "requestTestNotification",
      ])
  }

  /// Answers as the documentation describes them. Each comes back equal, apart from members that are not known.
  @Test("the documented answers are read, and written back equal")
  func answers() throws {
    try check(TransactionInfoResponse.self, #"{"signedTransactionInfo":"a.b.c"}"#)
    try check(AppTransactionInfoResponse.self, #"{"signedAppTransactionInfo":"a.b.c"}"#)
    try check(
      HistoryResponse.self,
      #"{"appAppleId":41,"bundleId":"com.example","environment":"Production","hasMore":true,"revision":"r","#
        + #""signedTransactions":["a.b.c"]}"#)
    try check(
      HistoryResponse.self,
      #"{"bundleId":"com.example","environment":"Moon","hasMore":false,"revision":"r","signedTransactions":[]}"#)
    try check(
      StatusResponse.self,
      #"{"bundleId":"com.example","data":[{"lastTransactions":[{"originalTransactionId":"1","signedRenewalInfo":"r","#
        + #""signedTransactionInfo":"t","status":9}],"subscriptionGroupIdentifier":"20500001"}],"environment":"Sandbox"}"#
    )
    try check(OrderLookupResponse.self, #"{"signedTransactions":["a.b.c"],"status":0}"#)
    try check(OrderLookupResponse.self, #"{"status":1}"#)
    try check(RefundHistoryResponse.self, #"{"hasMore":false,"revision":"r","signedTransactions":[]}"#)
    try check(RefundLookupResponse.self, #"{"signedTransactions":["a.b.c"]}"#)
    try check(
      ExtendRenewalDateResponse.self,
      #"{"effectiveDate":1793000000123,"originalTransactionId":"1","success":true,"webOrderLineItemId":"2"}"#)
    try check(MassExtendRenewalDateResponse.self, #"{"requestIdentifier":"r"}"#)
    try check(MassExtendRenewalDateStatusResponse.self, #"{"complete":false,"requestIdentifier":"r"}"#)
    try check(
      MassExtendRenewalDateStatusResponse.self,
      #"{"complete":true,"completeDate":1793000000123,"failedCount":1,"requestIdentifier":"r","succeededCount":2}"#)
    try check(
      NotificationHistoryResponse.self,
      #"{"hasMore":true,"notificationHistory":[{"sendAttempts":[{"attemptDate":1793000000123,"#
        + #""sendAttemptResult":"TIMED_OUT"},{"attemptDate":1793000000124,"sendAttemptResult":"ECLIPSE"}],"#
        + #""signedPayload":"a.b.c"}],"paginationToken":"p"}"#)
    try check(SendTestNotificationResponse.self, #"{"testNotificationToken":"t"}"#)
    try check(
      NotificationHistoryItem.self,
      #"{"firstSendAttemptResult":"SUCCESS","sendAttempts":[],"signedPayload":"a.b.c"}"#)
    try check(ServerAPIError.self, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#)
  }

  private func check<Value: Codable>(_ type: Value.Type, _ json: String) throws {
    let value = try JSONDecoder().decode(type, from: Data(json.utf8))
    #expect(String(decoding: try ServerAPI.encoder().encode(value), as: UTF8.self) == json)
    let extended = String(json.dropLast()) + #","memberOfALaterVersion":{"a":[1]}}"#
    _ = try JSONDecoder().decode(type, from: Data(extended.utf8))
  }

  @Test("an unknown value of an enumeration is kept, is no error, and is equal to itself")
  func openEnums() throws {
    let value = try JSONDecoder().decode([OpenEnum<SendAttemptResult>].self, from: Data(#"["ECLIPSE","OTHER"]"#.utf8))
    #expect(value[0].known == nil && value[0].rawValue == "ECLIPSE" && value[0] == OpenEnum(rawValue: "ECLIPSE"))
    #expect(value[1].known == .other && value[1] == .other && value[0] != .other)
  }
}

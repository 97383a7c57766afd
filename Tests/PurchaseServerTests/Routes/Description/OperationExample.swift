import HTTPTypes

/// An example request of one operation of the server. It must succeed.
struct OperationExample: Sendable {
  enum Caller: Sendable {
    case anonymous
    case customer
    case anOperator
  }

  let method: HTTPRequest.Method
  /// Names in capitals, also in the body, are replaced by values of ``FilledServer``.
  let path: String
  var body: String?
  var caller = Caller.customer
  var status = 200
  /// Whether members of the body that are not known are ignored, because the App Store sends the body.
  var ignoresUnknownMembers = false

  private static let app = "/v1/apps/com.example.reader"
  private static let operating = "/v1/operator"
  private static let operatingApp = "/v1/operator/apps/com.example.reader"

  /// One example for each operation, by the operation's id.
  static var all: [String: OperationExample] {
    let subjects = [
      monitoring, catalog, customers, purchases, deliveries, notifications, consumption, webhooks, publishing, care,
      keys,
    ]
    return subjects.reduce(into: [:]) { all, subject in
      all.merge(subject) { _, _ in preconditionFailure("two examples of one operation") }
    }
  }

  private static let monitoring: [String: OperationExample] = [
    "health": OperationExample(method: .get, path: "/health", caller: .anonymous),
    "ready": OperationExample(method: .get, path: "/ready", caller: .anonymous),
    "metrics": OperationExample(method: .get, path: "/metrics", caller: .anOperator),
    "description": OperationExample(method: .get, path: "/openapi.json", caller: .anonymous),
  ]

  private static let catalog: [String: OperationExample] = [
    "products": OperationExample(method: .get, path: "\(app)/products", caller: .anonymous),
    "offerings": OperationExample(method: .get, path: "\(app)/offerings", caller: .anonymous),
  ]

  private static let customers: [String: OperationExample] = [
    "registerInstallation": OperationExample(
      method: .post, path: "\(app)/installations", body: #"{"device":"6f6a3a1c-7b7b-4f3e-9e33-0a1b2c3d4e5f"}"#,
      caller: .anonymous, status: 201),
    "signOut": OperationExample(method: .delete, path: "\(app)/installations/current", status: 204),
    "customer": OperationExample(method: .get, path: "\(app)/customer"),
    "eraseCustomer": OperationExample(method: .delete, path: "\(app)/customer", status: 204),
    "exportCustomer": OperationExample(method: .get, path: "\(app)/customer/export"),
    "consent": OperationExample(method: .get, path: "\(app)/customer/consent"),
    "setConsent": OperationExample(
      method: .put, path: "\(app)/customer/consent", body: #"{"consumptionInformation":true}"#),
    "customerState": OperationExample(method: .get, path: "\(app)/customer/state?limit=2"),
  ]

  private static let purchases: [String: OperationExample] = [
    "redeem": OperationExample(
      method: .post, path: "\(app)/redemptions",
      body: """
        {"proof":{"appReceipt":"RECEIPT"},"purchases":[{"transactionId":"TRANSACTION","productId":"com.example.reader.book"},
         {"transactionId":"1"}]}
        """),
    "restore": OperationExample(
      method: .post, path: "\(app)/restores", body: #"{"proof":{"appReceipt":"RECEIPT"}}"#),
    "entitlements": OperationExample(method: .get, path: "\(app)/entitlements"),
    "credits": OperationExample(method: .get, path: "\(app)/credits"),
    "creditMovements": OperationExample(
      method: .get, path: "\(app)/credits/coins/movements?limit=2&before=9"),
    "spend": OperationExample(
      method: .post, path: "\(app)/credits/coins/spends", body: #"{"key":"level 3","amount":2}"#),
  ]

  private static let deliveries: [String: OperationExample] = [
    "deliveries": OperationExample(method: .get, path: "\(app)/deliveries"),
    "download": OperationExample(method: .get, path: "/LINK", caller: .anonymous),
    "downloadHead": OperationExample(method: .head, path: "/LINK", caller: .anonymous),
  ]

  private static let notifications: [String: OperationExample] = [
    "receiveNotification": OperationExample(
      method: .post, path: "\(app)/notifications", body: #"{"signedPayload":"NOTIFICATION"}"#, caller: .anonymous,
      ignoresUnknownMembers: true),
    "notifications": OperationExample(
      method: .get, path: "\(operatingApp)/notifications?state=recorded&type=ONE_TIME_CHARGE&from=1&limit=2",
      caller: .anOperator),
    "notification": OperationExample(method: .get, path: "\(operatingApp)/notifications/RECEIVED", caller: .anOperator),
    "notificationContents": OperationExample(
      method: .get, path: "\(operatingApp)/notifications/ASIDE/contents", caller: .anOperator),
    "replayNotification": OperationExample(
      method: .post, path: "\(operatingApp)/notifications/RECEIVED/replay", body: #"{"reason":"asked for"}"#,
      caller: .anOperator),
  ]

  private static let consumption: [String: OperationExample] = [
    "consumptionRequests": OperationExample(
      method: .get, path: "\(operatingApp)/consumption-requests?state=waiting&limit=2", caller: .anOperator),
    "consumptionRequest": OperationExample(
      method: .get, path: "\(operatingApp)/consumption-requests/ASKED", caller: .anOperator),
    "answerConsumptionRequest": OperationExample(
      method: .post, path: "\(operatingApp)/consumption-requests/ASKED/answer",
      body: """
        {"refundPreference":"prorated","deliveryStatus":"DELIVERED","consumptionPercentage":40000,"sampleContentProvided":false,
         "reason":"regular"}
        """, caller: .anOperator),
  ]

  private static let webhooks: [String: OperationExample] = [
    "webhooks": OperationExample(method: .get, path: "\(operating)/webhooks?limit=2", caller: .anOperator),
    "createWebhook": OperationExample(
      method: .post, path: "\(operating)/webhooks",
      body: """
        {"name":"other","url":"https://hooks.example/b","apps":["com.example.reader"],"types":["RENEWAL","BILLING_ISSUE"],
         "environments":["Sandbox"],"reason":"a new backend"}
        """, caller: .anOperator, status: 201),
    "webhook": OperationExample(method: .get, path: "\(operating)/webhooks/WEBHOOK", caller: .anOperator),
    "changeWebhook": OperationExample(
      method: .patch, path: "\(operating)/webhooks/WEBHOOK",
      body: #"{"types":[],"environments":["Production"],"isDisabled":true,"reason":"moved"}"#, caller: .anOperator),
    "rotateWebhookSecret": OperationExample(
      method: .post, path: "\(operating)/webhooks/WEBHOOK/rotate", body: #"{"reason":"leaked"}"#, caller: .anOperator),
    "removeWebhook": OperationExample(
      method: .delete, path: "\(operating)/webhooks/WEBHOOK?reason=unused", caller: .anOperator, status: 204),
    "testWebhook": OperationExample(
      method: .post, path: "\(operating)/webhooks/WEBHOOK/test", body: #"{"reason":"a try"}"#, caller: .anOperator),
    "webhookDeliveries": OperationExample(
      method: .get, path: "\(operating)/webhooks/WEBHOOK/deliveries?state=delivered&limit=2", caller: .anOperator),
    "resendWebhookDelivery": OperationExample(
      method: .post, path: "\(operating)/webhooks/WEBHOOK/deliveries/1/resend", body: #"{"reason":"lost"}"#,
      caller: .anOperator),
    "webhookEvents": OperationExample(
      method: .get, path: "\(operating)/events?limit=3&app=com.example.reader", caller: .anOperator),
  ]

  private static let publishing: [String: OperationExample] = [
    "productsForOperator": OperationExample(
      method: .get, path: "\(operatingApp)/products?limit=2", caller: .anOperator),
    "productForOperator": OperationExample(
      method: .get, path: "\(operatingApp)/products/com.example.reader.book", caller: .anOperator),
    "publishProduct": OperationExample(
      method: .put, path: "\(operatingApp)/products/com.example.reader.gems",
      body: """
        {"type":"Consumable","credits":{"unit":"gems","amount":3},"isListed":false,"entitlements":["gems"],
         "localisations":{"pt-BR":{"name":"Gemas","description":"Três"}}}
        """, caller: .anOperator),
    "uploadContent": OperationExample(
      method: .put, path: "\(operating)/content?sha256=HELLO", body: "hello", caller: .anOperator, status: 201),
    "offeringsForOperator": OperationExample(
      method: .get, path: "\(operatingApp)/offerings", caller: .anOperator),
    "publishOffering": OperationExample(
      method: .put, path: "\(operatingApp)/offerings/autumn",
      body: """
        {"products":["com.example.reader.poem","com.example.reader.book"],"isCurrent":true,"reason":"a sale",
         "metadata":{"headline":"Leaves","columns":[1,2.5,null,true,{"a":"b"}]}}
        """, caller: .anOperator),
    "removeOffering": OperationExample(
      method: .delete, path: "\(operatingApp)/offerings/summer?reason=over", caller: .anOperator, status: 204),
    "publishContent": OperationExample(
      method: .put, path: "\(operatingApp)/products/com.example.reader.poem/content",
      body: #"{"files":[{"name":"new.txt","sha256":"POEM","mediaType":"text/plain"}]}"#, caller: .anOperator),
  ]

  private static let care: [String: OperationExample] = [
    "findCustomers": OperationExample(
      method: .get, path: "\(operating)/customers?transactionId=TRANSACTION", caller: .anOperator),
    "exportOfCustomer": OperationExample(
      method: .get, path: "\(operating)/customers/CUSTOMER", caller: .anOperator),
    "customerSummary": OperationExample(
      method: .get, path: "\(operating)/customers/CUSTOMER/summary?order=newest", caller: .anOperator),
    "movementsOfCustomer": OperationExample(
      method: .get, path: "\(operatingApp)/customers/CUSTOMER/credits/coins/movements?limit=2", caller: .anOperator),
    "chart": OperationExample(
      method: .get,
      path: "\(operating)/charts/recurringRevenue?app=com.example.reader&environment=Sandbox&currency=USD",
      caller: .anOperator),
    "ledgerChanges": OperationExample(
      method: .get, path: "\(operating)/changes?limit=3&app=com.example.reader", caller: .anOperator),
    "recordedExportOfCustomer": OperationExample(
      method: .post, path: "\(operating)/customers/CUSTOMER/exports", body: #"{"reason":"asked for by mail"}"#,
      caller: .anOperator),
    "erase": OperationExample(
      method: .post, path: "\(operating)/customers/CUSTOMER/erasure", body: #"{"reason":"asked for by mail"}"#,
      caller: .anOperator, status: 204),
    "grant": OperationExample(
      method: .post, path: "\(operatingApp)/customers/CUSTOMER/grants",
      body: #"{"key":"ticket 7","reason":"lost in a crash","productId":"com.example.reader.poem","accessUntil":1}"#,
      caller: .anOperator, status: 204),
    "revoke": OperationExample(
      method: .post, path: "\(operatingApp)/customers/CUSTOMER/revocations",
      body: #"{"productId":"com.example.reader.book","source":"TRANSACTION","reason":"a mistake"}"#,
      caller: .anOperator),
    "movePurchase": OperationExample(
      method: .post, path: "\(operatingApp)/customers/CUSTOMER/moves",
      body: #"{"transactionId":"TRANSACTION","environment":"Sandbox","reason":"a lost account"}"#, caller: .anOperator),
    "reverify": OperationExample(
      method: .post, path: "\(operating)/reverify",
      body: """
        {"bundleId":"com.example.reader","customer":"CUSTOMER","limit":5,
         "after":{"environment":"Production","transactionId":"1"}}
        """, caller: .anOperator),
    "liftBlock": OperationExample(
      method: .post, path: "\(operatingApp)/customers/CUSTOMER/lifts", body: #"{"unit":"coins","reason":"asked for"}"#,
      caller: .anOperator),
  ]

  private static let keys: [String: OperationExample] = [
    "operatorKeys": OperationExample(method: .get, path: "\(operating)/keys?order=newest", caller: .anOperator),
    "operatorHealth": OperationExample(method: .get, path: "\(operating)/health", caller: .anOperator),
    "createOperatorKey": OperationExample(
      method: .post, path: "\(operating)/keys", body: #"{"name":"otto","role":"support","reason":"a new colleague"}"#,
      caller: .anOperator, status: 201),
    "operatorSelf": OperationExample(method: .get, path: "\(operating)/self", caller: .anOperator),
    "revokeOperatorKey": OperationExample(
      method: .delete, path: "\(operating)/keys/KEY?reason=left", caller: .anOperator, status: 204),
    "importPurchases": OperationExample(
      method: .post, path: "\(operatingApp)/imports",
      body: """
        {"digest":"\(String(repeating: "b", count: 64))","apply":true,"nextRow":3,"isLast":false,"reason":"moved here",
         "rows":[{"row":2,"customer":"CUSTOMER","appReceipt":"RECEIPT"}]}
        """, caller: .anOperator),
    "importProgress": OperationExample(
      method: .get, path: "\(operatingApp)/imports/\(String(repeating: "a", count: 64))", caller: .anOperator),
    "auditLog": OperationExample(method: .get, path: "\(operating)/audit?limit=3", caller: .anOperator),
    "backUp": OperationExample(
      method: .post, path: "\(operating)/backups", body: #"{"reason":"before the upgrade"}"#, caller: .anOperator,
      status: 201),
  ]
}

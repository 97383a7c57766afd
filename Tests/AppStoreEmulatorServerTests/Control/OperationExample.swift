import HTTPTypes

/// An example request of one operation of the control API. It must succeed.
struct OperationExample: Sendable {
  let method: HTTPRequest.Method
  let path: String
  /// The request's body. ``snapshotPlace`` in it stands for a snapshot of the store.
  var body: String?
  let status: Int

  static let snapshotPlace = "SNAPSHOT"
  /// In a path, stands for a transaction that was not refunded.
  static let transactionPlace = "TRANSACTION"
  /// In a path, stands for a transaction that was refunded.
  static let refundedPlace = "REFUNDED"

  /// In a path, stands for the first transaction of a subscription.
  static let subscriptionPlace = "SUBSCRIPTION"

  /// In a path, stands for a key that was added.
  static let keyPlace = "KEYOFAPI"
  /// In a path, stands for the number of a request for a refund of ``transactionPlace``.
  static let refundRequestPlace = "REFUNDREQUEST"

  /// In a path, stands for the UUID of a notification.
  static let notificationPlace = "NOTIFICATION"

  /// One example for each operation, by the operation's id.
  static var all: [String: OperationExample] {
    let subjects = [
      apps, customers, installations, purchases, refunds, subscriptions, approvals, notifications, clock, lifecycle,
      faults, requests,
    ]
    return subjects.reduce(into: [:]) { all, subject in
      all.merge(subject) { _, _ in preconditionFailure("two examples of one operation") }
    }
  }

  private static let apps: [String: OperationExample] = [
    "connection": OperationExample(method: .get, path: "/connection?bundleId=org.example.bakery", status: 200),
    "apps": OperationExample(method: .get, path: "/apps", status: 200),
    "serveApp": OperationExample(
      method: .put, path: "/apps/org.example.mill",
      body: """
        {"configurations": [{"products": [
          {"productID": "flour", "type": "Consumable", "displayPrice": "1.20", "referenceName": "Flour", "whoKnows": 1}
        ]}]}
        """, status: 200),
    "keys": OperationExample(method: .get, path: "/keys", status: 200),
    "addKey": OperationExample(method: .post, path: "/keys", body: #"{"bundleId":"org.example.bakery"}"#, status: 201),
    "removeKey": OperationExample(method: .delete, path: "/keys/KEYOFAPI", body: "", status: 200),
    "changeProduct": OperationExample(
      method: .patch, path: "/apps/org.example.bakery/products/org.example.bakery.loaf",
      body: #"{"price":4000,"prices":{"DEU":3900},"isOnSale":true}"#, status: 200),
  ]

  private static let customers: [String: OperationExample] = [
    "customers": OperationExample(method: .get, path: "/customers", status: 200),
    "addCustomer": OperationExample(
      method: .post, path: "/customers", body: #"{"environment":"Sandbox","name":"ada","password":"x"}"#, status: 201),
    "customer": OperationExample(method: .get, path: "/customers/production/customer", status: 200),
    "changeCustomer": OperationExample(
      method: .patch, path: "/customers/sandbox/customer",
      body: #"{"storefront":"DEU","needsApproval":true,"family":"bakers"}"#,
      status: 200),
    "removeCustomer": OperationExample(method: .delete, path: "/customers/production/customer", body: "", status: 200),
  ]

  private static let installations: [String: OperationExample] = [
    "installations": OperationExample(method: .get, path: "/installations", status: 200),
    "changeInstallation": OperationExample(
      method: .patch, path: "/installations/phone", body: #"{"restricted":true,"offline":null}"#, status: 200),
    "signOut": OperationExample(method: .post, path: "/installations/phone/signOut", body: "{}", status: 200),
    "beginPromotedPurchase": OperationExample(
      method: .post, path: "/promotedPurchases",
      body: #"{"installationId":"phone","productId":"org.example.bakery.loaf"}"#, status: 201),
  ]

  private static let purchases: [String: OperationExample] = [
    "purchase": OperationExample(
      method: .post, path: "/purchases",
      body: """
        {"bundleId":"org.example.bakery","environment":"Sandbox","customer":"customer","productId":"org.example.bakery.loaf",
         "quantity":2,"applicationUsername":"6f6a3a1c-7b7b-4f3e-9e33-0a1b2c3d4e5f","installationId":"phone","paymentId":"order 1"}
        """, status: 201),
    "transactions": OperationExample(method: .get, path: "/transactions?limit=1&withTotal=true", status: 200),
    "transaction": OperationExample(method: .get, path: "/transactions/REFUNDED", status: 200),
    "proofs": OperationExample(method: .get, path: "/transactions/TRANSACTION/proofs", status: 200),
    "charges": OperationExample(method: .get, path: "/charges?limit=10", status: 200),
  ]

  private static let subscriptions: [String: OperationExample] = [
    "subscriptions": OperationExample(method: .get, path: "/customers/sandbox/customer/subscriptions", status: 200),
    "subscription": OperationExample(method: .get, path: "/subscriptions/SUBSCRIPTION", status: 200),
    "changeSubscription": OperationExample(
      method: .patch, path: "/subscriptions/SUBSCRIPTION", body: #"{"isAutoRenewOn":false}"#, status: 200),
    "renewalRules": OperationExample(method: .get, path: "/apps/org.example.bakery/renewalRules", status: 200),
    "setRenewalRules": OperationExample(
      method: .put, path: "/apps/org.example.bakery/renewalRules", body: #"{"timeRate":13,"gracePeriod":"standard"}"#,
      status: 200),
  ]

  private static let refunds: [String: OperationExample] = [
    "refundRequests": OperationExample(method: .get, path: "/transactions/TRANSACTION/refundRequests", status: 200),
    "requestRefund": OperationExample(
      method: .post, path: "/transactions/SUBSCRIPTION/refundRequests", body: #"{"reason":"FULFILLMENT_ISSUE"}"#,
      status: 201),
    "decideRefundRequest": OperationExample(
      method: .post, path: "/transactions/TRANSACTION/refundRequests/REFUNDREQUEST/decision",
      body: #"{"outcome":"prorated","percentage":50000}"#, status: 200),
    "refunds": OperationExample(method: .get, path: "/refunds?customer=customer", status: 200),
    "refund": OperationExample(
      method: .post, path: "/transactions/TRANSACTION/refund", body: #"{"reason":1,"percentage":33333}"#, status: 200),
    "reverseRefund": OperationExample(
      method: .delete, path: "/transactions/REFUNDED/refund", body: "{}", status: 200),
  ]

  private static let approvals: [String: OperationExample] = [
    "approvals": OperationExample(method: .get, path: "/approvals", status: 200),
    "decideApproval": OperationExample(
      method: .post, path: "/approvals/phone/to%20approve", body: #"{"decision":"approve"}"#, status: 200),
  ]

  private static let notifications: [String: OperationExample] = [
    "notificationURLs": OperationExample(
      method: .get, path: "/apps/org.example.bakery/notificationURLs", status: 200),
    "setNotificationURLs": OperationExample(
      method: .put, path: "/apps/org.example.bakery/notificationURLs",
      body: #"{"production":"https://server.example/a","sandbox":null}"#, status: 200),
    "notifications": OperationExample(
      method: .get, path: "/notifications?type=ONE_TIME_CHARGE&state=waiting&limit=1", status: 200),
    "notification": OperationExample(method: .get, path: "/notifications/NOTIFICATION", status: 200),
    "resendNotification": OperationExample(
      method: .post, path: "/notifications/NOTIFICATION/resend", body: "{}", status: 200),
    "sendNotification": OperationExample(
      method: .post, path: "/notifications",
      body: """
        {"bundleId":"org.example.bakery","environment":"Sandbox","type":"DID_RENEW","subtype":"BILLING_RECOVERY"}
        """,
      status: 201),
    "notificationPolicy": OperationExample(method: .get, path: "/notifications/policy", status: 200),
    "changeNotificationPolicy": OperationExample(
      method: .patch, path: "/notifications/policy",
      body: #"{"hold":true,"drop":false,"duplicate":true,"delayMilliseconds":5,"reorder":true}"#, status: 200),
    "settleNotifications": OperationExample(
      method: .post, path: "/notifications/settle", body: #"{"timeoutMilliseconds":1000}"#, status: 200),
  ]

  private static let clock: [String: OperationExample] = [
    "clock": OperationExample(method: .get, path: "/clock", status: 200),
    "changeClock": OperationExample(
      method: .patch, path: "/clock", body: #"{"advanceMilliseconds":3600000,"rate":2.5}"#, status: 200),
  ]

  private static let lifecycle: [String: OperationExample] = [
    "settings": OperationExample(method: .get, path: "/settings", status: 200),
    "changeSettings": OperationExample(
      method: .patch, path: "/settings",
      body: #"{"locale":"de_DE","documented21003":true,"lenientBase64":true,"rateLimits":true}"#,
      status: 200),
    "reset": OperationExample(method: .post, path: "/reset", body: "", status: 200),
    "snapshot": OperationExample(method: .get, path: "/snapshot", status: 200),
    "restore": OperationExample(
      method: .post, path: "/restore", body: #"{"snapshot":"SNAPSHOT"}"#, status: 200),
  ]

  private static let faults: [String: OperationExample] = [
    "setFault": OperationExample(
      method: .post, path: "/faults",
      body: """
        {"kind":"appError","error":{"domain":"SKErrorDomain","code":907,"message":"No","underlying":{"domain":"AMSErrorDomain","code":6}},
         "scope":{"calls":["confirm","quote"],"environment":"Sandbox","customer":"ada","bundleId":"b","productId":"p","installationId":"i"},
         "count":2,"probability":0.5,"seed":7,"durationSeconds":60}
        """, status: 201),
    "faults": OperationExample(method: .get, path: "/faults", status: 200),
    "fault": OperationExample(method: .get, path: "/faults/of%20ada", status: 200),
    "releaseFault": OperationExample(method: .post, path: "/faults/of%20ada/release", body: "{}", status: 200),
    "removeFault": OperationExample(method: .delete, path: "/faults/of%20ada", body: "{}", status: 200),
    "removeFaults": OperationExample(method: .delete, path: "/faults", body: "{}", status: 200),
  ]

  private static let requests: [String: OperationExample] = [
    "requests": OperationExample(method: .get, path: "/requests?call=confirm&limit=3", status: 200),
    "request": OperationExample(method: .get, path: "/requests/1", status: 200),
    "removeRequests": OperationExample(method: .delete, path: "/requests", body: "{}", status: 200),
  ]
}

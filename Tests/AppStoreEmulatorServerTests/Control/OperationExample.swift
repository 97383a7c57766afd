import HTTPTypes

/// A request of one of the control door's operations, which is to succeed.
struct OperationExample: Sendable {
  let method: HTTPRequest.Method
  let path: String
  var body: String?
  let status: Int

  /// One for each operation, by its id.
  static var all: [String: OperationExample] {
    [apps, customers, purchases, faults, requests].reduce(into: [:]) { all, subject in
      all.merge(subject) { _, _ in preconditionFailure("two examples of one operation") }
    }
  }

  private static let apps: [String: OperationExample] = [
    "connection": OperationExample(method: .get, path: "/connection", status: 200),
    "apps": OperationExample(method: .get, path: "/apps", status: 200),
  ]

  private static let customers: [String: OperationExample] = [
    "customers": OperationExample(method: .get, path: "/customers", status: 200),
    "addCustomer": OperationExample(
      method: .post, path: "/customers", body: #"{"environment":"Sandbox","name":"ada","password":"x"}"#, status: 201),
    "customer": OperationExample(method: .get, path: "/customers/production/customer", status: 200),
    "changeCustomer": OperationExample(
      method: .patch, path: "/customers/sandbox/customer", body: #"{"storefront":"DEU"}"#, status: 200),
  ]

  private static let purchases: [String: OperationExample] = [
    "purchase": OperationExample(
      method: .post, path: "/purchases",
      body: """
        {"bundleId":"org.example.bakery","environment":"Sandbox","customer":"customer","productId":"org.example.bakery.loaf",
         "quantity":2,"applicationUsername":"6f6a3a1c-7b7b-4f3e-9e33-0a1b2c3d4e5f","installationId":"phone"}
        """, status: 201),
    "transactions": OperationExample(method: .get, path: "/transactions", status: 200),
    "charges": OperationExample(method: .get, path: "/charges?limit=10", status: 200),
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
    "removeRequests": OperationExample(method: .delete, path: "/requests", body: "{}", status: 200),
  ]
}

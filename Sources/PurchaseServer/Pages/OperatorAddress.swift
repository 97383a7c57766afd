import APIDescription
import PurchaseLedger
import StoreModel

/// The addresses of the operator's pages. Names are in the query, because a browser would resolve `..` in a path.
enum OperatorAddress {
  static func customer(_ id: CustomerID) -> String { "/operator/customer" + AddressText.query([("id", "\(id)")]) }

  static func search(_ text: String) -> String { "/operator/search" + AddressText.query([("q", text)]) }

  static func movements(
    of id: CustomerID, app: String, unit: String, before: Int64? = nil, rows: Int? = nil
  ) -> String {
    "/operator/movements"
      + AddressText.query([
        ("id", "\(id)"), ("app", app), ("unit", unit), ("before", before.map(String.init)),
        ("rows", rows.map(String.init)),
      ])
  }

  static let products = "/operator/products"

  static func products(of app: String, after: String? = nil, rows: Int? = nil) -> String {
    products + AddressText.query([("app", app), ("after", after), ("rows", rows.map(String.init))])
  }

  static let product = "/operator/product"

  static func product(_ id: String, of app: String) -> String {
    product + AddressText.query([("app", app), ("id", id)])
  }

  static let offerings = "/operator/offerings"

  static func offerings(of app: String) -> String { offerings + AddressText.query([("app", app)]) }

  static let offering = "/operator/offering"

  static func offering(_ id: String, of app: String) -> String {
    offering + AddressText.query([("app", app), ("id", id)])
  }

  static let notifications = "/operator/notifications"

  static func notifications(
    of app: String, state: String? = nil, type: String? = nil, after: String? = nil, rows: Int? = nil
  ) -> String {
    notifications
      + AddressText.query([
        ("app", app), ("state", state), ("type", type), ("after", after), ("rows", rows.map(String.init)),
      ])
  }

  static let notification = "/operator/notification"

  static func notification(_ uuid: String, of app: String) -> String {
    notification + AddressText.query([("app", app), ("uuid", uuid)])
  }

  static let refundRequests = "/operator/refund-requests"

  static func refundRequests(
    of app: String, state: String? = nil, after: String? = nil, rows: Int? = nil
  ) -> String {
    refundRequests
      + AddressText.query([("app", app), ("state", state), ("after", after), ("rows", rows.map(String.init))])
  }

  static let refundRequest = "/operator/refund-request"

  static func refundRequest(_ uuid: String, of app: String) -> String {
    refundRequest + AddressText.query([("app", app), ("uuid", uuid)])
  }

  static let charts = "/operator/charts"

  static func charts(
    of app: String, chart: String, environment: String? = nil, from: String? = nil, until: String? = nil,
    currency: String? = nil
  ) -> String {
    charts
      + AddressText.query([
        ("app", app), ("chart", chart), ("environment", environment), ("from", from), ("until", until),
        ("currency", currency),
      ])
  }

  static let webhooks = "/operator/webhooks"
  static let webhook = "/operator/webhook"

  static func webhook(_ id: String, state: String? = nil, after: String? = nil, rows: Int? = nil) -> String {
    webhook + AddressText.query([("id", id), ("state", state), ("after", after), ("rows", rows.map(String.init))])
  }

  static let health = "/operator/health"
  static let keys = "/operator/keys"

  static func keys(after: String?, rows: Int? = nil) -> String {
    keys + AddressText.query([("after", after), ("rows", rows.map(String.init))])
  }

  static let audit = "/operator/audit"
}

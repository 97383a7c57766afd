import APIDescription
import AppStoreEmulator
import AppStoreServerAPI
import StoreModel
import WebSupport

/// The query of the list of notifications.
struct NotificationListQuery: Sendable {
  let filter: NotificationFilter

  init(_ query: AddressQuery) throws(PageRefusal) {
    var filter = NotificationFilter()
    filter.type = try query.word("type", NotificationType.allCases)
    filter.subtype = try query.word("subtype", NotificationSubtype.allCases)
    filter.state = try query.word("state", StoredNotification.State.allCases)
    filter.environment = try query.environment()
    filter.bundleID = query["app"].map { BundleID($0) }
    filter.account = query["customer"].map { AccountName($0) }
    filter.transactionID = try query.transaction()
    filter.before = try query.number("before", 1...Int64.max)
    filter.limit = Int(try query.number("rows", 1...Int64(ListEnd.largestPage)) ?? Int64(ListEnd.pageSize))
    self.filter = filter
  }

  func address(before: Int64? = nil, rows: Int? = nil) -> String {
    "/console/notifications"
      + AddressText.query([
        ("type", filter.type?.rawValue), ("subtype", filter.subtype?.rawValue), ("state", filter.state?.rawValue),
        ("environment", filter.environment?.lowercaseName), ("app", filter.bundleID?.rawValue),
        ("customer", filter.account?.rawValue), ("transaction", filter.transactionID?.rawValue),
        ("before", before.map(String.init)), ("rows", rows.map(String.init)),
      ])
  }
}

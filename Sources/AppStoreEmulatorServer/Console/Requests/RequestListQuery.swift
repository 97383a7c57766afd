import APIDescription
import AppStoreEmulator
import StoreModel
import WebSupport

/// The query of the list of requests.
struct RequestListQuery: Sendable {
  let filter: RequestFilter
  /// If set, the list contains only requests with a smaller number.
  let before: Int64?
  let rows: Int
  /// Whether the address asks for the calls in which devices waited for changes, and there were none.
  let choosesPolls: Bool
  /// Whether the list contains these calls. Also true if the filter selects calls of this kind.
  var showsPolls: Bool { choosesPolls || filter.kind == .device(.changes) }

  init(_ query: AddressQuery) throws(PageRefusal) {
    filter = RequestFilter(
      try query.word("call", RequestKind.allCases), installationID: query["installation"].map { InstallationID($0) },
      environment: try query.environment(), bundleID: query["app"].map { BundleID($0) },
      customer: query["customer"].map { AccountName($0) }, productID: query["product"].map { ProductID($0) },
      transactionID: try query.transaction(), outcome: try query.word("outcome", RequestOutcome.Name.allCases),
      faultID: query["fault"].map { FaultID($0) })
    before = try query.number("before", 1...Int64.max)
    choosesPolls = try query.word("polls", Polls.allCases) == .shown
    rows = Int(try query.number("rows", 1...Int64(ListEnd.largestPage)) ?? Int64(ListEnd.pageSize))
  }

  private enum Polls: String, CaseIterable { case shown }

  /// - Parameter showsPolls: nil to keep the choice.
  func address(before: Int64? = nil, rows: Int? = nil, showsPolls: Bool? = nil) -> String {
    "/console/requests"
      + AddressText.query([
        ("call", filter.kind?.rawValue), ("outcome", filter.outcome?.rawValue),
        ("environment", filter.environment?.lowercaseName), ("app", filter.bundleID?.rawValue),
        ("customer", filter.customer?.rawValue), ("product", filter.productID?.rawValue),
        ("transaction", filter.transactionID?.rawValue), ("installation", filter.installationID?.rawValue),
        ("fault", filter.faultID?.rawValue), ("polls", showsPolls ?? choosesPolls ? Polls.shown.rawValue : nil),
        ("before", before.map(String.init)), ("rows", rows.map(String.init)),
      ])
  }
}

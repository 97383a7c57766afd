import APIDescription
import AppStoreEmulator
import StoreModel
import WebSupport

/// The query of the list of transactions.
struct TransactionListQuery: Sendable {
  /// A state to filter by. Payments that wait for approval are not transactions yet, but are shown in the same list.
  enum State: String, CaseIterable {
    case unfinished, finished, refunded, waiting

    var title: String { self == .waiting ? "waiting for approval" : rawValue }
  }

  var search: String?
  var environment: StoreEnvironment?
  var app: BundleID?
  var product: ProductID?
  var customer: AccountName?
  var state: State?
  /// The cursor of the page; nil for the first page.
  var before: Int64?
  var rows = ListEnd.pageSize

  init(_ query: AddressQuery) throws(PageRefusal) {
    search = query["q"]
    environment = try query.environment()
    app = query["app"].map { BundleID($0) }
    product = query["product"].map { ProductID($0) }
    customer = query["customer"].map { AccountName($0) }
    state = try query.word("state", State.allCases)
    before = try query.number("before", 1...Int64.max)
    rows = Int(try query.number("rows", 1...Int64(ListEnd.largestPage)) ?? Int64(ListEnd.pageSize))
  }

  var filter: RecordFilter {
    RecordFilter(
      bundleID: app, environment: environment, account: customer, productID: product,
      state: state.flatMap { TransactionState(rawValue: $0.rawValue) }, search: search, before: before, limit: rows)
  }

  /// Whether the list begins with the payments that wait for approval.
  var showsApprovals: Bool { (state == nil || state == .waiting) && before == nil }

  var isFiltered: Bool {
    search != nil || environment != nil || app != nil || product != nil || customer != nil || state != nil
  }

  func address(before: Int64? = nil, rows: Int? = nil) -> String {
    "/"
      + AddressText.query([
        ("q", search), ("environment", environment?.lowercaseName), ("app", app?.rawValue), ("state", state?.rawValue),
        ("product", product?.rawValue), ("customer", customer?.rawValue), ("before", before.map(String.init)),
        ("rows", rows.map(String.init)),
      ])
  }
}

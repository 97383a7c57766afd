/// A section of the console, in the order of the navigation. A new section needs a case here, its own folder, and a
/// line in ``ConsoleRoutes``.
enum ConsoleSection: CaseIterable {
  case transactions, customers, catalog, clock, faults, requests

  var title: String {
    switch self {
    case .transactions: "Transactions"
    case .customers: "Customers"
    case .catalog: "Catalog"
    case .clock: "Clock"
    case .faults: "Faults"
    case .requests: "Requests"
    }
  }

  var address: String {
    switch self {
    case .transactions: "/"
    case .customers: "/console/customers"
    case .catalog: "/console/catalog"
    case .clock: "/console/clock"
    case .faults: "/console/faults"
    case .requests: "/console/requests"
    }
  }
}

import WebSupport

/// A section of the console, in the order of the navigation. A new section needs a case here, its own folder, and a
/// line in ``ConsoleRoutes``.
enum ConsoleSection: PageSection {
  case transactions, customers, catalog, notifications, clock, faults, requests, store

  var title: String {
    switch self {
    case .transactions: "Transactions"
    case .customers: "Customers"
    case .catalog: "Catalog"
    case .notifications: "Notifications"
    case .clock: "Clock"
    case .faults: "Faults"
    case .requests: "Requests"
    case .store: "Store"
    }
  }

  var key: String {
    switch self {
    case .transactions: "t"
    case .customers: "c"
    case .catalog: "p"
    case .notifications: "n"
    case .clock: "k"
    case .faults: "f"
    case .requests: "r"
    case .store: "s"
    }
  }

  var address: String {
    switch self {
    case .transactions: "/"
    case .customers: "/console/customers"
    case .catalog: "/console/catalog"
    case .notifications: "/console/notifications"
    case .clock: "/console/clock"
    case .faults: "/console/faults"
    case .requests: "/console/requests"
    case .store: "/console/store"
    }
  }
}

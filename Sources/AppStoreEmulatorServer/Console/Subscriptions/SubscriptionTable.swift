import AppStoreEmulator
import StoreModel
import WebSupport

/// A table of a customer's subscriptions, with links to their pages.
struct SubscriptionTable {
  let subscriptions: [RenewalRecord]
  let names: ProductNames

  /// The maximum number of rows. A customer has one subscription in each group of each app.
  static let largestNumber = 200

  var html: HTML {
    let rows = subscriptions.map { subscription -> [HTML] in
      [
        "<a href=\"\(ConsoleAddress.subscription(subscription.originalTransactionID))\">\(subscription.periodStart.html)</a>",
        names.cell(subscription.productID, of: subscription.bundleID), subscription.stateBadge,
        subscription.periodEnd.html, subscription.accessEnd.html, "\(subscription.isAutoRenewOn ? "on" : "off")",
      ]
    }
    return DataTable(
      caption: "Subscriptions",
      columns: ["Current period", "Plan", "State", "Renewal date", "Access until", "Automatic renewal"].map {
        .init($0)
      },
      rows: rows
    ).html
  }
}

extension RenewalRecord {
  var stateBadge: HTML {
    switch state {
    case .active: "<span class=\"badge badge-good\">active</span>"
    case .gracePeriod: "<span class=\"badge badge-wait\">grace period</span>"
    case .billingRetry: "<span class=\"badge badge-bad\">billing retry</span>"
    case .expired: "<span class=\"badge\">expired</span>"
    case .revoked: "<span class=\"badge badge-bad\">revoked</span>"
    }
  }
}

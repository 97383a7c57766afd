import PurchaseLedger

/// What the charts and their columns are called, and what they count. Documentation/charts.md has the definitions to the last unit.
extension ChartName {
  var title: String {
    switch self {
    case .activeSubscriptions: "Active subscriptions"
    case .recurringRevenue: "Recurring revenue"
    case .trialsToPaid: "Trials to paid"
    case .churn: "Churn"
    case .refunds: "Refunds"
    case .creditsOutstanding: "Credits outstanding"
    }
  }

  var definition: String {
    switch self {
    case .activeSubscriptions:
      """
      Auto-renewable subscriptions with access at the end of each month, or now, with grace periods. A refunded period ends at its \
      refund. Family shares are not counted.
      """
    case .recurringRevenue:
      """
      What customers have paid for auto-renewable subscriptions, with taxes and before Apple's commission. Each price is spread over \
      the days of its period, so a month has the part of a yearly plan that lies in it, and the months of a period add up to its price.
      """
    case .trialsToPaid:
      """
      What became of the trials that began in each month. A trial is the first period of a subscription, if its price is 0.
      """
    case .churn:
      """
      Of the subscriptions that were paid for and active at the end of the month before, those that are not active at the end of this \
      month, or now. Trials are not counted.
      """
    case .refunds:
      """
      Refunds of all types of purchases, in the month of the refund. The amount is the share of the price that the store has stated as \
      a percentage, rounded down to a thousandth of the currency's unit. Reversed refunds are not counted.
      """
    case .creditsOutstanding:
      """
      The credits that customers had at the end of each month, or have now, without erased customers. Credits of sandbox purchases are \
      in it: an account has no environment.
      """
    }
  }

  /// The columns of all series of the chart.
  var columns: [ChartColumnView] {
    switch self {
    case .activeSubscriptions:
      [
        .count(.active, "Active", "All active subscriptions: the sum of the other columns."),
        .count(.paid, "Paid", "Those with an active period that has a price above 0."),
        .count(
          .priceUnknown, "Price unknown",
          "Of the others, those with an active period that is known from a receipt alone."),
        .count(.free, "Free", "The rest: a trial, or another free offer."),
      ]
    case .recurringRevenue:
      [
        .money(.net, "Net", "Gross − refunded."),
        .money(.gross, "Gross", "The parts of the prices that lie in the month."),
        .money(.refunded, "Refunded", "The parts of refunded amounts, spread over the periods that were refunded."),
        .count(
          .priceUnknown, "Price unknown",
          "Periods in the month that are known from receipts alone, and are in no sum."),
      ]
    case .trialsToPaid:
      [
        .count(.trials, "Trials", "Trials that began in the month: the sum of the next four columns."),
        .count(.converted, "Converted", "The subscription has a period with a price above 0, also if it was refunded."),
        .count(.outcomeUnknown, "Outcome unknown", "It has none, but one of which the price is unknown."),
        .count(.running, "Running", "None of both, and a period of it, or its grace period, ends after now."),
        .count(.lapsed, "Lapsed", "None of all that."),
        .count(
          .priceUnknown, "Price unknown", "First periods of which the price is unknown. They can be trials or not."),
      ]
    case .churn:
      [
        .count(.paying, "Paying", "Active at the end of the month before, with a price above 0."),
        .count(.lost, "Lost", "Of these, not active at the end of this month."),
        .count(.priceUnknown, "Price unknown", "Active at the end of the month before, with an unknown price."),
        .count(.priceUnknownLost, "Price unknown, lost", "Of these, not active at the end of this month."),
      ]
    case .refunds:
      [
        .money(.amount, "Amount", "The sum of the refunded amounts."),
        .count(.refunds, "Refunds", "Refunded transactions with a known price."),
        .count(.priceUnknown, "Price unknown", "Refunded transactions with an unknown price, which are in no sum."),
      ]
    case .creditsOutstanding:
      [
        ChartColumnView(
          name: .outstanding, title: "Outstanding", kind: .credits, definition: "The sum of the balances above 0."),
        ChartColumnView(
          name: .owed, title: "Owed", kind: .credits,
          definition: "The sum of the balances below 0: spent credits that were refunded."),
        .count(.accounts, "Accounts", "Accounts with a balance above 0."),
      ]
    }
  }
}

extension ChartColumnView {
  fileprivate static func count(_ name: ChartColumn, _ title: String, _ definition: String) -> ChartColumnView {
    ChartColumnView(name: name, title: title, kind: .count, definition: definition)
  }

  fileprivate static func money(_ name: ChartColumn, _ title: String, _ definition: String) -> ChartColumnView {
    ChartColumnView(name: name, title: title, kind: .money, definition: definition)
  }
}

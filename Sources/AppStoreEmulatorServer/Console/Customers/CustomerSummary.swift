import AppStoreEmulator
import WebSupport

/// The row of sums at the top of a customer's page.
struct CustomerSummary {
  let totals: CustomerTotals

  var html: HTML {
    let spent = totals.spent.map { Money.text($0.amount, $0.currency) }
    let values: [(name: String, value: HTML)] = [
      ("Total spent", spent.isEmpty ? "nothing" : HTML(spent.map { "<span class=\"sum\">\($0)</span>" })),
      ("Purchases", "\(totals.purchases)"), ("Refunds", "\(totals.refunds)"),
      ("Failed attempts", "\(totals.refusedPayments)"),
    ]
    return "<dl class=\"summary\">\(values.map { "<div><dt>\($0.name)</dt><dd>\($0.value)</dd></div>" as HTML })</dl>"
  }
}

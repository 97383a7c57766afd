import AppStoreEmulator
import ControlAPI
import StoreModel
import WebSupport

/// The page of a subscription: its state, its history as a drawing and as a table, and the forms to change it and to
/// travel in time.
struct SubscriptionPage {
  let subscription: RenewalRecord
  /// The newest steps, oldest first.
  let history: [RenewalRecord.Step]
  let customer: Customer?
  let names: ProductNames
  let now: StoreDate
  let calls: CallContext

  /// The maximum number of steps that the page shows.
  static let largestNumber = 100

  private var id: String { subscription.originalTransactionID.rawValue }

  var html: HTML {
    """
    <p class="crumb"><a href="/console/customers">Customers</a> › \
    \(ConsoleAddress.link(ConsoleAddress.customer(subscription.account, subscription.environment), .shortName(subscription.account.rawValue)))</p>
    <div class="headline" id="head" data-live>\(names.icon(subscription.productID, of: subscription.bundleID))<h1>\(HTML.shortName(names.name(subscription.productID, of: subscription.bundleID)))</h1>
    \(subscription.stateBadge)<span class="badge">\(subscription.environment.rawValue)</span></div>
    <section class="card" id="timeline" data-live aria-labelledby="timeline-title"><h2 id="timeline-title">Timeline</h2>
    \(SubscriptionDrawing(subscription, history, now: now).html)</section>
    <div class="two">
    <section class="card" id="state" data-live aria-labelledby="state-title"><h2 id="state-title">State</h2>\(details)</section>
    <section class="card" id="changes" data-live aria-labelledby="changes-title"><h2 id="changes-title">Change</h2>
    \(changes)</section>
    </div>
    <section id="history" data-live aria-labelledby="history-title"><h2 id="history-title">History</h2>\(steps)</section>
    """
  }

  private var details: HTML {
    var list = DetailList()
    list.add("Next period", names.cell(subscription.renewalProductID, of: subscription.bundleID))
    list.add(
      "Price of a renewal", text: Money.text(subscription.renewalPrice.amount, subscription.renewalPrice.currency))
    list.add("Announced price", text: subscription.announcedPrice.map { Money.text($0.amount, $0.currency) })
    list.add("Offer of the next period", text: subscription.renewalOffer.map { $0.identifier ?? $0.kind.rawValue })
    list.add("Automatic renewal", text: subscription.isAutoRenewOn ? "on" : "off")
    list.add("Current period from", subscription.periodStart.html)
    list.add("Renewal date", subscription.periodEnd.html)
    list.add("Access until", subscription.accessEnd.html)
    list.add("Billing retry until", subscription.retryEnd.map(\.html))
    list.add("Reason", text: RenewalRecord.text(ofExpirationIntent: subscription.expirationIntent))
    list.add(
      "Current transaction",
      "<a class=\"mono\" href=\"\(ConsoleAddress.transaction(subscription.currentTransactionID))\">\(subscription.currentTransactionID.rawValue)</a>"
    )
    list.add("App", chosen: subscription.bundleID.rawValue)
    list.add("Subscription group", chosen: subscription.groupID.rawValue)
    return list.html
  }

  private var changes: HTML {
    var forms: [HTML] = []
    if let date = subscription.nextEventDate {
      forms.append(
        form(
          APICall("travel", ControlEndpoints.changeClock, fields: [.constant("now", .date, date.text)]),
          "Travel to the next event"))
      forms.append("<p class=\"small muted\">Puts the store’s clock forward to \(date.html) UTC.</p>")
    }
    if subscription.nextEventDate != nil {
      let isOn = subscription.isAutoRenewOn
      forms.append(
        change(
          "renewal", .constant("isAutoRenewOn", .flag, isOn ? "false" : "true"),
          isOn ? "Cancel the subscription" : "Turn automatic renewal on"))
    }
    if subscription.needsPriceConsent {
      forms.append(change("agree", .constant("agreesToPrice", .flag, "true"), "Agree to the announced price"))
      forms.append(change("decline", .constant("agreesToPrice", .flag, "false"), "Decline the announced price"))
    } else if subscription.nextEventDate != nil, subscription.announcedPrice == nil {
      forms.append(
        change("price", .constant("priceIncrease", .text, "withConsent"), "Announce the catalog’s higher price"))
    }
    if subscription.state == .active {
      let date = subscription.periodEnd.adding(seconds: Self.extension)
      forms.append(change("extend", .constant("renewalDate", .date, date.text), "Extend by a week"))
    }
    if let customer {
      let isValid = customer.paymentMethod == .valid
      forms.append(
        form(
          APICall(
            "payment", ControlEndpoints.changeCustomer, customer.environment.lowercaseName, customer.name.rawValue,
            fields: [.constant("paymentMethod", .text, isValid ? "declined" : "valid")]),
          isValid ? "Decline the payment method" : "Make the payment method valid"))
    }
    return "\(forms)"
  }

  /// The time by which a form extends the subscription: a week, in seconds.
  private static let `extension`: Int64 = 7 * 86_400

  private func change(_ name: String, _ field: FormField, _ title: String) -> HTML {
    form(APICall(name, ControlEndpoints.changeSubscription, id, fields: [field]), title)
  }

  private func form(_ call: APICall, _ title: String) -> HTML {
    CallForm(call: call, title: title, calls: calls, isCompact: true).html
  }

  private var steps: HTML {
    let rows = history.reversed().map { step -> [HTML] in [step.date.html, "\(step.step.text)"] }
    return DataTable(
      caption: "Steps of the subscription, newest first", columns: [.init("Time"), .init("Step")], rows: rows
    ).html
  }
}

import OpenStoreKit
import SampleModel
import StoreModel
import WebSupport

/// A sheet of StoreKit, as HTML.
struct SheetView: Hashable, Sendable {
  let number: Int
  let prompt: StorePrompt
  /// The store's description of the product; empty if it is unknown.
  var text = ""
  /// The screen behind the sheet.
  let screen: AppScreen

  var html: HTML {
    """
    <dialog class="sheet" id="sheet-\(number)" data-sheet open aria-labelledby="sheet-title">
    <form method="post" action="/app/sheet" data-quiet>
    <input type="hidden" name="number" value="\(number)">
    <input type="hidden" name="screen" value="\(screen.rawValue)">
    <h2 id="sheet-title">\(prompt.title)</h2>
    \(content)
    </form>
    </dialog>
    """
  }

  private var content: HTML {
    switch prompt {
    case .signIn(let account, let refusal): signIn(account, refusal)
    case .confirmation(let quote): confirmation(quote)
    case .boughtBefore(let quote): boughtBefore(quote)
    case .planChangeScheduled(let quote): planChangeScheduled(quote)
    case .waitingForStore: waitingForStore
    case .paymentsNotAllowed: paymentsNotAllowed
    case .refund(let product): refund(product)
    case .message(let message): self.message(message)
    }
  }

  private func refund(_ product: ProductID) -> HTML {
    let reasons = RefundReason.allCases.map { reason in
      "<option value=\"\(reason.rawValue)\">\(reason.text)</option>" as HTML
    }
    return """
      <div class="sheet-name" tabindex="0" id="sheet-name" data-scroll>\(.name(SampleCatalog.name(of: product.rawValue) ?? "This purchase"))</div>
      <label for="sheet-reason">Reason</label>
      <select id="sheet-reason" name="reason" autofocus>\(reasons)</select>
      <p class="small muted">The App Store decides later.</p>
      \(buttons(.init("refund", "Request the refund")))
      """
  }

  private func message(_ message: StoreMessage) -> HTML {
    let text =
      switch message {
      case .priceIncreaseConsent:
        "Without your consent, the plan ends. You find the new price in Settings, under Subscriptions."
      case .billingIssue: "Your plan could not be renewed. Change your payment method in the store."
      case .winBackOffer: "You find the offer in Settings, under Subscriptions."
      case .generic: "Open Settings, then Subscriptions."
      }
    return "<p>\(text)</p>\(acknowledgement)"
  }

  private func signIn(_ account: String, _ refusal: String?) -> HTML {
    """
    \(refusal.map(refused) ?? reason)
    <label for="sheet-account">Account</label>
    <input id="sheet-account" name="account" value="\(account)" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="512" required\(" autofocus", if: account.isEmpty)>
    <label for="sheet-password-\(number)">Password</label>
    <input id="sheet-password-\(number)" name="password" type="password" autocomplete="current-password" maxlength="512" aria-describedby="sheet-hint"\(" autofocus", if: !account.isEmpty)>
    <p class="small muted" id="sheet-hint">Empty for a customer without a password.</p>
    \(buttons(.init("sign-in", "Sign in")))
    """
  }

  private func refused(_ reason: String) -> HTML {
    "<p class=\"sheet-refusal\" id=\"sheet-refusal\" role=\"alert\">\(.name(reason))</p>"
  }

  private var reason: HTML { "<p class=\"muted\">Sign in to buy and to restore purchases.</p>" }

  private func confirmation(_ quote: PaymentQuote) -> HTML {
    """
    <div class="sheet-name" tabindex="0" id="sheet-name" data-scroll>\(.name(quote.displayName))\(description)</div>
    <dl class="details">
    <dt>Quantity</dt><dd id="sheet-quantity">\(quote.payment.quantity)</dd>
    <dt>Unit price</dt><dd id="sheet-unit">\(.name(quote.unitPriceText))</dd>
    \(plan(quote))<dt class="sheet-total">Total</dt><dd class="sheet-total" id="sheet-total">\(.name(quote.totalText))</dd>
    <dt>Account</dt><dd id="sheet-payer">\(.shortName(quote.account.rawValue))</dd>
    </dl>
    \(buttons(.init("confirm", "Buy")))
    """
  }

  /// Returns the rows with the plan's period, offer and start date; empty if the product is not a plan.
  private func plan(_ quote: PaymentQuote) -> HTML {
    guard let plan = quote.plan else { return "" }
    return """
      <dt>Period</dt><dd id="sheet-period">\(plan.period.text)</dd>
      \(plan.offer.map { "<dt>Offer</dt><dd id=\"sheet-offer\">\(quote.text(of: $0))</dd>" } ?? "")
      <dt>Renewal</dt><dd id="sheet-renewal">\(Self.renewal(of: plan, in: quote)), until you cancel</dd>
      \(plan.startDate.map { "<dt>Begins</dt><dd id=\"sheet-start\">\($0.text) UTC</dd>" } ?? "")
      """
  }

  /// Returns the price and the interval of renewals, such as "Free of charge every month".
  private static func renewal(of plan: SubscriptionQuote, in quote: PaymentQuote) -> String {
    let interval = plan.period.value == 1 ? String(plan.period.text.dropFirst(2)) : plan.period.text
    let price = quote.unitPrice.amount == .zero ? "Free of charge" : quote.unitPriceText
    return "\(price) every \(interval)"
  }

  private func planChangeScheduled(_ quote: PaymentQuote) -> HTML {
    """
    <p>The new plan begins on \(quote.plan?.startDate?.text) UTC. Nothing was charged now.</p>
    <div class="sheet-name" tabindex="0" id="sheet-name" data-scroll>\(.name(quote.displayName))</div>
    \(acknowledgement)
    """
  }

  private func boughtBefore(_ quote: PaymentQuote) -> HTML {
    """
    <p>You own it already. It is delivered again, and nothing is charged.</p>
    <div class="sheet-name" tabindex="0" id="sheet-name" data-scroll>\(.name(quote.displayName))</div>
    \(acknowledgement)
    """
  }

  private var waitingForStore: HTML {
    """
    <p role="status">The App Store does not answer at the moment. The purchase continues when it does.</p>
    <div class="sheet-buttons"><button name="answer" value="cancel" id="sheet-cancel" data-cancel autofocus>Cancel</button></div>
    """
  }

  private var paymentsNotAllowed: HTML {
    """
    <p>Purchases are restricted on this device. Nothing was charged. They can be allowed in the device’s settings.</p>
    \(acknowledgement)
    """
  }

  private var acknowledgement: HTML {
    """
    <div class="sheet-buttons"><button class="button-primary" name="answer" value="acknowledge" id="sheet-acknowledge" data-cancel autofocus>OK</button></div>
    """
  }

  private var description: HTML { text.isEmpty ? .empty : "<p class=\"sheet-text\">\(.name(text))</p>" }

  /// The button beside Cancel: the answer that it sends, and its title.
  private struct Assent {
    let answer: String
    let title: String

    init(_ answer: String, _ title: String) {
      self.answer = answer
      self.title = title
    }
  }

  private func buttons(_ assent: Assent) -> HTML {
    """
    <div class="sheet-buttons">
    <button class="button-primary" name="answer" value="\(assent.answer)" id="sheet-\(assent.answer)">\(assent.title)</button>
    <button name="answer" value="cancel" id="sheet-cancel" data-cancel formnovalidate>Cancel</button>
    </div>
    """
  }
}

extension RefundReason {
  fileprivate var text: String {
    switch self {
    case .unintendedPurchase: "I did not mean to buy this"
    case .fulfillmentIssue: "I have not received it, or it does not work"
    case .unsatisfiedWithPurchase: "I am not satisfied with it"
    case .legal: "A legal reason"
    case .other: "Another reason"
    }
  }
}

import Foundation
import PurchaseKit
import WebSupport

/// The screen of monkey credits and of pages to print.
struct CreditsView: Hashable, Sendable {
  /// The section "Pages to print". The developer's server stores the balance of these credits.
  struct Printing: Hashable, Sendable {
    let balance: String
    /// The reason why the pages are frozen; nil if they can be used.
    var freeze: CreditFreeze?
    let lines: [ShopItem]
    /// Identifies the next spend, so that a form sent twice spends once.
    var key = UUID()
  }

  /// The place where the monkey credits are stored.
  enum Place: Hashable, Sendable {
    /// The developer's server. `asOf` is when it was last asked for the balance; nil if it was not asked yet.
    case server(asOf: Date?)
    case device
  }

  let balance: String
  /// The reason why the credits are frozen; nil if they can be used.
  let freeze: CreditFreeze?
  let lines: [ShopItem]
  /// The section "Pages to print"; nil for an app without a server.
  let printing: Printing?
  /// Where the monkey credits are stored.
  let place: Place
  let isRestricted: Bool
  /// Identifies the next spend, so that a form sent twice spends once.
  var key = UUID()

  var html: HTML {
    """
    <h1>Monkey credits</h1>
    <div aria-live="polite"><p class="balance" id="credits-balance" data-live>\(balance)</p></div>
    <div id="credits-frozen" data-live>\(Self.frozen(freeze, "credits"))</div>
    <div id="credits-place" data-live>\(storage)</div>
    \(lines.html(on: .credits, "credits-shop"))
    <form method="post" action="/app/spend" class="group spend" data-quiet>
    \(Self.field(key, "spend-key"))
    <label for="spend-amount">Spend credits on monkeys</label>
    <div class="spend-row">
    <input id="spend-amount" name="amount" type="number" inputmode="numeric" min="1" max="1000000" value="1" required>
    <span id="spend-act" data-live><button id="spend-button"\(" disabled aria-describedby=\"credits-frozen\"", if: freeze != nil)>Spend</button></span>
    </div>
    </form>
    <div id="credits-restricted" data-live>\(restricted)</div>
    <h2>Pages to print</h2>
    \(printing.map(print) ?? "<p class=\"hint\">The developer’s server keeps the balance of pages. Start the device with --server to buy some.</p>")
    """
  }

  private var storage: HTML {
    switch place {
    case .device:
      return "<p class=\"hint\">Stored on this device only. A backup keeps them.</p>"
    case .server(let date):
      let asked: HTML = date.map { ", as of \(Self.time($0)) UTC" } ?? .empty
      return """
        <p class="hint">Stored by the developer’s server\(asked). Your other devices have them after <i>Restore purchases</i>, if you own a filter, a book or a membership: it shows the server that the devices are yours.</p>
        <form method="post" action="/app/credits/refresh" data-quiet><button class="button-plain" id="credits-refresh">Refresh</button></form>
        """
    }
  }

  private static func time(_ date: Date) -> String { date.formatted(.iso8601.time(includingFractionalSeconds: false)) }

  /// Returns the explanation of a freeze, with the button that gives the credits up.
  ///
  /// - Parameter unit: "credits" or "pages", also in the ids of the elements.
  private static func frozen(_ freeze: CreditFreeze?, _ unit: String) -> HTML {
    guard let freeze else { return .empty }
    return """
      <form method="post" action="/app/\(unit)/discard" class="group" data-quiet>
      <p class="hint">\(explanation(for: freeze, unit)) \(loss(of: freeze, unit))</p>
      <button id="\(unit)-discard">Start with 0 \(unit)</button>
      </form>
      """
  }

  /// Returns the explanation of a freeze, and what brings the credits back. After a reinstallation, the text does not say
  /// that the credits cannot be trusted, because the customer did nothing wrong.
  private static func explanation(for freeze: CreditFreeze, _ unit: String) -> String {
    let backup = "A backup brings \(unit) back: restore it in the device’s settings."
    let noSale = "\(unit.capitalized) cannot be bought while they are frozen."
    return switch freeze.reason {
    case .reinstalled:
      "The app was deleted and installed again. Credits are stored on the device only, and were deleted with it. \(backup)"
    case .registrationLost:
      "The developer’s server does not recognise this device any more. Restore purchases brings \(unit) back, if you own a filter, a book or a membership. \(noSale)"
    default:
      "The stored \(unit) cannot be trusted, because \(freeze.reason). \(noSale) \(backup)"
    }
  }

  /// Returns a sentence that says how many credits the customer loses by starting again with 0 credits.
  private static func loss(of freeze: CreditFreeze, _ unit: String) -> String {
    let start = "If you start with 0 \(unit), you lose"
    return switch freeze.lostBalance {
    case nil: "\(start) the \(unit) that you had not spent. Their number is not known."
    case 0: "\(start) nothing: all \(unit) were spent."
    case .some(let balance): "\(start) \(balance) \(unit)."
    }
  }

  /// A button that adds a payment although purchases are restricted. It shows StoreKit's reaction to an app that does
  /// not check the restrictions.
  private var restricted: HTML {
    guard isRestricted, let line = lines.first else { return .empty }
    return """
      <form method="post" action="/app/buy-anyway" class="group" data-quiet>
      <input type="hidden" name="screen" value="credits">
      <input type="hidden" name="product" value="\(line.product)">
      <p class="hint">Purchases are restricted on this device. To see the failure of an app that does not check this:</p>
      <button id="buy-anyway">Add a payment anyway</button>
      </form>
      """
  }

  private func print(_ printing: Printing) -> HTML {
    """
    <div aria-live="polite"><p class="balance balance-small" id="pages-balance" data-live>\(printing.balance)</p></div>
    <div id="pages-frozen" data-live>\(Self.frozen(printing.freeze, "pages"))</div>
    \(printing.lines.html(on: .credits, "pages-shop"))
    <form method="post" action="/app/pages/spend" class="group spend" data-quiet>
    \(Self.field(printing.key, "print-key"))
    <label for="print-amount">Print pages</label>
    <div class="spend-row">
    <input id="print-amount" name="amount" type="number" inputmode="numeric" min="1" max="1000000" value="1" required>
    <span id="print-act" data-live><button id="print-button"\(" disabled aria-describedby=\"pages-frozen\"", if: printing.freeze != nil)>Print</button></span>
    </div>
    </form>
    <form method="post" action="/app/pages/refresh" data-quiet><button class="button-plain" id="pages-refresh">Refresh</button></form>
    """
  }

  /// Returns a hidden field with the key. The field is a live region (`data-live`) of its own, so that each update of
  /// the page renews the key.
  private static func field(_ key: UUID, _ id: String) -> HTML {
    "<span id=\"\(id)\" data-live><input type=\"hidden\" name=\"key\" value=\"\(key.uuidString)\"></span>"
  }
}

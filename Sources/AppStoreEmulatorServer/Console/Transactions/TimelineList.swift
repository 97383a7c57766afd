import AppStoreEmulator
import StoreModel
import WebSupport

/// The timeline of a purchase, oldest entry first. Of a longer timeline, it shows the newest entries.
struct TimelineList {
  let entries: [TimelineEntry]

  /// The maximum number of entries.
  static let largestNumber = 500

  var html: HTML {
    let shown = entries.suffix(Self.largestNumber)
    let rest: HTML =
      shown.count < entries.count
      ? "<p class=\"muted\">The newest \(shown.count). The control API has the older ones.</p>" : ""
    return
      "\(rest)<ol class=\"timeline card\">\(shown.map { "<li>\($0.date.html)<span>\(Self.text($0.event))</span></li>\n" as HTML })</ol>"
  }

  private static func text(_ event: TimelineEntry.Event) -> HTML {
    switch event {
    case .request(let request):
      let fault: HTML = request.fault.map { " · fault \(HTML.shortName($0.id.rawValue, limit: 40)) struck" } ?? ""
      return
        "<span class=\"mono\">\(request.metadata.kind.rawValue)</span>: \(OutcomeText.text(request.outcome))\(fault)"
    case .approvalAwaited(_, let installation):
      return "Confirmed on \(HTML.name(installation.rawValue)); waits for approval"
    case .approved: return "Approved"
    case .purchased(let charge):
      guard let charge else { return "Bought; nothing was to pay" }
      return "Bought: \(Money.text(charge.amount, charge.currency)) charged"
    case .shared(let id): return "Shared by the family: it is \(link(id)) of another member"
    case .sharedWith(let account, let id): return "Shared with \(HTML.shortName(account.rawValue)) as \(link(id))"
    case .finished(let id, let installation):
      let place: HTML = installation.map { " on \(HTML.name($0.rawValue))" } ?? ""
      return "Finished\(place) as <span class=\"mono\">\(id.rawValue)</span>"
    case .redelivered(let redelivery):
      return """
        Delivered once more to \(HTML.name(redelivery.installationID.rawValue)), without charge, as \
        <span class="mono">\(redelivery.transactionID.rawValue)</span>
        """
    case .refundRequested(let request):
      return "The customer asked for a refund: \(RefundRequestCard.title(request.reason))"
    case .refundDecided(let request):
      switch request.outcome {
      case .declined: return "The request for a refund was declined"
      case .prorated:
        return
          "The request for a refund was granted in part\(request.percentage.map { " (\(Percentage.text($0)))" } ?? "")"
      case .full, nil: return "The request for a refund was granted"
      }
    case .refunded(let refund): return "Refunded: \(Money.text(refund.amount, refund.currency)) given back"
    case .refundReversed(let refund):
      return "Refund reversed: \(Money.text(Milliunits(-refund.amount.rawValue), refund.currency)) paid after all"
    case .revoked: return "Revoked, without a refund"
    }
  }

  private static func link(_ id: TransactionID) -> HTML {
    "<a class=\"mono\" href=\"\(ConsoleAddress.transaction(id))\">\(id.rawValue)</a>"
  }
}

import AppStoreEmulator
import StoreModel
import WebSupport

/// A subscription's history as a horizontal bar: when it was paid, in a grace period, in billing retry, or ended.
struct SubscriptionDrawing {
  enum Phase: String, CaseIterable {
    case paid, grace, retry, lapsed

    var title: String {
      switch self {
      case .paid: "Paid"
      case .grace: "Grace period"
      case .retry: "Billing retry"
      case .lapsed: "No subscription"
      }
    }
  }

  struct Segment: Equatable {
    let phase: Phase
    let start: StoreDate
    let end: StoreDate
  }

  let segments: [Segment]

  /// - Parameters:
  ///   - history: the steps in the order in which they happened.
  ///   - now: the store's date. The last segment ends at `now`, or at the end of the access or billing retry if that is
  ///     later.
  init(_ subscription: RenewalRecord, _ history: [RenewalRecord.Step], now: StoreDate) {
    let marks = history.compactMap { step in Self.phase(after: step.step).map { (phase: $0, date: step.date) } }
    let end = max(now, [subscription.accessEnd, subscription.retryEnd].compactMap(\.self).max() ?? now)
    var segments: [Segment] = []
    for (index, mark) in marks.enumerated() {
      let next = index + 1 < marks.count ? marks[index + 1].date : end
      guard next > mark.date else { continue }
      segments.append(Segment(phase: mark.phase, start: mark.date, end: next))
    }
    self.segments = segments
  }

  /// The phase that begins with a step; nil if the step does not begin a phase.
  private static func phase(after step: SubscriptionStep) -> Phase? {
    switch step {
    case .subscribed, .resubscribed, .renewed, .recovered, .upgraded, .refundReversed: .paid
    case .gracePeriodBegan: .grace
    case .billingRetryBegan, .gracePeriodEnded: .retry
    case .expired, .revoked: .lapsed
    case .planChosen, .planChoiceCancelled, .offerRedeemed, .billingRetryEnded, .autoRenewOn, .autoRenewOff,
      .priceIncreaseAnnounced, .priceIncreaseAgreed, .priceIncreaseDeclined, .renewalDateExtended:
      nil
    }
  }

  private static let width = 1_000.0

  var html: HTML {
    guard let first = segments.first?.start, let last = segments.last?.end, last > first else { return "" }
    let length = Double(last.millisecondsSince1970 - first.millisecondsSince1970)
    func position(_ date: StoreDate) -> Double {
      Double(date.millisecondsSince1970 - first.millisecondsSince1970) / length * Self.width
    }
    let bars = segments.map { segment -> HTML in
      let (left, right) = (position(segment.start), position(segment.end))
      let title = "\(segment.phase.title): \(segment.start.wholeSeconds.text) to \(segment.end.wholeSeconds.text) UTC"
      return """
        <rect class="phase-\(segment.phase.rawValue)" x="\(SVGNumber.text(left))" y="0" width="\(SVGNumber.text(max(1, right - left - 1)))" height="28">\
        <title>\(title)</title></rect>
        """
    }
    let legend = Phase.allCases.filter { phase in segments.contains { $0.phase == phase } }.map { phase -> HTML in
      "<span class=\"key\"><span class=\"key-\(phase.rawValue)\"></span>\(phase.title)</span>"
    }
    return """
      <svg class="phases" viewBox="0 0 1000 28" preserveAspectRatio="none" role="img" aria-label="\(summary)">\(bars)</svg>
      <p class="between small"><span>\(first.wholeSeconds.html)</span><span class="keys">\(legend)</span><span>\(last.wholeSeconds.html)</span></p>
      """
  }

  /// The segments as a sentence, for people who do not see the drawing.
  private var summary: String {
    segments.map { "\($0.phase.title) from \($0.start.wholeSeconds.text)" }.joined(separator: ", ")
  }
}

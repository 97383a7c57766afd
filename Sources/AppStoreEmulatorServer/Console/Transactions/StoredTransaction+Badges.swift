import AppStoreEmulator
import StoreModel
import WebSupport

extension StoredTransaction {
  /// The state of the transaction, as badges.
  var stateBadges: HTML {
    let shared: HTML = record.ownership == .familyShared ? " <span class=\"badge\">shared</span>" : ""
    return "\(Self.badge(self))\(shared)"
  }

  private static func badge(_ stored: StoredTransaction) -> HTML {
    switch stored.state {
    case .unfinished: return "<span class=\"badge badge-wait\">unfinished</span>"
    case .finished: return "<span class=\"badge badge-good\">finished</span>"
    case .refunded:
      guard stored.record.revocationType != .familyRevoke else {
        return "<span class=\"badge badge-bad\">no longer shared</span>"
      }
      let percentage = stored.record.revocationPercentage ?? 100_000
      guard percentage < 100_000 else { return "<span class=\"badge badge-bad\">refunded</span>" }
      return "<span class=\"badge badge-bad\">refunded in part (\(Percentage.text(percentage)))</span>"
    }
  }
}

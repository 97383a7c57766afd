import Foundation
import SampleModel
import StoreModel
import WebSupport

/// The screen of the photo club: the membership, its lessons, and the plans.
struct ClubView: Hashable, Sendable {
  let membership: ClubModel.Membership
  /// The name of the plan in the membership; empty if it is not known.
  let planName: String
  let lessons: [ClubModel.Lesson]
  /// The developer's text above the plans; nil for none.
  let headline: String?
  let plans: [ShopItem]
  let canRestore: Bool

  var html: HTML {
    """
    <h1>Photo club</h1>
    <div aria-live="polite"><p class="hint" id="membership" data-live>\(.shortName(text, limit: 300))</p></div>
    <ul class="lines" id="lessons" data-live>\(lessons.map(row))</ul>
    <h2>Plans</h2>
    <div id="club-headline" data-live>\(headline.map { "<p class=\"hint\">\(HTML.shortName($0, limit: 300))</p>" })</div>
    \(plans.html(on: .club, "club-shop"))
    <div class="actions" id="club-actions" data-live>
    <a class="button" id="manage" href="\(AppScreen.subscriptions.address)">Manage subscription</a>
    \(RestoreButton(screen: .club, canRestore: canRestore).html)
    </div>
    """
  }

  private var text: String {
    let plan = planName.isEmpty ? "the club" : planName
    return switch membership {
    case .unknown: "The app does not know yet whether you are a member. Restore your purchases to find out."
    case .none: "Join the club to open its lessons."
    case .member(_, let end): "You are a member: \(plan), until \(Self.day(end))."
    case .gracePeriod(_, let end):
      "Your payment was declined. Your lessons stay open until \(Self.day(end)). Change your payment method to keep \(plan)."
    case .ended(_, let end): "Your membership ended on \(Self.day(end)). Join again to open the lessons."
    case .refunded(_, let date): "Your membership was refunded on \(Self.day(date))."
    }
  }

  static func day(_ date: Date) -> String { String(StoreDate(date).text.prefix(10)) }

  private func row(_ lesson: ClubModel.Lesson) -> HTML {
    """
    <li class="line lesson"><div class="line-body"><p class="line-title">\(lesson.title)</p>\(lesson.text.map(Self.open) ?? Self.locked)</div></li>
    """
  }

  private static func open(_ text: String) -> HTML { "<p class=\"line-text\">\(text)</p>" }

  private static let locked: HTML = "<p class=\"line-text muted\">🔒 For members</p>"
}

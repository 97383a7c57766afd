/// A screen of the phone's page.
package enum AppScreen: String, Codable, Hashable, Sendable, CaseIterable {
  /// The phone's home screen, with its apps.
  case home
  case credits
  case filters
  case books
  case club
  /// The phone's settings.
  case settings
  /// The part of the phone's settings where a person changes subscriptions.
  case subscriptions
  /// The part of the phone's settings where a person sees purchases, and requests refunds.
  case purchases
  /// The App Store on the phone, where a person begins purchases that the app continues.
  case appStore

  /// The app's screens, in the order of its tabs.
  package static let ofApp: [AppScreen] = [.credits, .filters, .books, .club]

  package var title: String {
    switch self {
    case .home: "Home"
    case .credits: "Credits"
    case .filters: "Filters"
    case .books: "Books"
    case .club: "Club"
    case .settings: "Settings"
    case .subscriptions: "Subscriptions"
    case .purchases: "Purchases"
    case .appStore: "App Store"
    }
  }

  /// The screen's address on the phone's page.
  package var address: String { "/?screen=\(rawValue)" }
}

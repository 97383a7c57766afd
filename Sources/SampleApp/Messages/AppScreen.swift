/// A screen of the phone's page.
package enum AppScreen: String, Codable, Hashable, Sendable, CaseIterable {
  /// The phone's home screen, with its apps.
  case home
  case credits
  case filters
  case books
  /// The phone's settings.
  case settings

  /// The app's screens, in the order of its tabs.
  package static let ofApp: [AppScreen] = [.credits, .filters, .books]

  package var title: String {
    switch self {
    case .home: "Home"
    case .credits: "Credits"
    case .filters: "Filters"
    case .books: "Books"
    case .settings: "Settings"
    }
  }

  /// The screen's address on the phone's page.
  package var address: String { "/?screen=\(rawValue)" }
}

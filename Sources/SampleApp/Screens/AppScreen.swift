/// A screen that a page of a phone can show.
package enum AppScreen: String, Codable, Hashable, Sendable, CaseIterable {
  /// The phone's own: which apps there are.
  case home
  case credits
  case filters
  case books
  /// The phone's own.
  case settings

  /// Those of the app, in the order of its tabs.
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

  /// Where the phone shows it.
  package var address: String { "/?screen=\(rawValue)" }
}

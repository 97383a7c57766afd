/// What the app gives the phone to frame: HTML that it made.
package struct AppFragment: Codable, Hashable, Sendable {
  /// Of the screen that is open; empty on a screen of the phone's own.
  package let screen: String
  /// A sheet of StoreKit's or an alert of the app's, over whatever is shown; at most one.
  package let sheet: String

  package init(screen: String, sheet: String) {
    self.screen = screen
    self.sheet = sheet
  }
}

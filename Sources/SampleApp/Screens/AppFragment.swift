/// The HTML that the app makes for the phone's page.
package struct AppFragment: Codable, Hashable, Sendable {
  /// The content of the open screen; empty on the phone's own screens.
  package let screen: String
  /// A sheet of StoreKit or an alert of the app, shown over the screen; empty for none.
  package let sheet: String

  package init(screen: String, sheet: String) {
    self.screen = screen
    self.sheet = sheet
  }
}

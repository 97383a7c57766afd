/// A sheet, a question or an alert over the app's screen. It waits for the customer's answer.
package struct AppPrompt: Codable, Hashable, Sendable {
  package enum Kind: String, Codable, Hashable, Sendable {
    /// A sheet of StoreKit.
    case sheet
    /// A question of the app.
    case question
    /// A message of the app.
    case alert
  }

  package let kind: Kind
  /// The title of a sheet or a question, or the text of an alert.
  package let text: String

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}

import StoreModel

/// An error with a message for the app's customer.
///
/// Its `description` is for developers and logs: it contains product identifiers, file names and technical reasons. The
/// customer's message has the names that the customer knows, and says what the customer can do.
public protocol CustomerFacingError: DescribedError {
  func customerMessage(_ names: CustomerNames) -> String
}

/// The names that the app's customers know.
public struct CustomerNames: Sendable {
  /// The name of the credits, in the plural and in lower case, such as "pages". It ends with an s.
  public let credits: String
  private let title: @Sendable (_ productIdentifier: String) -> String?

  /// - Parameters:
  ///   - credits: the name of the credits, in the plural and in lower case.
  ///   - title: returns the title of a product; nil if it is not known.
  public init(
    credits: String = "credits", title: @escaping @Sendable (_ productIdentifier: String) -> String? = { _ in nil }
  ) {
    self.credits = credits
    self.title = title
  }

  /// Returns a number of credits with their name, such as "1 page" and "2 pages".
  public func number(_ count: Int) -> String {
    "\(count) \(count == 1 && credits.hasSuffix("s") ? String(credits.dropLast()) : credits)"
  }

  /// Returns the title of a product in quotation marks, or "this product" if the title is not known. It is
  /// not meant for the beginning of a sentence.
  public func product(_ productIdentifier: String) -> String {
    guard let title = title(productIdentifier), !title.isEmpty else { return "this product" }
    return "“\(title)”"
  }
}

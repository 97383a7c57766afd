import Hummingbird

/// The reason why a sign-in is refused.
package enum SignInRefusal: Error, Equatable {
  case wrongToken
  case tooManyAttempts(seconds: Int64)
}

/// The sessions of a site's browsers.
package protocol SiteAccess: Sendable {
  /// Begins a session if the token is right, and returns the value of the session's cookie.
  ///
  /// - Parameter address: the browser's address; nil in tests without a connection.
  /// - Throws: ``SignInRefusal``; other errors if the token cannot be checked.
  func signIn(token: String, from address: NetworkAddress?) async throws -> String

  /// Whether a request may have the site's pages.
  ///
  /// - Parameter cookie: the value of the session's cookie; nil if the request has none.
  /// - Throws: ``ErrorResponse`` if the request is refused without a sign-in page.
  func admits(_ request: Request, cookie: String?, from address: NetworkAddress?) async throws -> Bool

  /// Ends a session.
  func end(_ cookie: String) async throws
}

/// The texts of a site's sign-in page.
package struct SignInText: Sendable {
  /// Says what the token is, and how long a session lasts.
  let explanation: String
  /// The label of the token's field.
  let label: String
  /// The refusal of a wrong token.
  let refusal: String
  /// What there were too many of: `wrong tokens`.
  let wrongOnes: String

  package init(explanation: String, label: String, refusal: String, wrongOnes: String) {
    self.explanation = explanation
    self.label = label
    self.refusal = refusal
    self.wrongOnes = wrongOnes
  }
}

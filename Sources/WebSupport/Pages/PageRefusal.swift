import HTTPTypes

/// Thrown if a page cannot be shown. Contains the status and the reason as text.
package struct PageRefusal: Error {
  package let status: HTTPResponse.Status
  package let text: String

  package init(_ status: HTTPResponse.Status, _ text: String) {
    self.status = status
    self.text = text
  }

  /// The refusal of a page's address or form.
  package init(_ refusal: ErrorResponse) {
    // The message of this status is about the bytes of a body.
    let isTooLarge = refusal.status == .contentTooLarge
    self.init(
      refusal.status,
      isTooLarge ? "The form or its file is too large." : refusal.message ?? refusal.status.reasonPhrase)
  }
}

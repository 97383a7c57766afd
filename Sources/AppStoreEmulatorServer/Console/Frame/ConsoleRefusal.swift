import AppStoreEmulator
import HTTPTypes
import StoreModel
import WebSupport

/// Thrown if a page cannot be shown. Contains the status and the reason as text.
struct ConsoleRefusal: Error {
  let status: HTTPResponse.Status
  let text: String

  init(_ status: HTTPResponse.Status, _ text: String) {
    self.status = status
    self.text = text
  }

  /// The refusal that an error causes; nil if it is an internal error.
  init?(_ error: any Error) {
    switch error {
    case let refusal as ConsoleRefusal: self = refusal
    case let error as AppStoreEmulatorError:
      switch error {
      case .unknownApp, .unknownCustomer, .unknownInstallation, .unknownProduct, .unknownTransaction,
        .unknownSubscription, .unknownFault, .unknownRequest, .unknownNotification:
        self.init(.notFound, error.description)
      default: self.init(.conflict, error.description)
      }
    case let refusal as StoreRefusal: self.init(.conflict, refusal.message)
    case let refusal as ErrorResponse:
      self.init(
        refusal.status,
        refusal.status == .contentTooLarge ? "The form or its file is too large." : "The address cannot be read.")
    default: return nil
    }
  }
}

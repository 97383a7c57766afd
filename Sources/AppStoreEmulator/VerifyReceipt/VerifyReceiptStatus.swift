/// What `verifyReceipt` says of a receipt. Implements Apple's "status" (App Store Receipts).
public enum VerifyReceiptStatus: Int, Hashable, Codable, Sendable {
  case valid = 0
  /// The request was not an HTTP POST of a JSON object.
  case unreadableRequest = 21000
  /// `receipt-data` is missing or no receipt.
  case malformedReceipt = 21002
  /// Not signed by this store.
  case notAuthenticated = 21003
  /// `password` is not the app's shared secret.
  case wrongSharedSecret = 21004
  /// A sandbox receipt, sent to production.
  case sandboxReceiptSentToProduction = 21007
  /// A production receipt, sent to the sandbox.
  case productionReceiptSentToSandbox = 21008
  /// The app, or its customer, is not known.
  case accountNotFound = 21010
}

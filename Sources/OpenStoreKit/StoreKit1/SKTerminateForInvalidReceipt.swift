import Foundation

/// Ends the app, because its licence has expired or its receipt is invalid.
///
/// The process ends with status 173, by which Apple's systems recognise an app with an invalid receipt. Implements
/// Apple's `SKTerminateForInvalidReceipt`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func SKTerminateForInvalidReceipt() {
  // The app ends even if the message cannot be written.
  try? FileHandle.standardError.write(
    contentsOf: Data("StoreKit: the app ended itself, because its receipt is not valid.\n".utf8))
  exit(173)
}

import Foundation

/// Ends the app, because its licence has expired or its receipt cannot be believed.
///
/// The process ends with status 173, the number Apple's systems know an app with an invalid receipt by. Implements
/// Apple's `SKTerminateForInvalidReceipt`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func SKTerminateForInvalidReceipt() {
  // Where it cannot be said, the app ends all the same.
  try? FileHandle.standardError.write(
    contentsOf: Data("StoreKit: the app ended itself, because its receipt is not valid.\n".utf8))
  exit(173)
}

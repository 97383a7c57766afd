/// The place where the monkey credits are stored. An installation of the app keeps the place with which it was made.
package enum CreditsPlace: String, Codable, Hashable, Sendable, CaseIterable {
  /// The developer's purchase server, so that all of the customer's devices have them.
  case server
  /// The vault of this device.
  case device

  /// Returns the place that is used unless another one is chosen.
  ///
  /// - Parameter hasServer: whether the app has a purchase server.
  package static func usual(hasServer: Bool) -> CreditsPlace { hasServer ? .server : .device }
}

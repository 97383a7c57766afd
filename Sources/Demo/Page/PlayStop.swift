/// Thrown when a play cannot continue. The page shows its text.
struct PlayStop: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// - Parameter program: the device or the store on which it happened; nil if it is not known.
  init(_ text: String, on program: String?) {
    description = program.map { "\($0.prefix(1).uppercased())\($0.dropFirst()): \(text)" } ?? text
  }

  static func noButton(_ button: DeviceButton, on device: String) -> PlayStop {
    let product = button.product.map { " for \(ProductNames.name(of: $0))" } ?? ""
    return PlayStop(
      """
      there is no button “\(button.title)”\(product) now. Perhaps it was done already, the app is closed, or another purchase is under \
      way.
      """, on: device)
  }
}

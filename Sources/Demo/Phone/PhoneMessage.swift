/// A message to the phone's owner, shown beside the settings.
struct PhoneMessage: Hashable, Sendable {
  let text: String
  let isBad: Bool

  static func good(_ text: String) -> PhoneMessage { PhoneMessage(text: text, isBad: false) }
  static func bad(_ text: String) -> PhoneMessage { PhoneMessage(text: text, isBad: true) }
}

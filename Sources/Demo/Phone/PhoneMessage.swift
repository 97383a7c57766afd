/// A message to the phone's owner, shown beside the settings.
struct PhoneMessage: Hashable, Sendable {
  let words: String
  let isBad: Bool

  static func good(_ words: String) -> PhoneMessage { PhoneMessage(words: words, isBad: false) }
  static func bad(_ words: String) -> PhoneMessage { PhoneMessage(words: words, isBad: true) }
}

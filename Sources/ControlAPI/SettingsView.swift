import APIDescription
import AppStoreEmulator

/// The settings of the store.
package struct SettingsView: APIObject {
  package static let schemaName = "Settings"

  package let locale: String?
  package let documented21003: Bool
  package let lenientBase64: Bool
  package let rateLimits: Bool

  package static let notes: [String: MemberNote] = [
    "locale": "The locale of titles and descriptions in all storefronts. Missing: the languages of each storefront.",
    "documented21003": .init(Self.documented21003Note, defaultValue: .boolean(false)),
    "lenientBase64": .init(Self.lenientBase64Note, defaultValue: .boolean(false)),
    "rateLimits": .init(Self.rateLimitsNote, defaultValue: .boolean(false)),
  ]

  fileprivate static let documented21003Note =
    "Whether verifyReceipt answers a receipt with a bad signature, certificate or content with 21003, as Apple documents. Apple's endpoint answers 21002."
  fileprivate static let lenientBase64Note =
    "Whether verifyReceipt ignores white space in the base64 of receipts. Apple's endpoint answers 21002."

  fileprivate static let rateLimitsNote =
    "Whether the App Store Server API refuses more requests than Apple's documented limits allow."

  package init(_ settings: StoreSettings) {
    locale = settings.locale
    documented21003 = settings.documented21003
    lenientBase64 = settings.lenientBase64
    rateLimits = settings.rateLimits
  }
}

/// A change of the store's settings. Missing members are left unchanged.
package struct SettingsChange: APIObject {
  package let locale: String??
  package let documented21003: Bool?
  package let lenientBase64: Bool?
  package let rateLimits: Bool?

  package static let notes: [String: MemberNote] = [
    "locale": .init(
      "A language with an optional script and region, such as de, de_DE or zh_Hant_TW: the locale of titles and descriptions in all storefronts. Null: the languages of each storefront.",
      isNullable: true),
    "documented21003": .init(SettingsView.documented21003Note),
    "lenientBase64": .init(SettingsView.lenientBase64Note),
    "rateLimits": .init(SettingsView.rateLimitsNote),
  ]

  private enum CodingKeys: String, CodingKey { case locale, documented21003, lenientBase64, rateLimits }

  package init(
    locale: String?? = nil, documented21003: Bool? = nil, lenientBase64: Bool? = nil, rateLimits: Bool? = nil
  ) {
    self.rateLimits = rateLimits
    self.locale = locale
    self.documented21003 = documented21003
    self.lenientBase64 = lenientBase64
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    locale = container.contains(.locale) ? .some(try container.decodeIfPresent(String.self, forKey: .locale)) : nil
    documented21003 = try container.decodeIfPresent(Bool.self, forKey: .documented21003)
    lenientBase64 = try container.decodeIfPresent(Bool.self, forKey: .lenientBase64)
    rateLimits = try container.decodeIfPresent(Bool.self, forKey: .rateLimits)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if let locale { try container.encode(locale, forKey: .locale) }
    try container.encodeIfPresent(documented21003, forKey: .documented21003)
    try container.encodeIfPresent(lenientBase64, forKey: .lenientBase64)
    try container.encodeIfPresent(rateLimits, forKey: .rateLimits)
  }
}

import Foundation
import StoreModel

/// The settings of a store that the control API changes. A reset returns them to their defaults; a snapshot contains them.
public struct StoreSettings: Hashable, Sendable {
  /// The locale of product texts in all storefronts, such as `de_DE`; nil for the languages of each storefront.
  public var locale: String?
  /// Whether `verifyReceipt` refuses a receipt with a bad signature, certificate or content with 21003, as Apple
  /// documents. Apple's endpoint was measured to answer 21002, which is the default.
  public var documented21003 = false
  /// Whether `verifyReceipt` ignores white space in the base64 of receipts. Apple's endpoint does not.
  public var lenientBase64 = false
  /// Whether the App Store Server API refuses more requests than Apple's documented limits allow.
  public var rateLimits = false

  public init(
    locale: String? = nil, documented21003: Bool = false, lenientBase64: Bool = false, rateLimits: Bool = false
  ) {
    self.locale = locale
    self.documented21003 = documented21003
    self.lenientBase64 = lenientBase64
    self.rateLimits = rateLimits
  }

  /// Returns the settings with the locale in the form `language_Script_REGION`.
  ///
  /// - Throws: ``AppStoreEmulatorError/invalidLocale(_:)``.
  func checked() throws(AppStoreEmulatorError) -> StoreSettings {
    var settings = self
    if let locale {
      guard let written = Self.written(locale) else { throw .invalidLocale(locale) }
      settings.locale = written
    }
    return settings
  }

  /// A locale in the form `language_Script_REGION`; nil if it is none. Script and region are optional, and may be
  /// separated by hyphens.
  private static func written(_ locale: String) -> String? {
    guard let match = locale.wholeMatch(of: /([A-Za-z]{2,3})(?:[_\-]([A-Za-z]{4}))?(?:[_\-]([A-Za-z]{2}|[0-9]{3}))?/)
    else { return nil }
    let language = match.1.lowercased()
    let region = match.3?.uppercased()
    guard Locale.LanguageCode(language).isISOLanguage, region.map({ Locale.Region($0).isISORegion }) ?? true else {
      return nil
    }
    return [language, match.2?.lowercased().capitalized, region].compactMap(\.self).joined(separator: "_")
  }
}

import StoreModel

/// A product in the developer's catalog. Apps request the catalog's products from the store, and the catalog determines
/// what a purchase gives.
///
/// A product has no price here; prices come only from the store.
public struct LedgerProduct: Hashable, Codable, Sendable {
  /// The credits that a consumable gives.
  public struct Credits: Hashable, Codable, Sendable {
    public let unit: CreditUnit
    /// The amount for a quantity of 1; 1 to 10⁹.
    public let amount: Int64

    public init(unit: CreditUnit, amount: Int64) {
      self.unit = unit
      self.amount = amount
    }
  }

  /// The developer's name and description of the product in one language.
  public struct Localisation: Hashable, Codable, Sendable {
    public let name: String
    public let description: String

    public init(name: String, description: String) {
      self.name = name
      self.description = description
    }
  }

  public let id: ProductID
  /// The type cannot change once a customer has the product. If another server changes the type at the same moment as a claim
  /// is made, the claim keeps the type that it was made with.
  public let type: ProductType
  /// The credits that a purchase gives. Nil for a consumable without credits, and for all other types.
  public let credits: Credits?
  /// The number of days of access that a quantity of 1 of a non-renewing subscription gives, 1 to 36,500; nil for other
  /// types. The store does not define this period.
  public let accessDays: Int64?
  /// The maximum number of days that a purchase gives: ten times the longest period, because the store sells up to ten at once.
  static let mostAccessDays: Int64 = 365_000
  /// Names and descriptions by language tag (BCP 47), such as `en` or `pt-BR`.
  public let localisations: [String: Localisation]
  /// Whether the catalog that apps load contains the product. Unlisted products can still be redeemed.
  public let isListed: Bool
  /// The names of the entitlements that the product gives, sorted and without repetitions. None by default: the product's id is no
  /// name.
  public let entitlements: [EntitlementName]
  /// The maximum number of ``entitlements``.
  static let mostEntitlements = 20

  /// - Parameter entitlements: at most 20 names, in any order.
  public init(
    id: ProductID, type: ProductType, credits: Credits? = nil, accessDays: Int64? = nil,
    localisations: [String: Localisation] = [:], isListed: Bool = true, entitlements: [EntitlementName] = []
  ) {
    self.id = id
    self.type = type
    self.credits = credits
    self.accessDays = accessDays
    self.localisations = localisations
    self.isListed = isListed
    self.entitlements = Set(entitlements).sorted()
  }

  /// Checks the product's values.
  ///
  /// - Throws: ``LedgerError/invalid(_:)``, which describes the invalid value.
  func check() throws(LedgerError) {
    guard (1...255).contains(id.rawValue.utf8.count), !id.rawValue.contains("\0") else {
      throw .invalid("A product's id is 1 to 255 bytes of text.")
    }
    if let credits {
      guard type == .consumable else {
        throw .invalid("\(id) is \(type.rawValue); only consumables give credits.")
      }
      guard (1...1_000_000_000).contains(credits.amount) else {
        throw .invalid("\(id) gives \(credits.amount) credits; 1 to 1,000,000,000 can be given.")
      }
    }
    switch (type, accessDays) {
    case (.nonRenewingSubscription, nil):
      throw .invalid("\(id) is a non-renewing subscription: set for how many days it gives access (accessDays).")
    case (.nonRenewingSubscription, let days?) where !(1...36_500).contains(days):
      throw .invalid("\(id) cannot give access for \(days) days; 1 to 36,500.")
    case (.nonRenewingSubscription, _), (_, nil): break
    case (_, _?): throw .invalid("\(id) is \(type.rawValue); accessDays are of non-renewing subscriptions.")
    }
    guard entitlements.count <= Self.mostEntitlements else {
      throw .invalid("\(id) has more than \(Self.mostEntitlements) names of entitlements.")
    }
    guard localisations.count <= 200 else { throw .invalid("\(id) has more than 200 localisations.") }
    for (tag, texts) in localisations {
      // A pattern also matches what is canonically equivalent, such as U+212A (KELVIN SIGN) for `K`.
      guard tag.utf8.allSatisfy({ $0 < 0x80 }), tag.wholeMatch(of: /[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*/) != nil else {
        throw .invalid("\(tag.debugDescription) is no language tag; they look like en or pt-BR.")
      }
      guard texts.name.utf8.count + texts.description.utf8.count <= 10_000 else {
        throw .invalid("The texts for \(id) in \(tag) are longer than 10,000 bytes.")
      }
    }
  }
}

/// A product as operators see it, also if it is not listed.
public struct PublishedProduct: Hashable, Codable, Sendable {
  public let product: LedgerProduct
  /// The version of its files; 0 if none were published.
  public let contentVersion: Int64
  /// When the product or its files were published last.
  public let changed: StoreDate
}

/// A published file of a product.
public struct ContentFile: Hashable, Codable, Sendable {
  /// The file name for the customer; never a path.
  public let name: String
  /// The size in bytes.
  public let size: Int64
  /// SHA-256 as 64 lower-case hexadecimal digits; the file's key in the content store.
  public let sha256: String
  /// The media type, such as `application/epub+zip`.
  public let mediaType: String

  public init(name: String, size: Int64, sha256: String, mediaType: String) {
    self.name = name
    self.size = size
    self.sha256 = sha256
    self.mediaType = mediaType
  }

  /// Checks the file's values.
  ///
  /// - Throws: ``LedgerError/invalid(_:)``.
  func check() throws(LedgerError) {
    let isRefused = name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || Self.isHidden($0) }
    guard (1...255).contains(name.utf8.count), !isRefused, name != ".", name != ".." else {
      throw .invalid(
        "\(JSONText.string(name)) is no name for a file: 1 to 255 bytes, without slashes, control and invisible characters."
      )
    }
    guard size >= 0 else { throw .invalid("The file \(name) cannot have \(size) bytes.") }
    guard SHA256Text.isDigest(sha256) else {
      throw .invalid("The digest of \(name) is not 64 lower-case hexadecimal digits.")
    }
    guard mediaType.utf8.count <= 255, mediaType.wholeMatch(of: /[!-~]+\/[!-~]+(; ?[!-~]+)*/) != nil else {
      throw .invalid("\(mediaType.debugDescription) is no media type; they look like application/pdf.")
    }
  }
}

extension ContentFile {
  /// Whether a character cannot be in a file name because it is invisible, or changes how the name is read: U+202E can hide the file
  /// extension. Blanks of every script are permitted, and the variation selectors of emoji.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return true
    default: return properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
    }
  }
}

/// One version of a product's files.
public struct ProductContent: Hashable, Codable, Sendable {
  /// The number of the version: 1 for the first publication, 2 for the second, and so on.
  public let version: Int64
  /// The files of this version, sorted by name.
  public let files: [ContentFile]
}

/// The listed products of an app at one moment.
public struct ProductCatalog: Hashable, Codable, Sendable {
  /// The revision of the catalog, which increases with every change.
  public let revision: Int64
  /// The listed products, sorted by id.
  public let products: [ListedProduct]
}

/// A product of the catalog, with its files.
public struct ListedProduct: Hashable, Codable, Sendable {
  public let product: LedgerProduct
  /// Nil for a product without files.
  public let content: ProductContent?
}

import StoreModel

/// A product on the developer's master list: what an app asks the store about, and what a purchase of it gives.
///
/// Prices are the store's and nowhere here.
public struct LedgerProduct: Hashable, Codable, Sendable {
  /// What a consumable gives.
  public struct Credits: Hashable, Codable, Sendable {
    public let unit: CreditUnit
    /// For one of it: 1 to 10⁹.
    public let amount: Int64

    public init(unit: CreditUnit, amount: Int64) {
      self.unit = unit
      self.amount = amount
    }
  }

  /// The developer's own words about it, in one language.
  public struct Localisation: Hashable, Codable, Sendable {
    public let name: String
    public let description: String

    public init(name: String, description: String) {
      self.name = name
      self.description = description
    }
  }

  public let id: ProductID
  /// Does not change once anybody has the product. With several servers, a claim of the very instant of a change keeps the
  /// type that it was made by.
  public let type: ProductType
  /// Consumables only; nil for one that gives nothing but files.
  public let credits: Credits?
  /// Non-renewing subscriptions only: how many days one of it gives access for; 1 to 36,500. The store does not say.
  public let accessDays: Int64?
  /// By language tag (BCP 47), such as `en` or `pt-BR`.
  public let localisations: [String: Localisation]
  /// Whether apps are told of it. A product that is not listed can be redeemed still.
  public let isListed: Bool

  public init(
    id: ProductID, type: ProductType, credits: Credits? = nil, accessDays: Int64? = nil,
    localisations: [String: Localisation] = [:], isListed: Bool = true
  ) {
    self.id = id
    self.type = type
    self.credits = credits
    self.accessDays = accessDays
    self.localisations = localisations
    self.isListed = isListed
  }

  /// - Throws: ``LedgerError/invalid(_:)``, which names what cannot be published.
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
      throw .invalid("\(id) is a non-renewing subscription: say for how many days it gives access (accessDays).")
    case (.nonRenewingSubscription, let days?) where !(1...36_500).contains(days):
      throw .invalid("\(id) cannot give access for \(days) days; 1 to 36,500.")
    case (.nonRenewingSubscription, _), (_, nil): break
    case (_, _?): throw .invalid("\(id) is \(type.rawValue); accessDays are of non-renewing subscriptions.")
    }
    guard localisations.count <= 200 else { throw .invalid("\(id) has more than 200 localisations.") }
    for (tag, words) in localisations {
      guard tag.wholeMatch(of: /[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*/) != nil else {
        throw .invalid("\(tag.debugDescription) is no language tag; they look like en or pt-BR.")
      }
      guard words.name.utf8.count + words.description.utf8.count <= 10_000 else {
        throw .invalid("The words for \(id) in \(tag) are longer than 10,000 bytes.")
      }
    }
  }
}

/// A file of a product, as it was published.
public struct ContentFile: Hashable, Codable, Sendable {
  /// What a person may call it; never a path.
  public let name: String
  /// In bytes.
  public let size: Int64
  /// SHA-256, 64 lower-case hexadecimal digits: what it is kept under.
  public let sha256: String
  /// Such as `application/epub+zip`.
  public let mediaType: String

  public init(name: String, size: Int64, sha256: String, mediaType: String) {
    self.name = name
    self.size = size
    self.sha256 = sha256
    self.mediaType = mediaType
  }

  /// - Throws: ``LedgerError/invalid(_:)``.
  func check() throws(LedgerError) {
    let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    guard (1...255).contains(name.utf8.count), !hasControls, !name.contains("/"), !name.contains("\\"),
      name != ".", name != ".."
    else {
      throw .invalid(
        "\(name.debugDescription) is no name for a file: 1 to 255 bytes, without slashes and control characters.")
    }
    guard size >= 0 else { throw .invalid("The file \(name) cannot have \(size) bytes.") }
    guard sha256.wholeMatch(of: /[0-9a-f]{64}/) != nil else {
      throw .invalid("The digest of \(name) is not 64 lower-case hexadecimal digits.")
    }
    guard mediaType.utf8.count <= 255, mediaType.wholeMatch(of: /[!-~]+\/[!-~]+(; ?[!-~]+)*/) != nil else {
      throw .invalid("\(mediaType.debugDescription) is no media type; they look like application/pdf.")
    }
  }
}

/// The files of a product that go together.
public struct ProductContent: Hashable, Codable, Sendable {
  /// 1 for the first that was published; each publication adds 1.
  public let version: Int64
  /// In the order of their names.
  public let files: [ContentFile]
}

/// The products of an app at one moment.
public struct ProductCatalog: Hashable, Codable, Sendable {
  /// Grows with every change.
  public let revision: Int64
  /// In the order of their ids; those that are listed.
  public let products: [ListedProduct]
}

/// A product and the size of what comes with it.
public struct ListedProduct: Hashable, Codable, Sendable {
  public let product: LedgerProduct
  /// Nil for a product without files.
  public let content: ProductContent?
}

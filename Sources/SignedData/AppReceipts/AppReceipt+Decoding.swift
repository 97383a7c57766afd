import StoreModel

extension AppReceipt {
  /// Decodes a receipt's payload: a SET of attributes, in DER. The signature is not checked.
  ///
  /// The attributes 0, 2, 3, 4, 5 and 12 are required. Attribute types below 64, except 17, must not occur twice.
  ///
  /// - Throws: ``VerificationFailure`` with the fault `structure`, and the position in the data.
  public init(payload: [UInt8]) throws(VerificationFailure) {
    do throws(TLVFault) {
      self = try payload.withBuffer { (bytes) throws(TLVFault) in try AppReceiptReader.read(bytes) }
    } catch {
      throw .structure("the receipt cannot be read: \(error)")
    }
  }
}

/// Decodes a receipt's payload in one pass.
private struct AppReceiptReader {
  // The required attributes. The receipt is complete only when all of them were read.
  private var receiptType: String?
  private var bundleID: String?
  private var bundleIDBytes: [UInt8] = []
  private var applicationVersion: String?
  private var opaqueValue: [UInt8]?
  private var sha1Hash: [UInt8]?
  private var creationDate: StoreDate?
  private var receipt: AppReceipt
  /// The values of the attributes with purchases.
  private var purchases: [Range<Int>] = []
  /// One bit for each attribute type that may occur only once.
  private var seen: UInt64 = 0

  private static let maximumUnknown = 256

  private init() {
    // These empty values are never returned: `read` requires all of them.
    receipt = AppReceipt(
      receiptType: "", bundleID: "", bundleIDBytes: [], applicationVersion: "", opaqueValue: [], sha1Hash: [],
      creationDate: StoreDate(millisecondsSince1970: 0))
  }

  static func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(TLVFault) -> AppReceipt {
    var set = try TLVReader(bytes).set(0..<bytes.count)
    var fields = AppReceiptReader()
    while !set.isAtEnd {
      let attribute = try ReceiptAttribute(&set)
      if (0..<64).contains(attribute.type), attribute.type != 17 {
        let bit: UInt64 = 1 << UInt64(attribute.type)
        guard fields.seen & bit == 0 else { throw set.fault("an attribute that occurs once occurs twice") }
        fields.seen |= bit
      }
      try fields.take(attribute, set)
    }
    guard let receiptType = fields.receiptType else { throw set.fault("attribute 0 (environment) is missing") }
    guard let bundleID = fields.bundleID else { throw set.fault("attribute 2 (bundle id) is missing") }
    guard let version = fields.applicationVersion else { throw set.fault("attribute 3 (app version) is missing") }
    guard let opaqueValue = fields.opaqueValue else { throw set.fault("attribute 4 (opaque value) is missing") }
    guard let hash = fields.sha1Hash else { throw set.fault("attribute 5 (hash) is missing") }
    guard let created = fields.creationDate else { throw set.fault("attribute 12 (creation date) is missing") }
    var receipt = AppReceipt(
      receiptType: receiptType, bundleID: BundleID(bundleID), bundleIDBytes: fields.bundleIDBytes,
      applicationVersion: version, opaqueValue: opaqueValue, sha1Hash: hash, creationDate: created)
    receipt.takeOptionalParts(of: fields.receipt)
    receipt.inAppPurchases = try InAppPurchaseReader(reader: set, places: fields.purchases).read()
    return receipt
  }

  private mutating func take(_ attribute: ReceiptAttribute, _ reader: TLVReader) throws(TLVFault) {
    let value = attribute.value
    switch attribute.type {
    case 0: receiptType = try reader.text(value)
    case 1: receipt.appItemID = try reader.number(value)
    case 2:
      bundleID = try reader.text(value)
      bundleIDBytes = Array(reader.slice(value))
    case 3: applicationVersion = try reader.text(value) ?? ""
    case 4: opaqueValue = Array(reader.slice(value))
    case 5: sha1Hash = Array(reader.slice(value))
    case 8: receipt.requestDate = try reader.date(value)
    case 9: receipt.toolVersion = try reader.number(value)
    case 10: receipt.ageRating = try reader.text(value)
    case 11: receipt.developerID = try reader.number(value)
    case 12: creationDate = try reader.date(value)
    case 15: receipt.downloadID = try reader.number(value)
    case 16: receipt.versionExternalIdentifier = try reader.number(value)
    case 17: purchases.append(value)
    case 18: receipt.originalPurchaseDate = try reader.date(value)
    case 19: receipt.originalApplicationVersion = try reader.text(value)
    case 21: receipt.expirationDate = try reader.date(value)
    default:
      guard receipt.unknownAttributes.count < Self.maximumUnknown else { return }
      receipt.unknownAttributes.append(
        AppReceipt.Attribute(
          type: attribute.type, version: attribute.version, value: Array(reader.slice(value))))
    }
  }
}

extension AppReceipt {
  fileprivate mutating func takeOptionalParts(of other: AppReceipt) {
    appItemID = other.appItemID
    requestDate = other.requestDate
    toolVersion = other.toolVersion
    ageRating = other.ageRating
    developerID = other.developerID
    downloadID = other.downloadID
    versionExternalIdentifier = other.versionExternalIdentifier
    originalPurchaseDate = other.originalPurchaseDate
    originalApplicationVersion = other.originalApplicationVersion
    expirationDate = other.expirationDate
    unknownAttributes = other.unknownAttributes
  }
}

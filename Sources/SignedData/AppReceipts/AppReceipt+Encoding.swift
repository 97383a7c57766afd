import StoreModel

extension AppReceipt {
  /// The payload to sign: a SET of attributes in DER, sorted by their encodings.
  ///
  /// The same receipt always has the same bytes. Dates are written in whole seconds.
  public func payloadBytes() -> [UInt8] {
    var attributes: [[UInt8]] = [
      Self.attribute(0, DERWriter.utf8String(receiptType)),
      Self.attribute(2, bundleIDBytes),
      Self.attribute(3, DERWriter.utf8String(applicationVersion)),
      Self.attribute(4, opaqueValue, version: 2),
      Self.attribute(5, sha1Hash),
      Self.attribute(12, Self.encoded(creationDate)),
    ]
    attributes.reserveCapacity(inAppPurchases.count + unknownAttributes.count + 20)
    func add(_ type: Int64, _ value: [UInt8]?) {
      if let value { attributes.append(Self.attribute(type, value)) }
    }
    add(1, appItemID.map(DERWriter.integer))
    add(8, requestDate.map(Self.encoded))
    add(9, toolVersion.map(DERWriter.integer))
    add(10, ageRating.map(DERWriter.ia5String))
    add(11, developerID.map(DERWriter.integer))
    add(15, downloadID.map(DERWriter.integer))
    add(16, versionExternalIdentifier.map(DERWriter.integer))
    for purchase in inAppPurchases { add(17, purchase.payloadBytes()) }
    add(18, originalPurchaseDate.map(Self.encoded))
    add(19, originalApplicationVersion.map(DERWriter.utf8String))
    add(21, expirationDate.map(Self.encoded))
    for unknown in unknownAttributes {
      attributes.append(Self.attribute(unknown.type, unknown.value, version: unknown.version))
    }
    return DERWriter.setOf(attributes)
  }

  static func attribute(_ type: Int64, _ value: [UInt8], version: Int64 = 1) -> [UInt8] {
    DERWriter.sequence([DERWriter.integer(type), DERWriter.integer(version), DERWriter.octetString(value)])
  }

  static func encoded(_ date: StoreDate) -> [UInt8] { DERWriter.ia5String(RFC3339.text(date)) }
}

extension AppReceipt.InAppPurchase {
  /// Encodes one purchase as a SET of attributes. An expiration or cancellation date that does not apply is written as
  /// an empty date, as in the App Store's receipts.
  func payloadBytes() -> [UInt8] {
    let noDate = DERWriter.ia5String("")
    var attributes: [[UInt8]] = [
      AppReceipt.attribute(1701, DERWriter.integer(Int64(quantity))),
      AppReceipt.attribute(1702, DERWriter.utf8String(productID.rawValue)),
      AppReceipt.attribute(1703, DERWriter.utf8String(transactionID.rawValue)),
      AppReceipt.attribute(1704, AppReceipt.encoded(purchaseDate)),
      AppReceipt.attribute(1705, DERWriter.utf8String(originalTransactionID.rawValue)),
      AppReceipt.attribute(1706, AppReceipt.encoded(originalPurchaseDate)),
      AppReceipt.attribute(1708, expiresDate.map(AppReceipt.encoded) ?? noDate),
      AppReceipt.attribute(1712, cancellationDate.map(AppReceipt.encoded) ?? noDate),
    ]
    func add(_ type: Int64, _ value: [UInt8]?) {
      if let value { attributes.append(AppReceipt.attribute(type, value)) }
    }
    add(1707, rawProductType.map(DERWriter.integer))
    add(1710, itemID.map(DERWriter.integer))
    add(1711, webOrderLineItemID.map(DERWriter.integer))
    add(1713, isTrialPeriod.map { DERWriter.integer($0 ? 1 : 0) })
    add(1719, isInIntroductoryOfferPeriod.map { DERWriter.integer($0 ? 1 : 0) })
    add(1721, promotionalOfferID.map(DERWriter.utf8String))
    for unknown in unknownAttributes {
      attributes.append(AppReceipt.attribute(unknown.type, unknown.value, version: unknown.version))
    }
    return DERWriter.setOf(attributes)
  }
}

import StoreModel

extension AppReceipt {
  /// The payload to sign: a SET of attributes in DER, sorted by their encodings.
  ///
  /// The same receipt always has the same bytes. A missing request date is written as an empty date. Other dates are written in whole seconds.
  public func payloadBytes() -> [UInt8] {
    // A purchase has about 450 bytes.
    var payload = DERBuffer(capacity: 1024 + 512 * inAppPurchases.count)
    payload.setOf { attributes in
      attributes.attribute(0, text: receiptType)
      attributes.attribute(2, bytes: bundleIDBytes)
      attributes.attribute(3, text: applicationVersion)
      attributes.attribute(4, version: 2, bytes: opaqueValue)
      attributes.attribute(5, bytes: sha1Hash)
      attributes.attribute(12, date: creationDate)
      attributes.attribute(1, integer: appItemID)
      attributes.attribute(8, ia5Text: requestDate.map(RFC3339.text) ?? "")
      attributes.attribute(9, integer: toolVersion)
      attributes.attribute(10, ia5Text: ageRating)
      attributes.attribute(11, integer: developerID)
      attributes.attribute(15, integer: downloadID)
      attributes.attribute(16, integer: versionExternalIdentifier)
      for purchase in inAppPurchases { attributes.attribute(17) { purchase.encode(into: &$0) } }
      attributes.attribute(18, date: originalPurchaseDate)
      attributes.attribute(19, text: originalApplicationVersion)
      attributes.attribute(21, date: expirationDate)
      for unknown in unknownAttributes {
        attributes.attribute(unknown.type, version: unknown.version, bytes: unknown.value)
      }
    }
    return payload.bytes
  }
}

extension AppReceipt.InAppPurchase {
  /// Writes the SET of one purchase's attributes. An expiration or cancellation date that does not apply is written as an
  /// empty date, as in receipts from the App Store.
  fileprivate func encode(into buffer: inout DERBuffer) {
    buffer.setOf { attributes in
      // DER requires that the attributes are sorted by their encodings, which usually differ first in their length. The
      // calls below usually write the attributes in this order already, so that `setOf` need not move them.
      for unknown in unknownAttributes {
        attributes.attribute(unknown.type, version: unknown.version, bytes: unknown.value)
      }
      attributes.attribute(1712, ia5Text: cancellationDate.map(RFC3339.text) ?? "")
      attributes.attribute(1701, integer: Int64(quantity))
      attributes.attribute(1707, integer: rawProductType)
      attributes.attribute(1713, integer: isTrialPeriod.map { $0 ? 1 : 0 })
      attributes.attribute(1719, integer: isInIntroductoryOfferPeriod.map { $0 ? 1 : 0 })
      attributes.attribute(1710, integer: itemID)
      attributes.attribute(1711, integer: webOrderLineItemID)
      attributes.attribute(1703, text: transactionID.rawValue)
      attributes.attribute(1705, text: originalTransactionID.rawValue)
      attributes.attribute(1704, date: purchaseDate)
      attributes.attribute(1706, date: originalPurchaseDate)
      attributes.attribute(1708, ia5Text: expiresDate.map(RFC3339.text) ?? "")
      attributes.attribute(1702, text: productID.rawValue)
      attributes.attribute(1721, text: promotionalOfferID)
    }
  }
}

// An attribute of a receipt is a SEQUENCE of type, version and an OCTET STRING. Nil values are not written.
extension DERBuffer {
  @inline(__always)
  fileprivate mutating func attribute(_ type: Int64, version: Int64 = 1, _ value: (inout DERBuffer) -> Void) {
    element(TLVElement.sequence) { attribute in
      attribute.integer(type)
      attribute.integer(version)
      attribute.element(TLVElement.octetString, value)
    }
  }

  fileprivate mutating func attribute(_ type: Int64, version: Int64 = 1, bytes: [UInt8]) {
    attribute(type, version: version) { $0.append(bytes) }
  }

  fileprivate mutating func attribute(_ type: Int64, integer: Int64?) {
    if let integer { attribute(type) { $0.integer(integer) } }
  }

  fileprivate mutating func attribute(_ type: Int64, text: String?) {
    if let text { attribute(type) { $0.element(TLVElement.utf8String, text.utf8) } }
  }

  fileprivate mutating func attribute(_ type: Int64, ia5Text: String?) {
    if let ia5Text { attribute(type) { $0.element(TLVElement.ia5String, ia5Text.utf8) } }
  }

  fileprivate mutating func attribute(_ type: Int64, date: StoreDate?) {
    if let date { attribute(type, ia5Text: RFC3339.text(date)) }
  }
}

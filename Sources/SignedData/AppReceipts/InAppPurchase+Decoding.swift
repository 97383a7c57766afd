import StoreModel

extension AppReceipt.InAppPurchase {
  private static let firstType: Int64 = 1701
  private static let maximumUnknown = 64

  /// Decodes the attributes of one purchase. 1702, 1703 and 1704 are required. The types 1701 to 1764 must not occur
  /// twice.
  init(_ attributes: TLVReader) throws(TLVFault) {
    var set = attributes
    var productID: String?
    var transactionID: TransactionID?
    var purchaseDate: StoreDate?
    var originalTransactionID: TransactionID?
    var originalPurchaseDate: StoreDate?
    // One bit for each type from 1701.
    var seen: UInt64 = 0
    var purchase = AppReceipt.InAppPurchase(
      productID: "", transactionID: TransactionID(0), purchaseDate: StoreDate(millisecondsSince1970: 0))
    while !set.isAtEnd {
      let attribute = try ReceiptAttribute(&set)
      let value = attribute.value
      if (Self.firstType..<Self.firstType + 64).contains(attribute.type) {
        let bit: UInt64 = 1 << UInt64(attribute.type - Self.firstType)
        guard seen & bit == 0 else { throw set.fault("an attribute that occurs once occurs twice") }
        seen |= bit
      }
      switch attribute.type {
      case 1701: purchase.quantity = try Self.quantity(set, value)
      case 1702: productID = try set.text(value)
      case 1703: transactionID = try set.transactionID(value)
      case 1704: purchaseDate = try set.date(value)
      case 1705: originalTransactionID = try set.transactionID(value)
      case 1706: originalPurchaseDate = try set.date(value)
      case 1707: purchase.rawProductType = try set.number(value)
      case 1708: purchase.expiresDate = try set.date(value)
      case 1710: purchase.itemID = try set.number(value)
      case 1711: purchase.webOrderLineItemID = try set.number(value)
      case 1712: purchase.cancellationDate = try set.date(value)
      case 1713: purchase.isTrialPeriod = try set.number(value).map { $0 != 0 }
      case 1719: purchase.isInIntroductoryOfferPeriod = try set.number(value).map { $0 != 0 }
      case 1721: purchase.promotionalOfferID = try set.text(value)
      default:
        guard purchase.unknownAttributes.count < Self.maximumUnknown else { continue }
        // Purchases of the App Store have six empty texts. Their value is shared, which saves time.
        let bytes = set.slice(value)
        purchase.unknownAttributes.append(
          AppReceipt.Attribute(
            type: attribute.type, version: attribute.version,
            value: bytes.elementsEqual(Self.emptyText) ? Self.emptyText : Array(bytes)))
      }
    }
    guard let productID else { throw set.fault("attribute 1702 (product id) is missing") }
    guard let transactionID else { throw set.fault("attribute 1703 (transaction id) is missing") }
    guard let purchaseDate else { throw set.fault("attribute 1704 (purchase date) is missing") }
    purchase.productID = ProductID(productID)
    purchase.transactionID = transactionID
    purchase.purchaseDate = purchaseDate
    purchase.originalTransactionID = originalTransactionID ?? transactionID
    purchase.originalPurchaseDate = originalPurchaseDate ?? purchaseDate
    self = purchase
  }

  private static func quantity(_ reader: TLVReader, _ value: Range<Int>) throws(TLVFault) -> Int {
    guard let quantity = try reader.number(value) else { return 1 }
    guard let quantity = Int(exactly: quantity), quantity >= 0 else { throw reader.fault("a quantity is negative") }
    return quantity
  }
}

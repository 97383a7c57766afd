import SignedData
import StoreModel

extension ProvenPurchase {
  /// Creates a purchase from an entry of an app receipt. Receipts contain neither the ownership type, nor the reason
  /// and the percentage of a refund.
  init(_ purchase: AppReceipt.InAppPurchase) throws(ProofRefusal) {
    try Self.check(quantity: purchase.quantity)
    self.init(
      transactionID: purchase.transactionID, originalTransactionID: purchase.originalTransactionID,
      productID: purchase.productID, type: purchase.productType, quantity: purchase.quantity,
      purchaseDate: purchase.purchaseDate, originalPurchaseDate: purchase.originalPurchaseDate,
      expiresDate: purchase.expiresDate, revocation: purchase.cancellationDate.map { Revocation(date: $0) })
  }

  /// Creates the purchase of a legacy receipt, in its state at the time of the purchase.
  init(_ receipt: LegacyReceipt) throws(ProofRefusal) {
    try Self.check(quantity: receipt.quantity)
    self.init(
      transactionID: receipt.transactionID, originalTransactionID: receipt.originalTransactionID,
      productID: receipt.productID, quantity: receipt.quantity, purchaseDate: receipt.purchaseDate,
      originalPurchaseDate: receipt.originalPurchaseDate, expiresDate: receipt.expiresDate,
      ownership: receipt["in-app-ownership-type"].flatMap(OwnershipType.init(rawValue:)))
  }

  /// Creates the purchase of a signed transaction.
  init(_ transaction: SignedTransaction) throws(ProofRefusal) {
    try Self.check(quantity: transaction.quantity)
    let percentage = transaction.revocationPercentage
    if transaction.revocationDate != nil, !(1...100_000).contains(percentage ?? 100_000) {
      throw .unreadable(detail: "its revocationPercentage is not from 1 to 100000")
    }
    self.init(
      transactionID: transaction.transactionID, originalTransactionID: transaction.originalTransactionID,
      productID: transaction.productID, type: transaction.type, quantity: transaction.quantity,
      purchaseDate: transaction.purchaseDate, originalPurchaseDate: transaction.originalPurchaseDate,
      // An upgraded plan has ended at the latest at the signing date, or at `expiresDate` if that is earlier. The ledger ends it
      // when the next plan was bought.
      expiresDate: transaction.isUpgraded
        ? min(transaction.expiresDate ?? transaction.signedDate, transaction.signedDate) : transaction.expiresDate,
      ownership: transaction.ownership,
      appAccountToken: transaction.appAccountToken,
      revocation: transaction.revocationDate.map {
        Revocation(date: $0, reason: transaction.rawRevocationReason, percentage: percentage)
      })
    isUpgraded = transaction.isUpgraded
    price = PurchasePrice(transaction.price, transaction.currency)
    if transaction.type == .autoRenewableSubscription { periodType = PurchasePeriodType(transaction) }
  }

  private static func check(quantity: Int) throws(ProofRefusal) {
    guard quantities.contains(Int64(quantity)) else {
      throw .unreadable(detail: "a quantity in it is not from \(quantities.lowerBound) to \(quantities.upperBound)")
    }
  }
}

extension PurchasePeriodType {
  /// Transactions that were signed before 2023 have an offer without its payment mode. Then the price shows whether it was free.
  fileprivate init(_ transaction: SignedTransaction) {
    self =
      switch (transaction.rawOfferType, transaction.offerDiscountType) {
      case (nil, nil): .normal
      case (_, .freeTrial): .trial
      case (_, nil) where transaction.rawOfferDiscountType == nil && transaction.price == Milliunits.zero: .trial
      default: .intro
      }
  }
}

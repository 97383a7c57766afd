import SignedData
import StoreModel

extension StoreUnitOfWork {
  /// The app transaction of a customer: that of the installation for which receipts are made, with the same values as in these
  /// receipts. Nil if the customer has no installation of the app.
  func appTransaction(of customer: Scope, _ app: StoreApp) throws -> SignedAppTransaction? {
    guard let installation = try receiptInstallations.newest(of: customer) else { return nil }
    return try appTransaction(of: customer, on: installation, app)
  }

  /// The app transaction of a customer, with the versions and dates of an installation.
  func appTransaction(
    of customer: Scope, on installation: Installation, _ app: StoreApp
  ) throws -> SignedAppTransaction {
    let isProduction = customer.environment == .production
    var transaction = SignedAppTransaction(
      bundleID: customer.bundleID, environment: customer.environment, receiptCreationDate: try takeSignedDate())
    transaction.appAppleID = isProduction ? app.appAppleID : nil
    transaction.applicationVersion = installation.applicationVersion
    transaction.versionExternalIdentifier =
      isProduction
      ? identity.versionExternalIdentifier(customer.bundleID, version: installation.applicationVersion) : nil
    (transaction.originalPurchaseDate, transaction.originalApplicationVersion) = installation.original
    if isOfXcode {
      // As Xcode writes it: the version of the app, and the date 0001-01-01.
      (transaction.originalApplicationVersion, transaction.originalPurchaseDate) = (
        installation.applicationVersion, StoreDate(millisecondsSince1970: -62_135_769_600_000)
      )
      transaction.requestDate = transaction.receiptCreationDate
    }
    transaction.appTransactionID = identity.appTransactionID(of: customer)
    transaction.rawOriginalPlatform = SignedAppTransaction.Platform.iOS.rawValue
    return transaction
  }
}

extension Installation {
  /// The date and version of the first purchase of the app, as receipts and app transactions contain them. In the sandbox, every
  /// app has the same: 2013-08-01T07:00:00Z, and 1.0.
  var original: (date: StoreDate, version: String) {
    environment == .production
      ? (registrationDate.wholeSeconds, originalApplicationVersion)
      : (StoreDate(millisecondsSince1970: 1_375_340_400_000), "1.0")
  }
}

import Foundation

/// The store's answer to a registration.
public struct StoreGreeting: Hashable, Codable, Sendable {
  public let epoch: StoreEpoch
  /// DER of the root that every signed transaction of this store chains to.
  public let rootCertificate: Data
  /// DER of the root that every receipt of this store chains to.
  public let receiptRootCertificate: Data
  /// The account signed in on this installation, if any.
  public let account: AccountName?
  public let storefrontCountryCode: String
  /// From where an installation listens that this store, in this epoch, greets for the first time.
  public let changeCursor: ChangeCursor

  public init(
    epoch: StoreEpoch, rootCertificate: Data, receiptRootCertificate: Data, account: AccountName?,
    storefrontCountryCode: String, changeCursor: ChangeCursor
  ) {
    self.epoch = epoch
    self.rootCertificate = rootCertificate
    self.receiptRootCertificate = receiptRootCertificate
    self.account = account
    self.storefrontCountryCode = storefrontCountryCode
    self.changeCursor = changeCursor
  }
}

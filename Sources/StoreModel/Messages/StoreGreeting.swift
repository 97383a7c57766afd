import Foundation

/// The store's answer to a registration.
public struct StoreGreeting: Hashable, Codable, Sendable {
  public let epoch: StoreEpoch
  /// The root certificate of every signed transaction of this store, as DER.
  public let rootCertificate: Data
  /// The root certificate of every receipt of this store, as DER.
  public let receiptRootCertificate: Data
  /// The account that is signed in on this installation; nil if there is none.
  public let account: AccountName?
  public let storefrontCountryCode: String
  /// The cursor with which an installation starts when it registers for the first time in this epoch.
  public let changeCursor: ChangeCursor
  /// The settings of the installation that the store's operator has set; nil if there are none.
  public let settings: InstallationSettings?

  public init(
    epoch: StoreEpoch, rootCertificate: Data, receiptRootCertificate: Data, account: AccountName?,
    storefrontCountryCode: String, changeCursor: ChangeCursor, settings: InstallationSettings? = nil
  ) {
    self.epoch = epoch
    self.rootCertificate = rootCertificate
    self.receiptRootCertificate = receiptRootCertificate
    self.account = account
    self.storefrontCountryCode = storefrontCountryCode
    self.changeCursor = changeCursor
    self.settings = settings
  }
}

import Foundation

/// A customer's name and password.
public struct SignInCredentials: Hashable, Codable, Sendable {
  public let account: AccountName
  public let password: String?

  public init(account: AccountName, password: String? = nil) {
    self.account = account
    self.password = password
  }
}

/// The customer who is signed in on an installation.
public struct SignedInAccount: Hashable, Codable, Sendable {
  public let account: AccountName
  public let storefrontCountryCode: String

  public init(account: AccountName, storefrontCountryCode: String) {
    self.account = account
    self.storefrontCountryCode = storefrontCountryCode
  }
}

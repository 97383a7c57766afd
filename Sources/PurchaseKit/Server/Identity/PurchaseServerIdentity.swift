/// How an app identifies itself to the developer's server.
public enum PurchaseServerIdentity: Sendable {
  /// The app identifies itself as this installation. The server issues a token, which is stored in this key store.
  ///
  /// The key store may be the vault's: the Keychain on Apple's systems, files of mode 0600 elsewhere. A Keychain item
  /// outlives the app's removal, so a reinstalled app is the same customer.
  case anonymous(any VaultKeyStore)
  /// The app identifies its user as a customer of the operator's identity system. The closure returns a current token
  /// (JWT) for each request.
  case identified(@Sendable () async throws -> String)
}

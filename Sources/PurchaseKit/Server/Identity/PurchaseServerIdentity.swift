/// As whom an app asks the developer's server.
public enum PurchaseServerIdentity: Sendable {
  /// As this installation: the server issues a token, which is kept under `purchase-server` in a key store: the vault's own.
  ///
  /// A key store, because it is made for secrets: the Keychain where there is one, files of mode 0600 elsewhere. In a Keychain
  /// it outlives the app's removal, so that a reinstalled app is the same customer.
  case anonymous(any VaultKeyStore)
  /// As a customer of the operator's own identity system: a current token (JWT) each time one is asked for.
  case identified(@Sendable () async throws -> String)
}

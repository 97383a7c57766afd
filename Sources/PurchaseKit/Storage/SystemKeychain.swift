#if canImport(Darwin)
  import Foundation
  import Security

  /// Stores keys in the Keychain, for this device only: they are not in its backups, and do not move to another device.
  ///
  /// Written from Apple's documentation ("Storing Keys in the Keychain"). This project is built on Linux, so the code is
  /// neither compiled nor tested here.
  public struct SystemKeychain: VaultKeyStore {
    private let service: String

    /// - Parameter service: distinguishes the vaults of an app.
    public init(service: String = "PurchaseVault") { self.service = service }

    public func load(_ name: String) throws -> Data? {
      var query = item(name)
      query[kSecReturnData] = true
      query[kSecMatchLimit] = kSecMatchLimitOne
      var result: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let value = result as? Data else { throw failure(status) }
      return value
    }

    public func save(_ value: Data, as name: String) throws {
      let status = SecItemUpdate(item(name) as CFDictionary, [kSecValueData: value] as CFDictionary)
      if status == errSecSuccess { return }
      guard status == errSecItemNotFound else { throw failure(status) }
      var new = item(name)
      new[kSecValueData] = value
      new[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
      let added = SecItemAdd(new as CFDictionary, nil)
      guard added == errSecSuccess else { throw failure(added) }
    }

    public func remove(_ name: String) throws {
      let status = SecItemDelete(item(name) as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else { throw failure(status) }
    }

    private func item(_ name: String) -> [CFString: Any] {
      var item: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: name,
      ]
      item[kSecUseDataProtectionKeychain] = true
      return item
    }

    private func failure(_ status: OSStatus) -> VaultError {
      let message = SecCopyErrorMessageString(status, nil) as String? ?? "error"
      return .keyStore(reason: "the Keychain reports: \(message) (\(status))")
    }
  }
#endif

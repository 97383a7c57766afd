import APIDescription
import AppStoreEmulator
import StoreModel

/// A key for the tokens of the App Store Server API.
package struct KeyView: APIObject {
  package let keyId: String
  package let issuerId: String?
  package let date: StoreDate?

  package static let notes: [String: MemberNote] = [
    "keyId": "`kid` in a token.",
    "issuerId": "`iss` in a token. Missing for the store's own key, which is valid for the issuers of all apps.",
    "date": "When it was added; missing for the store's own key.",
  ]

  package init(_ key: APIKey) { (keyId, issuerId, date) = (key.keyID, key.issuerID, key.date) }
}

/// The keys; the store's own is the first.
package struct KeyList: APIObject {
  package let keys: [KeyView]
  package init(_ keys: [APIKey]) { self.keys = keys.map(KeyView.init) }
}

package struct KeyRequest: APIObject {
  package let bundleId: BundleID

  package static let notes: [String: MemberNote] = ["bundleId": "An app of the issuer."]

  package init(bundleId: BundleID) { self.bundleId = bundleId }
}

/// A key that was added.
package struct AddedKeyView: APIObject {
  package let keyId: String
  package let issuerId: String
  package let privateKey: String

  package static let notes: [String: MemberNote] = [
    "privateKey": "Signs tokens (PEM, PKCS#8). It is only in this answer: the store does not keep it."
  ]

  package init(_ key: APIKey, privateKey: String) {
    (keyId, issuerId, self.privateKey) = (key.keyID, key.issuerID ?? "", privateKey)
  }
}

package struct APIKeyPath: APIObject {
  package let keyId: String
  package init(_ keyID: String) { keyId = keyID }
}

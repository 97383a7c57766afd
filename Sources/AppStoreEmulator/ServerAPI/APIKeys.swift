import AppStoreServerAPI
import Crypto
import Foundation
import GRDB
import SignedData
import StoreModel

extension StoreUnitOfWork {
  var apiKeys: APIKeys { APIKeys(work: self) }
}

/// A key for the tokens of the App Store Server API.
public struct APIKey: Hashable, Sendable {
  /// `kid` in a token.
  public let keyID: String
  /// `iss` in a token; nil for the key that every store has, which is valid for the issuers of all apps.
  public let issuerID: String?
  /// Nil for the key that every store has.
  public let date: StoreDate?
}

/// The keys for the tokens of the App Store Server API: one that every store has, and those that the operator adds.
struct APIKeys {
  let work: StoreUnitOfWork

  /// The maximum number of keys that the operator adds.
  static let largestNumber = 100

  /// What a token is checked with: the keys, and the apps of the token's issuer.
  ///
  /// - Parameter claims: those of the token; nil if it has none.
  func tokenCheck(for claims: UnverifiedTokenClaims?) throws -> ServerAPITokenCheck {
    let named = try claims?.keyID.flatMap { try APIKeyRow.lookUp(["keyID": $0], in: work.database) }
    let issuer = try named?.issuerID ?? issuerOfBuiltInKey(claims)
    let builtIn = try work.authority.apiKeyID()
    var rows = [named].compactMap(\.self)
    // Only the refusal of an unknown key needs all of them: it names them.
    if rows.isEmpty, claims?.keyID != builtIn { rows = try APIKeyRow.fetchAll(work.database) }
    var keys: [String: ServerAPIVerificationKey] = [:]
    for row in rows {
      keys[row.keyID] = ServerAPIVerificationKey(
        issuerID: row.issuerID, publicKey: try P256.Signing.PublicKey(x963Representation: row.publicKey))
    }
    keys[builtIn] = ServerAPIVerificationKey(issuerID: issuer, publicKey: try work.authority.apiPublicKey())
    let apps = try String.fetchAll(
      work.database.cachedStatement(sql: "SELECT bundleID FROM app WHERE issuerID = ?"), arguments: [issuer])
    return ServerAPITokenCheck(keys: keys, apps: Set(apps.map(BundleID.init(rawValue:))))
  }

  /// The issuer that a token claims, if it is one of the store; otherwise that of the token's app, or of any app.
  private func issuerOfBuiltInKey(_ claims: UnverifiedTokenClaims?) throws -> String {
    if let issuer = claims?.issuerID, try isKnown(issuer) { return issuer }
    if let app = try claims?.bundleID.flatMap(work.catalog.find) { return app.issuerID }
    return try String.fetchOne(work.database, sql: "SELECT issuerID FROM app ORDER BY bundleID LIMIT 1") ?? "no issuer"
  }

  private func isKnown(_ issuerID: String) throws -> Bool {
    try Bool.fetchOne(
      work.database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM app WHERE issuerID = ?)"),
      arguments: [issuerID]) == true
  }

  // MARK: The operator's keys

  /// All keys; the one that every store has is the first.
  func all() throws -> [APIKey] {
    let rows = try APIKeyRow.order(Column("date"), Column("keyID")).fetchAll(work.database)
    return [APIKey(keyID: try work.authority.apiKeyID(), issuerID: nil, date: nil)]
      + rows.map { APIKey(keyID: $0.keyID, issuerID: $0.issuerID, date: $0.date) }
  }

  /// Adds a key for the issuer of an app.
  ///
  /// - Returns: the key, and its private part as PKCS#8 in PEM, which is not stored.
  /// - Throws: ``AppStoreEmulatorError``.
  func add(for bundleID: BundleID) throws -> (key: APIKey, privateKey: String) {
    let app = try work.catalog.app(bundleID)
    let count = try APIKeyRow.fetchCount(work.database)
    guard count < Self.largestNumber else { throw AppStoreEmulatorError.tooManyKeys }
    let key = try newKey(app.issuerID, count)
    let row = APIKeyRow(
      keyID: IssuingAuthority.apiKeyID(of: key.publicKey), issuerID: app.issuerID,
      publicKey: key.publicKey.x963Representation, date: work.now)
    try row.insert(work.database)
    return (APIKey(keyID: row.keyID, issuerID: row.issuerID, date: row.date), key.pemRepresentation + "\n")
  }

  /// A random key; with the operator's seed, one that follows from it.
  private func newKey(_ issuerID: String, _ number: Int) throws -> P256.Signing.PrivateKey {
    guard work.isSeeded else { return P256.Signing.PrivateKey() }
    return try P256.Signing.PrivateKey(
      rawRepresentation: work.identity.bytes(
        "apiKey", issuerID, "\(work.now.millisecondsSince1970)", "\(number)", count: 32))
  }

  /// Removes a key. Its tokens are refused from now on.
  ///
  /// - Throws: ``AppStoreEmulatorError``.
  func remove(_ keyID: String) throws -> APIKey {
    guard let row = try APIKeyRow.lookUp(["keyID": keyID], in: work.database) else {
      if keyID == (try work.authority.apiKeyID()) { throw AppStoreEmulatorError.keyNotRemovable(keyID) }
      throw AppStoreEmulatorError.unknownKey(keyID)
    }
    try row.delete(work.database)
    return APIKey(keyID: row.keyID, issuerID: row.issuerID, date: row.date)
  }
}

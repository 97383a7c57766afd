import Crypto
import Foundation
import StoreModel
import SwiftASN1
import X509

extension IssuingAuthority {
  /// Makes a certificate for a TLS server (RFC 5280, RFC 6125), issued by ``tlsRootCertificate``.
  ///
  /// Each call makes a new key and certificate, which are not stored. Only the root is stored.
  ///
  /// - Parameters:
  ///   - hosts: DNS names, also with a leading `*.`, and IPv4 or IPv6 addresses; at least one.
  ///   - date: the current date of the machine. The certificate is valid for 396 days, which begin one day earlier.
  /// - Throws: ``IssuingError``, in particular `unusableHost`.
  public func tlsIdentity(hosts: [String], at date: StoreDate) throws(IssuingError) -> TLSIdentity {
    guard let first = hosts.first else { throw .unusableHost("") }
    var names: [GeneralName] = []
    for host in hosts { names.append(try Self.name(of: host)) }
    let period = try CertificatePeriod.tls(at: date)
    let root = try identity(of: .tlsRoot)
    let profile = CertificateProfile(
      // A common name has at most 64 characters. Clients check only the alternative names.
      commonName: String(first.prefix(64)), role: .leaf, period: period, hosts: names)
    do {
      let key = try IssuingKey.generate(.p256)
      let identity = try Identity(key: key, certificate: try profile.certificate(for: key, issuer: root))
      return TLSIdentity(
        certificateChainPEM: identity.certificatePEM + "\n", privateKeyPEM: key.pem + "\n", rootCertificate: root.der)
    } catch {
      throw .signing(reason: "\(error)")
    }
  }

  private static func name(of host: String) throws(IssuingError) -> GeneralName {
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    var v4 = in_addr()
    if inet_pton(AF_INET, bare, &v4) == 1 {
      return .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: v4) { Array($0)[...] }))
    }
    var v6 = in6_addr()
    if inet_pton(AF_INET6, bare, &v6) == 1 {
      return .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: v6) { Array($0)[...] }))
    }
    guard isDNSName(host) else { throw .unusableHost(host) }
    return .dnsName(host)
  }

  private static func isDNSName(_ host: String) -> Bool {
    let name = host.hasPrefix("*.") ? host.dropFirst(2) : host[...]
    guard (1...253).contains(name.utf8.count) else { return false }
    return name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
        && label.allSatisfy { byte in
          (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x5F
        }
    }
  }
}

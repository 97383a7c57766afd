import Foundation

@testable import SignedData

/// Builds legacy receipts with any signer. Their content can differ from what was signed.
struct LegacyForge {
  let signedReceipt: LegacyReceipt
  var shownReceipt: LegacyReceipt

  init(receipt: LegacyReceipt) {
    signedReceipt = receipt
    shownReceipt = receipt
  }

  func data(signer: Identity) throws -> Data {
    guard case .rsa(let key) = signer.key else { return Data() }
    let signature = try key.signature(of: [3] + OldStylePropertyList.text(signedReceipt.fields), .sha1)
    return data(version: 3, signature: signature, certificate: signer.der)
  }

  /// Returns a version 2 receipt. openssl signs it, because its key is too small for the library that signs version 3.
  func versionTwoData(_ folder: ScratchFolder, _ certificates: VersionTwoCertificates) async throws -> Data {
    try folder.write("tbs", [2] + OldStylePropertyList.text(signedReceipt.fields))
    try await folder.run("openssl", "dgst", "-sha1", "-sign", "leaf.key", "-out", "signature", "tbs")
    return data(version: 2, signature: Array(try folder.data("signature")), certificate: certificates.leaf)
  }

  private func data(version: UInt8, signature: [UInt8], certificate: [UInt8]) -> Data {
    var blob = [version] + signature
    withUnsafeBytes(of: UInt32(certificate.count).bigEndian) { blob.append(contentsOf: $0) }
    blob += certificate
    return Data(
      OldStylePropertyList.text([
        .init(key: "signature", value: Base64.text(blob, .standard)),
        .init(
          key: "purchase-info", value: Base64.text(OldStylePropertyList.text(shownReceipt.fields), .standard)),
      ]))
  }
}

/// An issuer with a marker extension, and an RSA-1024 leaf that signs version 2 receipts.
struct VersionTwoCertificates {
  let issuer: [UInt8]
  let leaf: [UInt8]

  init(_ folder: ScratchFolder, marker: String) async throws {
    try folder.write(
      "v2.cnf",
      """
      [req]
      distinguished_name = name
      [name]
      [ca]
      basicConstraints = critical,CA:TRUE
      \(marker) = DER:05:00
      [leaf]
      basicConstraints = critical,CA:FALSE
      """)
    try await folder.run("openssl", "genrsa", "-out", "issuer.key", "2048")
    try await folder.run("openssl", "genrsa", "-out", "leaf.key", "1024")
    for (name, subject) in [("issuer", "/CN=Test Store CA"), ("leaf", "/CN=Test Purchase Receipts")] {
      try await folder.run(
        "openssl", "req", "-new", "-key", "\(name).key", "-subj", subject, "-config", "v2.cnf", "-out", "\(name).csr")
    }
    // `openssl ca` rather than `x509`: it lets a certificate begin in the past.
    try folder.write("serial", "1234\n")
    try folder.write("index", [])
    try folder.write(
      "ca.cnf",
      """
      [ca]
      default_ca = it
      [it]
      database = index
      serial = serial
      new_certs_dir = .
      default_md = sha1
      policy = any
      [any]
      commonName = supplied
      """)
    for (name, section, signer) in [
      ("issuer", "ca", ["-selfsign"]), ("leaf", "leaf", ["-cert", "issuer.pem"]),
    ] {
      try await folder.run(
        "openssl",
        [
          "ca", "-batch", "-config", "ca.cnf", "-keyfile", "issuer.key", "-in", "\(name).csr", "-extfile", "v2.cnf",
          "-extensions", section, "-startdate", "20200101000000Z", "-enddate", "20300101000000Z", "-notext", "-out",
          "\(name).pem",
        ] + signer)
      try await folder.run("openssl", "x509", "-in", "\(name).pem", "-outform", "DER", "-out", "\(name).der")
    }
    issuer = Array(try folder.data("issuer.der"))
    leaf = Array(try folder.data("leaf.der"))
  }
}

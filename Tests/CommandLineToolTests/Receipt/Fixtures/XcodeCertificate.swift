import Crypto
import Foundation
import ProgramSupport
import SignedData

@testable import CommandLineTool

/// A self-signed certificate like Xcode's for tests, and data signed with it, made by openssl.
struct XcodeCertificate {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Makes `key.pem` and `cert.pem`, valid from 2020 to 2039.
  private func makeCertificate(_ algorithm: String, _ option: String) async throws {
    try folder.write("ca.cnf", Self.configuration)
    try folder.write("index.txt", "")
    let requested = try await folder.run(
      "openssl", "req", "-new", "-newkey", algorithm, "-pkeyopt", option, "-nodes", "-keyout", "key.pem", "-out",
      "request.pem",
      "-subj", "/CN=StoreKit Testing in Xcode/O=StoreKit Testing in Xcode")
    let signed = try await folder.run(
      "openssl", "ca", "-batch", "-selfsign", "-config", "ca.cnf", "-keyfile", "key.pem", "-in", "request.pem", "-out",
      "cert.pem",
      "-notext", "-rand_serial", "-startdate", "20200101000000Z", "-enddate", "20400101000000Z")
    guard requested.status == 0, signed.status == 0 else {
      throw CommandFailure.unusable("openssl made no certificate")
    }
  }

  private static let configuration = """
    [ca]
    default_ca = own
    [own]
    database = index.txt
    serial = serial
    new_certs_dir = .
    default_md = sha256
    policy = names
    [names]
    commonName = supplied
    organizationName = supplied
    """

  /// An app receipt: CMS without signed attributes, one certificate, lengths as openssl streams them.
  func receipt(_ receipt: AppReceipt) async throws -> Data {
    try await makeCertificate("rsa", "rsa_keygen_bits:2048")
    try folder.write("payload", receipt.payloadBytes())
    let status = try await folder.run(
      "openssl", "cms", "-sign", "-noattr", "-nodetach", "-binary", "-stream", "-md", "sha256", "-signer", "cert.pem",
      "-inkey",
      "key.pem", "-in", "payload", "-outform", "DER", "-out", "receipt"
    ).status
    guard status == 0 else { throw CommandFailure.unusable("openssl signed no receipt") }
    return try folder.data("receipt")
  }

  /// A JWS with the one certificate in `x5c`.
  func jws(_ payload: some Sequence<UInt8>) async throws -> String {
    try await makeCertificate("ec", "ec_paramgen_curve:P-256")
    let certificate = CertificateFile.certificates(in: try folder.data("cert.pem"))?.first ?? []
    let header = "{\"alg\":\"ES256\",\"x5c\":[\"\(Data(certificate).base64EncodedString())\"]}"
    let input = Self.url(Data(header.utf8)) + "." + Self.url(Data(payload))
    try folder.write("input", input)
    let status = try await folder.run(
      "openssl", "dgst", "-sha256", "-sign", "key.pem", "-out", "signature", "input"
    ).status
    guard status == 0 else { throw CommandFailure.unusable("openssl signed nothing") }
    let signature = try P256.Signing.ECDSASignature(derRepresentation: try folder.data("signature"))
    return input + "." + Self.url(signature.rawRepresentation)
  }

  private static func url(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}

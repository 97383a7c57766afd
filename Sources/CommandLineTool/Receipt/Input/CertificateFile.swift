import Foundation
import ProgramSupport
import SignedData

/// Reads files with certificates: one in DER, or any number in PEM (RFC 7468).
enum CertificateFile {
  static let maximumBytes = 1 << 20

  /// Reads the certificates of a file, in DER.
  ///
  /// - Throws: ``CommandFailure/unusable(_:)`` if the file has no certificate, or one that cannot be read.
  static func read(_ path: String, on console: CommandConsole) throws(CommandFailure) -> [[UInt8]] {
    let file = InputFile(path: path)
    let data = try file.read(limitBytes: maximumBytes, on: console)
    guard let certificates = certificates(in: data), !certificates.isEmpty else {
      throw .unusable("\(file.name) holds no certificate in PEM or DER")
    }
    for (place, certificate) in certificates.enumerated() where CertificateSummary(certificate) == nil {
      throw .unusable("certificate \(place + 1) in \(file.name) cannot be read")
    }
    return certificates
  }

  /// Returns the certificates in `data`; nil if the base64 of one is damaged. Other contents of a PEM file, such as
  /// keys, are ignored.
  static func certificates(in data: Data) -> [[UInt8]]? {
    if data.first == 0x30 { return [Array(data)] }
    var certificates: [[UInt8]] = []
    var body: String?
    for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line == "-----BEGIN CERTIFICATE-----" {
        body = ""
      } else if line == "-----END CERTIFICATE-----" {
        guard let text = body, let der = Data(base64Encoded: text) else { return nil }
        certificates.append(Array(der))
        body = nil
      } else {
        body? += line
      }
    }
    return body == nil ? certificates : nil
  }
}

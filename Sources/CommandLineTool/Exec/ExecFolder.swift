import Foundation
import SignedData

/// The temporary folder of one `exec`: the certificates to trust, and room for a device.
struct ExecFolder {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "openstorekit-exec-\(UUID().uuidString)")

  /// Where an app may keep its installation.
  var device: URL { folder.appending(path: "device") }
  /// The root of signed transactions, DER: what Apple's server libraries take as a root certificate.
  var rootCertificate: URL { folder.appending(path: "root.cer") }
  /// The root of app receipts, DER.
  var receiptRootCertificate: URL { folder.appending(path: "receipt-root.cer") }
  /// What legacy receipts need besides, because they do not carry it, DER.
  var receiptIntermediateCertificate: URL { folder.appending(path: "receipt-intermediate.cer") }

  /// Makes the folder, closed to others.
  ///
  /// - Throws: ``CommandFailure``, refused, where it cannot be written.
  init(authority: IssuingAuthority) throws {
    do {
      try FileManager.default.createDirectory(
        at: device, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try Data(try authority.jwsRootCertificate).write(to: rootCertificate)
      try Data(try authority.receiptRootCertificate).write(to: receiptRootCertificate)
      try Data(try authority.receiptIntermediateCertificate).write(to: receiptIntermediateCertificate)
    } catch {
      remove()
      throw CommandFailure.refused("The temporary folder \(folder.path) cannot be written: \(error)")
    }
  }

  /// Removes it with all that the command left in it.
  func remove() { try? FileManager.default.removeItem(at: folder) }
}

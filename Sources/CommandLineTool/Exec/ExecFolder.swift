import DurableSQLite
import Foundation
import Logging
import ProgramSupport
import SignedData

/// The temporary folder of one `exec`: the certificates to trust, and room for a device.
struct ExecFolder {
  private let folder = TemporaryFolder("exec")
  private let logger: Logger

  /// Where an app may keep its installation.
  var device: URL { folder.url.appending(path: "device") }
  /// The root of signed transactions, DER: what Apple's server libraries take as a root certificate.
  var rootCertificate: URL { folder.url.appending(path: "root.cer") }
  /// The root of app receipts, DER.
  var receiptRootCertificate: URL { folder.url.appending(path: "receipt-root.cer") }
  /// What legacy receipts need besides, because they do not carry it, DER.
  var receiptIntermediateCertificate: URL { folder.url.appending(path: "receipt-intermediate.cer") }

  /// Makes the folder, closed to others.
  ///
  /// - Parameter logger: is told why it could not be removed.
  /// - Throws: ``CommandFailure``, refused, where it cannot be written.
  init(authority: IssuingAuthority, logger: Logger) throws {
    self.logger = logger
    try folder.make()
    do {
      try DurableFolder.make(device)
      try Data(try authority.jwsRootCertificate).write(to: rootCertificate)
      try Data(try authority.receiptRootCertificate).write(to: receiptRootCertificate)
      try Data(try authority.receiptIntermediateCertificate).write(to: receiptIntermediateCertificate)
    } catch {
      remove()
      throw CommandFailure.refused("The temporary folder \(folder.url.path) cannot be written: \(error)")
    }
  }

  /// Starts a command that is killed when this program is.
  func keeping(_ start: () throws -> CommandProcess) throws -> CommandProcess {
    let process = try start()
    warn { try folder.endWithThisProgram(process.identifier) }
    return process
  }

  /// Called when the command has ended, before its exit status is read.
  func release(_ process: CommandProcess) { warn { try folder.release(process.identifier) } }

  /// What the command does counts, whatever becomes of the process that would clean up.
  private func warn(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      logger.warning("The process that cleans up after a kill is gone", metadata: ["error": "\(error)"])
    }
  }

  /// Removes it with all that the command left in it.
  func remove() { folder.remove(logger) }
}

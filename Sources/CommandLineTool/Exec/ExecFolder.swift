import DurableSQLite
import Foundation
import Logging
import ProgramSupport
import SignedData

/// The temporary folder of one `exec`. It holds the certificates to trust and the data of a device.
struct ExecFolder {
  private let folder = TemporaryFolder("exec")
  private let logger: Logger
  /// The identifier of ``privateKey``, `kid` in a token.
  let keyID: String

  /// The folder in which an app may keep its installation.
  var device: URL { folder.url.appending(path: "device") }
  /// The root certificate of signed transactions, in DER. Apple's server libraries take it as a root certificate.
  var rootCertificate: URL { folder.url.appending(path: "root.cer") }
  /// The root certificate of app receipts, in DER.
  var receiptRootCertificate: URL { folder.url.appending(path: "receipt-root.cer") }
  /// The intermediate certificate of legacy receipts, in DER. Legacy receipts do not contain it.
  var receiptIntermediateCertificate: URL { folder.url.appending(path: "receipt-intermediate.cer") }

  /// The key for tokens of the App Store Server API, PKCS#8 in PEM, of mode 0600.
  var privateKey: URL { folder.url.appending(path: "key.p8") }

  /// Makes the folder, which only this user can read.
  ///
  /// - Parameter logger: logs the reason if the folder cannot be removed.
  /// - Throws: ``CommandFailure/refused(_:)`` if the folder cannot be written.
  init(authority: IssuingAuthority, logger: Logger) throws {
    self.logger = logger
    keyID = try authority.apiKeyID()
    try folder.make()
    do {
      try DurableFolder.make(device)
      try Data(try authority.jwsRootCertificate).write(to: rootCertificate)
      try Data(try authority.receiptRootCertificate).write(to: receiptRootCertificate)
      try Data(try authority.receiptIntermediateCertificate).write(to: receiptIntermediateCertificate)
      try PrivateFile.write(try authority.apiKey(), to: privateKey)
    } catch {
      remove()
      throw CommandFailure.refused("The temporary folder \(folder.url.path) cannot be written: \(error)")
    }
  }

  /// Called before the command is started.
  func commandStarts() { warn { try folder.processStarts() } }

  /// Called when the command has started, which is killed when this program is killed.
  func keep(_ command: pid_t) { warn { try folder.endWithThisProgram(command) } }

  /// Called when the command has ended, before another process can have its id.
  func release(_ command: pid_t) { warn { try folder.release(command) } }

  /// Runs `body`, and logs its error instead of throwing it. An error means that the cleanup process has ended. The
  /// command continues to run even then.
  private func warn(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      logger.warning("The cleanup process has ended unexpectedly", metadata: ["error": "\(error)"])
    }
  }

  /// Removes the folder and everything that the command left in it.
  func remove() { folder.remove(logger) }
}

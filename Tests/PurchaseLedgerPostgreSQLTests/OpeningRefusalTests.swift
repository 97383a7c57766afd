import Foundation
import PrivatePostgreSQL
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseLedgerPostgreSQL

@Suite("PostgreSQL: a server that refuses the connection", .timeLimit(.minutes(30)))
struct OpeningRefusalTests {
  /// Opens a ledger, and returns the error and the number of retries.
  private func error(_ connection: String) async throws -> (text: String, retries: Int) {
    let retries = LockedValue(0)
    do {
      let database = try await PostgreSQLLedgerDatabase.open(
        .forTests(connection), reportingRetries: { _ in retries.withLock { $0 += 1 } })
      try await database.close()
      return ("", retries.value)
    } catch let error as LedgerDatabaseError {
      return (error.description, retries.value)
    }
  }

  @Test("a wrong password is reported once, with what to do, and is not tried again; the right one is accepted")
  func wrongPassword() async throws {
    let server = try PrivatePostgreSQL()
    try server.run("SET password_encryption = 'scram-sha-256'; CREATE ROLE olga LOGIN SUPERUSER PASSWORD 'right'")
    let rules = URL(filePath: server.folder).appending(path: "data/pg_hba.conf")
    try Data("local all olga scram-sha-256\n".utf8 + Data(contentsOf: rules)).write(to: rules)
    try server.restart()
    try await server.withDatabase { connection in
      let login = connection.replacing("user=postgres", with: "user=olga")
      let wrong = try await error(login + " password=hunter2")
      #expect(wrong.retries == 0)
      #expect(wrong.text.contains("SQLSTATE 28P01") && wrong.text.contains("Correct the password"), "\(wrong.text)")
      #expect(!wrong.text.contains("hunter2"))
      #expect(try await error(login + " password=right").text == "")
    }
  }

  @Test("an unknown user and a database that does not exist are not tried again")
  func unknown() async throws {
    let server = try PrivatePostgreSQL.shared.get()
    let cases = [
      ("user=nobody dbname=postgres", "28000", "user"), ("user=postgres dbname=none", "3D000", "Create the database"),
    ]
    for (login, state, advice) in cases {
      let (text, retries) = try await error("host=\(server.folder) \(login)")
      #expect(retries == 0)
      #expect(text.contains("SQLSTATE \(state)") && text.contains(advice), "\(text)")
    }
  }

  @Test("a server that is not there is tried again")
  func nowhere() async throws {
    let (text, retries) = try await error("host=/tmp/no-such-server user=postgres dbname=none")
    #expect(retries > 0 && text.contains("cannot be reached"), "\(text)")
  }
}

import PurchaseLedger
import Testing

@testable import PurchaseLedgerPostgreSQL

@Suite("PostgreSQL: configuration", .timeLimit(.minutes(5)))
struct ConfigurationTests {
  @Test(
    "a password is in nothing that is printed",
    arguments: [
      "postgresql://keeper:opensesame@db.example.com:5433/ledger?sslmode=require&sslpassword=opensesame",
      "host=db.example.com port=5433 user=keeper password='opensesame' dbname=ledger sslmode=require",
    ])
  func secrets(connectionString: String) throws {
    let configuration = try PostgreSQLConfiguration(connectionString: connectionString)
    var dumped = ""
    dump(configuration, to: &dumped)
    for text in ["\(configuration)", String(reflecting: configuration), dumped, "\([configuration])"] {
      #expect(!text.contains("opensesame"))
      #expect(text.contains("host=db.example.com"))
    }
    #expect(configuration.description.contains("user=keeper"))
  }

  @Test(
    "what is no connection string is refused without repeating it",
    arguments: ["postgresql://keeper:open%zzsesame@/ledger", "password opensesame", "host=a\0 password=opensesame"])
  func refused(connectionString: String) throws {
    let error = #expect(throws: LedgerDatabaseError.self) {
      _ = try PostgreSQLConfiguration(connectionString: connectionString)
    }
    #expect(error?.description.contains("sesame") == false)
  }

  @Test("sizes and times that make no sense are refused")
  func senseless() async throws {
    let changes: [@Sendable (inout PostgreSQLConfiguration) -> Void] = [
      { $0.poolSize = 0 }, { $0.waitingLimit = -1 }, { $0.connectTimeoutSeconds = 0 },
      { $0.statementTimeoutMilliseconds = -1 }, { $0.statementTimeoutMilliseconds = .max },
    ]
    for change in changes {
      var configuration = try PostgreSQLConfiguration(connectionString: "host=/nowhere")
      change(&configuration)
      let error = await #expect(throws: LedgerDatabaseError.self) {
        _ = try await PostgreSQLLedgerDatabase.open(configuration)
      }
      guard case .failed = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }
}

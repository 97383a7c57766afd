import PurchaseLedger
import Testing

@testable import PurchaseLedgerPostgreSQL

@Suite("PostgreSQL: configuration", .timeLimit(.minutes(30)))
struct ConfigurationTests {
  @Test(
    "a password is never printed",
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
    "an invalid connection string is refused without repeating it",
    arguments: ["postgresql://keeper:open%zzsesame@/ledger", "password opensesame", "host=a\0 password=opensesame"])
  func refused(connectionString: String) throws {
    let error = #expect(throws: LedgerDatabaseError.self) {
      _ = try PostgreSQLConfiguration(connectionString: connectionString)
    }
    #expect(error?.description.contains("sesame") == false)
  }

  @Test(
    "the number of hosts comes from the connection string, or else from the environment",
    arguments: [
      ("", [:], 1), ("host=a", [:], 1), ("host=a,b", [:], 2), ("host=a,b hostaddr=10.0.0.1,10.0.0.2", [:], 2),
      ("hostaddr=10.0.0.1,10.0.0.2,10.0.0.3", [:], 3), ("postgresql://u@a:1,b:2,c:3/l", [:], 3),
      ("dbname=l", ["PGHOST": "a,b"], 2), ("host=a", ["PGHOST": "a,b"], 1),
      ("dbname=l", ["PGHOSTADDR": "10.0.0.1,10.0.0.2"], 2),
    ])
  func hosts(connectionString: String, environment: [String: String], count: Int) throws {
    #expect(try PostgreSQLConfiguration(connectionString: connectionString).hostCount(environment) == count)
  }

  @Test("several hosts without a synchronous standby: the warning says what a failover can lose, and what to set")
  func failover() throws {
    let (one, two) = (
      try PostgreSQLConfiguration(connectionString: "host=a"), try PostgreSQLConfiguration(connectionString: "host=a,b")
    )
    #expect(two.failoverWarning(synchronousStandbyNames: "")?.contains("synchronous_standby_names is empty") == true)
    #expect(two.failoverWarning(synchronousStandbyNames: " ") != nil)
    #expect(two.failoverWarning(synchronousStandbyNames: "ANY 1 (b)") == nil)
    #expect(one.failoverWarning(synchronousStandbyNames: "") == nil)
    #expect(one.failoverAdvice == nil)
    #expect(two.failoverAdvice?.contains("names 2 hosts") == true)
  }

  @Test("invalid sizes and times are refused")
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

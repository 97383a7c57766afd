import AppStoreEmulator
import ControlAPI
import Foundation
import WebSupport

/// The page of the store as a whole: its identity, settings, reset, snapshot and restore.
struct StorePage {
  let summary: StoreSummary
  let settings: StoreSettings
  /// The folder of the store's database; nil if the store is in memory.
  let directory: URL?
  let calls: CallContext

  var html: HTML {
    """
    <h1>Store</h1>
    <div class="two">
    <section class="card" id="identity" data-live aria-labelledby="identity-title"><h2 id="identity-title">Identity</h2>
    \(identity)</section>
    <section class="card" id="records" data-live aria-labelledby="records-title"><h2 id="records-title">Records</h2>
    \(records)</section>
    </div>
    <section class="card" id="settings-card" data-live aria-labelledby="settings-title"><h2 id="settings-title">Settings</h2>
    \(settingsForm.html)</section>
    <div class="grid">
    <section class="card" aria-labelledby="snapshot-title"><h2 id="snapshot-title">Snapshot</h2>
    <p>A copy of the whole store at this moment, as a SQLite file: apps, customers, purchases and secrets, without signing keys.</p>
    <p><a class="button" href="/console/store/snapshot" download>Download snapshot</a></p>
    \(snapshotCommand)</section>
    <section class="card" aria-labelledby="restore-title"><h2 id="restore-title">Restore</h2>
    \(restoreForm)</section>
    <section class="card" aria-labelledby="reset-title"><h2 id="reset-title">Reset</h2>
    <p>Removes all purchases, customers, installations, faults and requests, and begins another epoch. Apps, catalogs and keys stay; the \
    customers and settings are those of a new store. \(directory == nil ? "The clock returns to the present." : "The clock goes on.")</p>
    \(reset.html)</section>
    </div>
    """
  }

  private var identity: HTML {
    var list = DetailList()
    list.add("Data", directory.map { "in \(HTML.name($0.path))" } ?? "in memory, until the emulator ends")
    list.add("Epoch", "<span class=\"mono\">\(summary.epoch.rawValue)</span>")
    list.add("Seed", "<span class=\"mono\">\(summary.seed)</span>")
    return """
      \(list.html)<p class="small muted">Every new transaction id begins with the epoch. A store with the same seed makes the same \
      identifiers.</p>
      """
  }

  private var records: HTML {
    var list = DetailList()
    list.add("Apps", text: "\(summary.apps)")
    list.add("Products", text: "\(summary.products)")
    list.add("Customers", text: "\(summary.customers)")
    list.add("Installations", text: "\(summary.installations)")
    list.add("Transactions", text: "\(summary.transactions)")
    list.add("Refunds and reversals", text: "\(summary.refunds)")
    list.add("Subscriptions", text: "\(summary.subscriptions)")
    return list.html
  }

  private var settingsForm: CallForm {
    CallForm(
      call: APICall(
        "settings", ControlEndpoints.changeSettings,
        fields: [
          FormField(
            "locale", .textOrNull, "Locale of titles and descriptions", text: settings.locale ?? "",
            hint: "Such as de_DE, for all storefronts. Empty: the languages of each storefront."),
          FormField(
            "documented21003", .flag, "verifyReceipt answers forged receipts with 21003",
            text: "\(settings.documented21003)", input: .check,
            hint: "As Apple documents it. Apple’s endpoint answers 21002."),
          FormField(
            "lenientBase64", .flag, "verifyReceipt ignores white space in base64",
            text: "\(settings.lenientBase64)", input: .check, hint: "Apple’s endpoint answers 21002."),
          FormField(
            "rateLimits", .flag, "The App Store Server API has Apple’s rate limits", text: "\(settings.rateLimits)",
            input: .check, hint: "More requests are answered with 429."),
        ]), title: "Save", calls: calls, style: "button-primary", done: "Saved.")
  }

  private var reset: CallForm {
    CallForm(
      call: APICall("reset", ControlEndpoints.reset), title: "Reset", calls: calls, style: "button-danger",
      done: "The store is empty.", confirmation: "Remove all records of this store")
  }

  private var snapshotCommand: HTML {
    CommandView(
      id: "snapshot", title: "Download snapshot",
      text: calls.command(of: APICall("", ControlEndpoints.snapshot), options: ["-o snapshot.json"])
    ).html
  }

  /// The call that the restore replaces: a browser sends the file itself instead of its base64.
  static let restore = APICall("", ControlEndpoints.restore)

  /// The file comes first in the form, because it is the first part that ``SubmittedFile`` reads.
  private var restoreForm: HTML {
    let options = ["-H 'Content-Type: application/json'", "--data-binary @snapshot.json"]
    return """
      <p>Replaces the whole store with a snapshot, and begins another epoch. Faults and requests stay. If the file is not a usable \
      snapshot, nothing changes.</p>
      <form class="upload" id="restore" method="post" action="/console/store/restore" enctype="multipart/form-data" data-quiet>
      <div class="fields"><div class="field"><label for="restore-file">Snapshot file, at most \
      \(LifecycleRoutes.largestSnapshot >> 20) MiB</label>\
      <input type="file" id="restore-file" name="snapshot" accept=".sqlite" required></div></div>
      <label class="check" for="restore-confirmed"><input type="checkbox" id="restore-confirmed" name="confirmation" value="given" \
      required data-once> Replace all records of this store</label>\(calls.tokenInput(of: Self.restore))
      <div class="send"><button class="button-danger" id="restore-send" type="submit">Restore</button>\
      <output id="restore-result" data-done="The store is restored."></output></div>
      \(CommandView(id: "restore", title: "Restore", text: calls.command(of: Self.restore, options: options)).html)
      </form>
      """
  }
}

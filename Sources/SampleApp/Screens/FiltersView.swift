import SampleModel
import WebSupport

/// The screen of the photograph and its filters.
struct FiltersView: Hashable, Sendable {
  /// The photograph's address.
  let photograph: String
  /// Whether the photograph is the customer's own.
  let isOwnPhotograph: Bool
  let colorMatrix: [Double]?
  /// The name of the applied filter; nil if no filter is applied.
  let filterName: String?
  let lines: [ShopItem]
  let canClear: Bool
  let canRestore: Bool

  var html: HTML {
    """
    <h1>Photo filters</h1>
    <figure class="photograph" id="photograph" data-live>\(picture)</figure>
    \(lines.html(on: .filters, "filters-shop"))
    <div class="actions" id="filters-actions" data-live>
    <form method="post" action="/app/filters/clear" data-quiet><button id="clear-filter"\(" disabled", if: !canClear)>Clear filter</button></form>
    \(RestoreButton(screen: .filters, canRestore: canRestore).html)
    </div>
    <details class="group" id="replace">
    <summary>Another photograph</summary>
    <form method="post" action="/app/photograph" enctype="multipart/form-data" data-quiet>
    <label for="replace-file">JPEG, PNG or WebP, up to 10 MB</label>
    <input id="replace-file" name="photograph" type="file" accept="image/jpeg,image/png,image/webp" required>
    <button id="replace-button">Use this photograph</button>
    </form>
    \(removal)
    </details>
    """
  }

  private var picture: HTML {
    let label = "The photograph" + (filterName.map { ", seen through \($0)" } ?? "")
    let filter: HTML
    if let colorMatrix {
      let values = colorMatrix.map { "\($0)" }.joined(separator: " ")
      filter = """
        <filter id="photograph-filter" color-interpolation-filters="sRGB"><feColorMatrix type="matrix" values="\(values)"/></filter>
        """
    } else {
      filter = .empty
    }
    return """
      <svg viewBox="0 0 480 320" role="img" aria-label="\(label)">
      \(filter)
      <image href="\(photograph)" width="480" height="320" preserveAspectRatio="xMidYMid slice"\(" filter=\"url(#photograph-filter)\"", if: colorMatrix != nil)/>
      </svg>
      """
  }

  private var removal: HTML {
    guard isOwnPhotograph else { return .empty }
    return """
      <form method="post" action="/app/photograph/remove" data-quiet><button class="button-plain" id="replace-remove">Back to the first photograph</button></form>
      """
  }
}

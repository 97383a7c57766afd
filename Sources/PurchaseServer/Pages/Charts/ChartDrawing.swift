import WebSupport

/// A bar chart of months, as SVG without script and style. The bars of a month are stacked: values above 0 upwards, values below 0
/// downwards.
struct ChartDrawing {
  /// A kind of bar, such as paid subscriptions.
  struct Part {
    let title: String
    /// A value for each month.
    let values: [Int64]
  }

  /// An id that is unique on the page.
  let id: String
  let title: String
  let months: [String]
  let parts: [Part]
  /// The text of a value, for people.
  let text: (Int64) -> String

  /// The number of styles of bars in the stylesheet.
  private static let styles = 4
  private static let (width, height) = (720, 260)
  /// The edges of the bars' area.
  private static let (left, right, top, bottom) = (96.0, 712.0, 16.0, 224.0)

  var html: HTML {
    let scale = scale
    return """
      <svg class="chart" viewBox="0 0 \(Self.width) \(Self.height)" role="img" aria-labelledby="\(id)-title">\
      <title id="\(id)-title">\(title), \(months.first) to \(months.last). The table has the numbers.</title>\
      \(axes(scale))\(bars(scale))\(names)</svg>\(legend)
      """
  }

  /// Where values are drawn.
  private struct Scale {
    /// The largest sums of a month above and below 0.
    var up = 0.0
    var down = 0.0

    var perUnit: Double { (ChartDrawing.bottom - ChartDrawing.top) / max(up + down, 1) }

    /// The place of the base line. Without values, it is at the bottom.
    var base: Double { up + down > 0 ? ChartDrawing.top + up * perUnit : ChartDrawing.bottom }
  }

  private var scale: Scale {
    var scale = Scale()
    for month in months.indices {
      var (up, down) = (0.0, 0.0)
      for part in parts {
        let value = Double(part.values[month])
        if value > 0 { up += value } else { down -= value }
      }
      scale.up = max(scale.up, up)
      scale.down = max(scale.down, down)
    }
    return scale
  }

  private func axes(_ scale: Scale) -> HTML {
    func line(_ place: Double, _ value: Double) -> HTML {
      """
      <path class="chart-line" d="M\(Self.number(Self.left)) \(Self.number(place))H\(Self.number(Self.right))"></path>\
      <text class="chart-text" x="\(Self.number(Self.left - 6))" y="\(Self.number(place + 4))" text-anchor="end">\
      \(text(Self.whole(value)))</text>
      """
    }
    let upper: HTML = scale.up > 0 ? line(Self.top, scale.up) : ""
    let lower: HTML = scale.down > 0 ? line(Self.bottom, -scale.down) : ""
    return "\(upper)\(line(scale.base, 0))\(lower)"
  }

  private func bars(_ scale: Scale) -> [HTML] {
    let slot = (Self.right - Self.left) / Double(max(months.count, 1))
    return months.indices.map { month in
      let x = Self.left + slot * (Double(month) + 0.15)
      var (up, down) = (scale.base, scale.base)
      let pieces = parts.indices.map { place -> HTML in
        let value = parts[place].values[month]
        guard value != 0 else { return "" }
        let height = Double(value.magnitude) * scale.perUnit
        let y = value > 0 ? up - height : down
        if value > 0 { up -= height } else { down += height }
        return """
          <rect class="\(Self.style(place))" x="\(Self.number(x))" y="\(Self.number(y))" width="\(Self.number(slot * 0.7))" \
          height="\(Self.number(height))"><title>\(months[month]): \(text(value)), \(parts[place].title)</title></rect>
          """
      }
      return HTML(pieces)
    }
  }

  /// The names of the months: of at most twelve.
  private var names: [HTML] {
    let slot = (Self.right - Self.left) / Double(max(months.count, 1))
    let step = (months.count + 11) / 12
    return months.indices.filter { $0 % max(step, 1) == 0 }.map { month in
      """
      <text class="chart-text" x="\(Self.number(Self.left + slot * (Double(month) + 0.5)))" \
      y="\(Self.number(Self.bottom + 20))" text-anchor="middle">\(months[month])</text>
      """
    }
  }

  private var legend: HTML {
    guard parts.count > 1 else { return "" }
    let items = parts.indices.map { place -> HTML in
      "<li><span class=\"chart-key \(Self.style(place))\"></span>\(parts[place].title)</li>"
    }
    return "<ul class=\"chart-legend\">\(items)</ul>"
  }

  private static func style(_ place: Int) -> String { "bar-\(place % styles + 1)" }

  /// A coordinate with at most two decimals.
  private static func number(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

  /// A sum of values as a whole number; the largest one if it does not fit.
  private static func whole(_ value: Double) -> Int64 {
    Int64(exactly: value.rounded()) ?? (value > 0 ? Int64.max : -Int64.max)
  }
}

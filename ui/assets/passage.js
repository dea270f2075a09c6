// Draws a text with marks. Every piece is set as text, never as markup: documents are not trusted.
export default function ({ data, parentElement }) {
  const host = parentElement.querySelector(".passage")
  const dark = isDark(parentElement.host ?? parentElement)
  const pieces = data.segments.map(({ text, kind }) => {
    if (!kind) return document.createTextNode(text)
    const element = document.createElement(kind === "gap" ? "span" : "mark")
    element.className = kind
    element.textContent = text
    const style = data.styles[kind]
    if (style) {
      element.style.setProperty("--fill", style.fill)
      element.style.setProperty("--line", dark ? style.dark : style.light)
      element.title = kind
    }
    return element
  })
  host.replaceChildren(...pieces)
}

function isDark(element) {
  const color = getComputedStyle(element).getPropertyValue("--st-background-color").trim()
  const digits = color.match(/^#(..)(..)(..)/)
  return digits ? digits.slice(1).reduce((sum, part) => sum + parseInt(part, 16), 0) < 382 : false
}

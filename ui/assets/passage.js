// Draws a text with marks. Every piece is set as text, never as markup: documents are not trusted.
export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".passage")
  const dark = isDark(parentElement.host ?? parentElement)
  const pieces = data.segments.map(({ text, kind, entity, address }) => {
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
    return entity ? link(element, address, () => setTriggerValue("clicked", entity)) : element
  })
  host.replaceChildren(...pieces)
}

// A plain click stays in this session; every other one is the browser's own, for a tab of its own.
function link(inside, address, clicked) {
  const element = document.createElement("a")
  element.href = address
  element.append(inside)
  element.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    clicked()
  })
  return element
}

function isDark(element) {
  const color = getComputedStyle(element).getPropertyValue("--st-background-color").trim()
  const digits = color.match(/^#(..)(..)(..)/)
  return digits ? digits.slice(1).reduce((sum, part) => sum + parseInt(part, 16), 0) < 382 : false
}

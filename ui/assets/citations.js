// Makes the numbers [n] of the answer beside which it stands into things to point at and to press: a card with
// the passage, and a choice. All text is set as text; nothing is asked of the server on hover.
const BADGE = ".stMarkdownBadge"
const held = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.host ?? parentElement
  const answer = host.closest("[data-testid=stChatMessage]") ?? host.closest("[data-testid=stVerticalBlock]")
  const card = parentElement.querySelector(".card")
  held.get(parentElement)?.()
  if (!answer) return
  const cited = (event) => {
    const badge = event.target.closest?.(BADGE)
    const citation = badge && data.citations[badge.textContent.trim()]
    return citation ? { badge, citation } : null
  }
  const show = (event) => {
    const found = cited(event)
    if (found) draw(card, found)
  }
  const hide = () => (card.style.display = "none")
  const press = (event) => {
    const found = cited(event)
    if (!found || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return
    event.preventDefault()
    hide()
    setTriggerValue("clicked", found.badge.textContent.trim())
  }
  const ready = () => answer.querySelectorAll(BADGE).forEach((badge) => prepare(badge, data.citations))
  const watcher = new MutationObserver(ready)
  watcher.observe(answer, { childList: true, subtree: true })
  ready()
  const listeners = { pointerover: show, pointerout: hide, focusin: show, focusout: hide, click: press, keydown: press }
  for (const [name, listener] of Object.entries(listeners)) answer.addEventListener(name, listener)
  addEventListener("scroll", hide, true)
  const end = () => {
    watcher.disconnect()
    removeEventListener("scroll", hide, true)
    for (const [name, listener] of Object.entries(listeners)) answer.removeEventListener(name, listener)
    held.delete(parentElement)
  }
  held.set(parentElement, end)
  return end
}

// Reached by the keyboard too, and told apart from text.
function prepare(badge, citations) {
  const citation = citations[badge.textContent.trim()]
  if (!citation || badge.getAttribute("role") === "button") return
  badge.setAttribute("role", "button")
  badge.setAttribute("tabindex", "0")
  badge.setAttribute("aria-label", `Citation ${citation.place}`)
  badge.style.cursor = "pointer"
}

function draw(card, { badge, citation }) {
  const place = document.createElement("div")
  place.className = "place"
  place.textContent = citation.place
  const pieces = citation.pieces.map(({ text, kind }) => {
    if (!kind) return document.createTextNode(text)
    const element = document.createElement(kind === "gap" ? "span" : "mark")
    element.className = kind
    element.textContent = text
    return element
  })
  card.replaceChildren(place, ...pieces)
  card.style.display = "block"
  const at = badge.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = card
  const below = at.bottom + 6
  card.style.left = `${Math.max(8, Math.min(at.left - 12, innerWidth - offsetWidth - 16))}px`
  card.style.top = `${below + offsetHeight < innerHeight ? below : Math.max(8, at.top - offsetHeight - 6)}px`
}

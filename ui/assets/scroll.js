// Brings the newest question into view, and keeps it there while its answer grows, until the person does
// something: what is opened later must not move the page.
const HANDS = ["wheel", "touchmove", "keydown", "pointerdown"]

export default function ({ data, parentElement }) {
  const host = parentElement.host ?? parentElement
  const page = host.closest("[data-testid=stMain]")
  if (!page || host.shownTurn === data.turn) return
  host.shownTurn = data.turn
  const grown = new ResizeObserver(() => host.scrollIntoView({ block: "start" }))
  const end = () => {
    grown.disconnect()
    HANDS.forEach((name) => page.removeEventListener(name, end))
  }
  HANDS.forEach((name) => page.addEventListener(name, end, { passive: true }))
  grown.observe(page.firstElementChild)
  return end
}

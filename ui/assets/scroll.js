// Brings the newest question into view, and keeps it there while its answer grows, until the person scrolls.
const HANDS = ["wheel", "touchmove", "keydown"]

export default function ({ data, parentElement }) {
  const host = parentElement.host ?? parentElement
  const page = host.closest("[data-testid=stMain]")
  if (!page || host.shownTurn === data.turn) return
  host.shownTurn = data.turn
  const show = () => host.scrollIntoView({ block: "start" })
  const grown = new ResizeObserver(show)
  const end = () => {
    grown.disconnect()
    HANDS.forEach((name) => page.removeEventListener(name, end))
  }
  HANDS.forEach((name) => page.addEventListener(name, end, { passive: true }))
  grown.observe(page.firstElementChild)
  // What a person opens later must not move the page.
  host.endShowing?.()
  host.endShowing = end
  page.addEventListener("pointerdown", end, { once: true })
  return end
}

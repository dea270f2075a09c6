// Draws the entity graph with vis-network, which another component has put into `globalThis.lightragVis`:
// its script is large, and so it is sent once a visit and not with every drawing. Places are computed in Python,
// so there are no physics here, and a click changes nothing but the selection: the network is kept for the
// element it lives in and only gets new data when the digest of the data changes. Names come as text and are
// only ever drawn as text.
//
// Most of the time goes into vis-network's options: it works out colours and fonts of every node and edge
// whenever one is made, updated, or options are set. So the network is made with its options and data at once,
// and later only what differs is updated.

const networks = new WeakMap()
const waiting = new WeakMap()
const FIT = { minZoomLevel: 0.005, maxZoomLevel: 2.5 }
const EVENTS_KEPT = 8
const NUMBER = new Intl.NumberFormat("en")
const FAINT = 0.35 // opacity of what steps back
const AFTER_KEYS = 180 // milliseconds of quiet before a choice by arrow keys is told

export default function (component) {
  const { parentElement } = component
  const host = parentElement.querySelector(".graph")
  clearInterval(waiting.get(host))
  if (globalThis.lightragVis) draw(component, host)
  else {
    const look = () => globalThis.lightragVis && (clearInterval(waiting.get(host)), draw(component, host))
    waiting.set(host, setInterval(look, 15))
  }
  return () => {
    clearInterval(waiting.get(host))
    const held = networks.get(host)
    if (!held) return
    document.removeEventListener("keydown", held.searching, true)
    held.network?.destroy()
    networks.delete(host)
  }
}

function draw({ data, parentElement, setStateValue }, host) {
  const frame = host.closest(".frame")
  const theme = themeOf(parentElement.host ?? parentElement)
  let held = networks.get(host)
  if (!held) {
    held = create(frame, host)
    networks.set(host, held)
  }
  held.tell = (event) => {
    // Numbered, and the last few at once: what is done while Python is busy with the one before is not lost.
    const number = Math.max(Date.now(), (held.events.at(-1)?.number ?? 0) + 1)
    held.events = [...held.events, { ...event, number }].slice(-EVENTS_KEPT)
    setStateValue("events", held.events)
  }
  host.style.setProperty("--most", `${data.height}px`)
  host.setAttribute("aria-label", data.alt)
  const empty = frame.querySelector(".empty")
  empty.textContent = data.empty
  empty.style.display = data.empty ? "flex" : "none"

  held.theme = theme
  held.styles = data.styles
  // While the same picture only grows, nothing that is there changes its size.
  if (held.fitted !== data.fit) held.size = sizeFor(host, data.nodes)
  const look = JSON.stringify([theme, data.styles, held.size])
  const known = held.network !== undefined
  if (held.look !== look) {
    held.look = look
    held.network?.setOptions(options(data.styles, theme, held.size))
  }
  if (held.digest !== data.digest) {
    held.digest = data.digest
    fill(held, data)
  }
  if (!known) start(held)
  if (held.fitted !== data.fit) {
    held.fitted = data.fit
    fit(held.network)
  }
  if (held.told !== data.told.number) {
    held.told = data.told.number
    show(held, data.told)
  }
  held.network.redraw()
  host.dataset.settled = data.digest
}

function create(frame, host) {
  const vis = globalThis.lightragVis
  const nodes = new vis.DataSet()
  const edges = new vis.DataSet()
  const held = { frame, host, nodes, edges, ranked: [], events: [] }
  held.searching = (event) => search(event)
  // Captured: the buttons keep keys to themselves.
  document.addEventListener("keydown", held.searching, true)
  return held
}

function start(held) {
  const { frame, host, nodes, edges } = held
  const network = new globalThis.lightragVis.Network(host, { nodes, edges }, options(held.styles, held.theme, held.size))
  held.network = host.network = network

  network.on("click", ({ nodes: [node], edges: [edge], event }) => {
    const several = event.srcEvent?.shiftKey || event.srcEvent?.ctrlKey || event.srcEvent?.metaKey
    if (node !== undefined && several) return choose(held, toggled(held.chosen ?? [], node))
    if (node !== undefined) return choose(held, [node])
    if (several) return select(held)
    choose(held, [], edge === undefined ? null : JSON.parse(edge))
  })
  network.on("doubleClick", ({ nodes: [node] }) => node !== undefined && held.tell({ do: "expand", node }))
  network.on("dragStart", ({ nodes: dragged }) => (held.dragging = dragged.length > 0))
  network.on("dragEnd", ({ nodes: [node] }) => {
    if (!held.dragging || node === undefined) return
    held.dragging = false
    const { x, y } = network.getPositions([node])[node]
    nodes.update({ id: node, x, y })
    select(held)
    held.tell({ do: "pin", node, x, y })
  })
  for (const kind of ["Node", "Edge"]) {
    network.on(`hover${kind}`, () => (host.style.cursor = "pointer"))
    network.on(`blur${kind}`, () => (host.style.cursor = "default"))
  }
  network.on("hoverNode", ({ node }) => (held.hovered = node))
  network.on("blurNode", () => (held.hovered = undefined))
  network.on("beforeDrawing", (context) => hulls(context, held))
  network.on("afterDrawing", (context) => {
    highlight(context, held)
    label(context, held)
  })

  const act = { fit: () => fit(network), in: () => zoom(network, 1.4), out: () => zoom(network, 1 / 1.4) }
  act.tall = (button) => {
    const tall = frame.classList.toggle("tall")
    button.setAttribute("aria-pressed", String(tall))
    setTimeout(() => (network.setSize("100%", "100%"), network.redraw(), act.fit()), 60)
  }
  const menu = frame.querySelector(".menu")
  const opener = frame.querySelector("[data-do=pictures]")
  act.pictures = () => {
    menu.hidden = !menu.hidden
    opener.setAttribute("aria-expanded", String(!menu.hidden))
    if (!menu.hidden) menu.querySelector("button").focus()
  }
  for (const [kind, make] of Object.entries(PICTURES)) {
    act[kind] = () => {
      act.pictures()
      opener.focus()
      make(held)
    }
  }
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return
    act.pictures()
    opener.focus()
  })
  for (const button of frame.querySelectorAll("[data-do]")) button.onclick = () => act[button.dataset.do](button)

  host.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (step) walk(held, step)
    else if (event.key === "Enter" && held.chosen?.length === 1) held.tell({ do: "expand", node: held.chosen[0] })
    else if (event.key === "Escape") choose(held, [])
    else if (event.key === "+" || event.key === "=") act.in()
    else if (event.key === "-") act.out()
    else if (event.key === "f") act.fit()
    else if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey)) held.tell({ do: event.shiftKey ? "redo" : "undo" })
    else return
    event.preventDefault()
  })
}

// By keyboard: "/" goes to the search, the arrow keys go through what it found, Escape goes back step by step.
function search(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const input = document.querySelector("input[aria-label='Find an entity']")
  if (!input) return
  const found = [...document.querySelectorAll(".st-key-found_entities [data-testid^=stBaseButton]")]
  const place = found.indexOf(document.activeElement)
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key]
  const typing = event.composedPath().some((element) => /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName ?? "") || element.isContentEditable)
  let ways = []
  if (event.key === "/" && !typing) ways = [input]
  else if (document.activeElement === input && event.key === "ArrowDown") ways = found
  else if (place >= 0 && step > 0) ways = found.slice(place + 1)
  else if (place >= 0 && step < 0) ways = [...found.slice(0, place).reverse(), input]
  else if (place >= 0 && event.key === "Escape") ways = [input]
  if (!ways.length) return
  // Beside a button stand others that cannot take the focus.
  for (const next of ways) {
    next.focus()
    if (document.activeElement === next) break
  }
  event.preventDefault()
}

// Adds, changes and removes what differs, so that what stays keeps its place and selection.
function fill(held, { nodes, edges, types, styles }) {
  const { id, name, type, degree, x, y, more, group, faint } = nodes
  const top = Math.max(...degree, 1)
  const items = id.map((key, n) => ({
    id: key,
    short: shortened(name[n], 28),
    name: name[n],
    title: tooltip(name[n], types[type[n]], degree[n], more?.[n]),
    group: types[type[n]],
    shape: styles[types[type[n]]].shape,
    part: group?.[n],
    faint: Boolean(faint?.[n]),
    opacity: faint?.[n] ? FAINT : 1,
    // The square root makes a dot's area, not its diameter, follow the degree.
    value: Math.sqrt(degree[n]),
    x: x[n],
    y: y[n],
  }))
  const links = edges.from.map((from, n) => {
    const ends = [id[from], id[edges.to[n]]].sort((a, b) => (a < b ? -1 : 1))
    return {
      id: JSON.stringify(edges.keys?.[n] ?? ends),
      from: id[from],
      to: id[edges.to[n]],
      value: Math.log1p(edges.weight[n]),
      ...(edges.faint && { color: { opacity: edges.faint[n] ? FAINT : 1 } }),
      title: `${name[from]} – ${name[edges.to[n]]}${edges.about ? `\n${edges.about[n]}` : ""}`,
    }
  })
  replace(held.nodes, items)
  replace(held.edges, links)
  held.top = Math.sqrt(top)
  held.ranked = [...items].sort((a, b) => a.faint - b.faint || b.value - a.value)
  held.chosen = held.chosen?.filter((key) => held.nodes.get(key))
}

function tooltip(name, type, degree, more) {
  const hidden = more ? `\n${NUMBER.format(more)} more not shown: double-click to show them` : ""
  return `${name}\n${type} · degree ${NUMBER.format(degree)}${hidden}`
}

// Letters of Chinese, Japanese and Korean take the room of two.
function shortened(text, length) {
  const letters = [...text.split(/\s+/).join(" ").trim()]
  let room = length
  const end = letters.findIndex((letter) => (room -= letter >= "\u2e80" ? 2 : 1) < 0)
  return end < 0 ? letters.join("") : `${letters.slice(0, end - 1).join("").trimEnd()}…`
}

function replace(set, items) {
  const ids = new Set(items.map((item) => item.id))
  set.remove(set.getIds().filter((id) => !ids.has(id)))
  set.update(items.filter((item) => differs(item, set.get(item.id))))
}

function differs(item, old) {
  return !old || Object.keys(item).some((name) => item[name] !== old[name])
}

// How much larger than usual dots must be to be seen when all of it fits into the frame, without covering
// each other: a place on the map does not depend on how much of the map is shown.
function sizeFor(host, { x, y }) {
  if (x.length < 2) return 1
  const span = (values) => Math.max(...values) - Math.min(...values) + 60
  const [width, height] = [span(x), span(y)]
  const fit = Math.min((host.clientWidth || 800) / width, (host.clientHeight || 560) / height)
  const room = Math.sqrt((width * height) / x.length)
  return Math.max(0.35, Math.min(0.8 / fit, room / 66))
}

function toggled(keys, key) {
  return keys.includes(key) ? keys.filter((other) => other !== key) : [...keys, key]
}

function choose(held, keys, edge = null) {
  held.chosen = keys
  held.edge = edge && JSON.stringify(edge)
  select(held)
  held.tell({ do: "choose", nodes: keys, edge })
}

function select({ network, nodes, edges, chosen = [], edge }) {
  const keys = chosen.filter((key) => nodes.get(key))
  const links = edge && edges.get(edge) ? [edge] : []
  network.setSelection({ nodes: keys, edges: links }, { highlightEdges: keys.length > 0 })
}

function show(held, { nodes, edge }) {
  const { network } = held
  held.chosen = nodes
  held.edge = edge && JSON.stringify(edge)
  select(held)
  const there = nodes.filter((key) => held.nodes.get(key))
  if (there.length !== 1) return
  const at = network.canvasToDOM(network.getPositions(there)[there[0]])
  const margin = 60
  const inSight = at.x > margin && at.y > margin && at.x < held.host.clientWidth - margin && at.y < held.host.clientHeight - margin
  if (!inSight) network.focus(there[0], { scale: network.getScale(), animation: { duration: 350 } })
}

// Through the entities by arrow keys, the best connected first.
function walk(held, step) {
  const { ranked, host, frame } = held
  if (!ranked.length) return
  const now = ranked.findIndex(({ id }) => id === held.chosen?.at(-1))
  const next = ranked[now < 0 ? 0 : (now + step + ranked.length) % ranked.length]
  show(held, { nodes: [next.id], edge: null })
  frame.querySelector(".said").textContent = next.title
  clearTimeout(host.telling)
  host.telling = setTimeout(() => held.tell({ do: "choose", nodes: [next.id], edge: null }), AFTER_KEYS)
}

// Everything in sight, with room for the names at the rim.
function fit(network) {
  network.fit({ ...FIT, animation: false })
  network.moveTo({ scale: network.getScale() * 0.88 })
}

function zoom(network, by) {
  network.moveTo({ scale: network.getScale() * by, animation: { duration: 150 } })
}

// Everything but the neighbourhood of what is under the pointer steps back.
function highlight(context, { network, hovered, theme, dragging }) {
  if (hovered === undefined || dragging || !network.body.nodes[hovered]) return
  const canvas = network.canvas.frame.canvas
  context.save()
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.globalAlpha = 0.78
  context.fillStyle = theme.background
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.restore()
  const links = network.getConnectedEdges(hovered).map((id) => network.body.edges[id])
  for (const link of links) link?.connected && link.draw(context)
  for (const id of [...network.getConnectedNodes(hovered), hovered]) network.body.nodes[id]?.draw(context)
}

// Returns where names have room within `view` at a scale, those of the chosen and the best connected entities
// first. They have the same size on the screen at every zoom; zooming in makes room for more.
function names(context, { network, ranked, theme, top, chosen = [] }, scale, view, hovered) {
  const near = hovered === undefined ? [] : network.getConnectedNodes(hovered)
  const first = new Set([...chosen, hovered])
  const shown = hovered === undefined ? ranked : ranked.filter(({ id }) => first.has(id) || near.includes(id))
  const order = [...shown.filter(({ id }) => first.has(id)), ...shown.filter(({ id }) => !first.has(id))]
  const taken = []
  for (const node of order) {
    const place = network.getBoundingBox(node.id)
    if (!place) continue
    const bold = first.has(node.id)
    const size = (12.5 + 4 * (node.value / top)) / scale
    const middle = (place.left + place.right) / 2
    const font = `${bold ? "600 " : ""}${size}px ${theme.font}`
    // Measuring and setting fonts is what takes long: a width is measured once, in parts of the size.
    const width = bold ? "bold" : "plain"
    if (!node[width]) {
      context.font = font
      node[width] = context.measureText(node.short).width / size
    }
    const half = (node[width] * size) / 2 + 3 / scale
    const box = { left: middle - half, right: middle + half, top: place.bottom + 1 / scale, bottom: place.bottom + size * 1.25 }
    if (!overlap(box, view) || (!bold && taken.some((other) => overlap(box, other)))) continue
    const direction = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(node.short) ? "rtl" : "ltr"
    taken.push({ ...box, text: node.short, middle, size, font, bold, direction })
  }
  return taken
}

function label(context, held) {
  const { network, theme, hovered } = held
  const scale = network.getScale()
  context.save()
  context.textAlign = "center"
  context.textBaseline = "top"
  context.lineJoin = "round"
  context.lineWidth = 4 / scale
  context.fillStyle = theme.text
  context.strokeStyle = theme.background
  for (const { text, middle, top, font, direction } of names(context, held, scale, inSight(held), hovered)) {
    context.font = font
    context.direction = direction
    context.strokeText(text, middle, top)
    context.fillText(text, middle, top)
  }
  context.restore()
}

// The part of the map that is in sight.
function inSight({ network, host }) {
  const { x: left, y: top } = network.DOMtoCanvas({ x: 0, y: 0 })
  const { x: right, y: bottom } = network.DOMtoCanvas({ x: host.clientWidth, y: host.clientHeight })
  return { left, top, right, bottom }
}

function overlap(a, b) {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top
}

// A tinted ground under each community, when colours stand for communities.
function hulls(context, held) {
  context.save()
  context.lineJoin = "round"
  for (const { hull, fill, opacity, width } of grounds(held)) {
    context.globalAlpha = opacity
    context.fillStyle = context.strokeStyle = fill
    context.lineWidth = width
    context.beginPath()
    hull.forEach(([x, y], n) => (n ? context.lineTo(x, y) : context.moveTo(x, y)))
    context.closePath()
    context.fill()
    context.stroke()
  }
  context.restore()
}

function grounds({ network, ranked, styles, theme, size }) {
  const parts = new Map()
  for (const { id, part, group } of ranked) {
    if (part === undefined || part === null || !network.body.nodes[id]) continue
    if (!parts.has(part)) parts.set(part, { points: [], fill: styles?.[group]?.fill })
    parts.get(part).points.push(network.body.nodes[id])
  }
  return [...parts.values()]
    .filter(({ points, fill }) => points.length >= 3 && fill)
    .map(({ points, fill }) => ({
      hull: hullOf(points.map(({ x, y }) => [x, y])),
      fill,
      opacity: theme.dark ? 0.1 : 0.07,
      width: 60 * size,
    }))
}

// The convex hull of points, by Andrew's monotone chain.
function hullOf(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1])
  const half = (list) => {
    const chain = []
    for (const point of list) {
      while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  return [...half(sorted), ...half(sorted.reverse())]
}

function turn(a, b, c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

function options(styles, theme, size) {
  const groups = {}
  for (const [kind, style] of Object.entries(styles)) {
    const outline = theme.dark ? style.dark : style.light
    groups[kind] = {
      borderWidth: 1.5,
      color: {
        background: style.fill,
        border: outline,
        highlight: { background: style.fill, border: theme.text },
        hover: { background: style.fill, border: theme.text },
      },
    }
  }
  return {
    groups: { useDefaultGroups: false, ...groups },
    physics: false,
    layout: { improvedLayout: false },
    interaction: { hover: true, tooltipDelay: 150, hideEdgesOnDrag: true, keyboard: false, multiselect: true, selectConnectedEdges: true },
    nodes: {
      // Borders are measured on the screen, everything else on the map.
      borderWidthSelected: 4,
      // Names are written by label(): vis-network would write them over each other.
      font: { size: 1 },
      scaling: { min: 7 * size, max: 26 * size, label: { enabled: false, drawThreshold: 1e6 } },
    },
    edges: {
      smooth: false,
      color: { color: theme.edge, highlight: theme.accent, hover: theme.text, opacity: 1 },
      scaling: { min: 0.6 * size, max: 4 * size, label: false },
      selectionWidth: 1.5 * size,
      hoverWidth: 0.5 * size,
    },
  }
}

function themeOf(element) {
  const style = getComputedStyle(element)
  const read = (name) => style.getPropertyValue(name).trim()
  const background = read("--st-background-color")
  const digits = background.match(/^#(..)(..)(..)/)
  const dark = digits ? digits.slice(1).reduce((sum, part) => sum + parseInt(part, 16), 0) < 382 : false
  return {
    dark,
    background,
    text: read("--st-text-color"),
    font: read("--st-font"),
    accent: dark ? "#A9B4F5" : "#3B4A9A",
    edge: dark ? "#6B737D" : "#A3A8AE",
  }
}

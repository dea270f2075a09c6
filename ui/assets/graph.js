// Draws the entity graph with vis-network. The script of vis-network stands in front of this file and has
// defined `vis`. Places are computed in Python, so there are no physics here, and a click changes nothing
// but the selection: the network is kept for the element it lives in and only gets new data when the
// digest of the data changes.
const networks = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".graph")
  host.style.setProperty("--most", `${data.height}px`)
  const theme = themeOf(parentElement.host ?? parentElement)
  let held = networks.get(host)
  if (!held) {
    held = create(host)
    networks.set(host, held)
  }
  held.pick = (picked) => setTriggerValue("picked", picked)
  host.setAttribute("aria-label", data.alt)
  if (held.theme !== JSON.stringify(theme)) {
    held.theme = JSON.stringify(theme)
    held.colors = theme
    held.network.setOptions(options(data.styles, theme))
  }
  if (held.digest !== data.digest) {
    const first = held.digest === undefined
    held.digest = data.digest
    replace(held.nodes, data.nodes)
    replace(held.edges, data.edges)
    held.ranked = [...data.nodes].sort((a, b) => b.value - a.value)
    held.network.fit({ animation: !first && !data.selected })
  }
  const wanted = JSON.stringify(data.selected)
  if (held.selected !== wanted) {
    held.selected = wanted
    show(held, data.selected)
  }
  return () => {
    held.network.destroy()
    networks.delete(host)
  }
}

function create(host) {
  const nodes = new vis.DataSet()
  const edges = new vis.DataSet()
  const network = new vis.Network(host, { nodes, edges }, { physics: false })
  const held = { network, nodes, edges }
  network.on("click", ({ nodes: [node], edges: [edge] }) => {
    const picked = node !== undefined ? { node } : edge !== undefined ? { edge } : null
    held.selected = JSON.stringify(picked)
    held.pick(picked)
  })
  network.on("hoverNode", () => (host.style.cursor = "pointer"))
  network.on("hoverEdge", () => (host.style.cursor = "pointer"))
  network.on("blurNode", () => (host.style.cursor = "default"))
  network.on("blurEdge", () => (host.style.cursor = "default"))
  network.on("hoverNode", ({ node }) => (held.hovered = node))
  network.on("blurNode", () => (held.hovered = undefined))
  network.on("afterDrawing", (context) => label(context, held))
  host.network = network
  return held
}

// Adds, changes and removes what differs, so that what stays keeps its place and selection.
function replace(set, items) {
  const ids = new Set(items.map((item) => item.id))
  set.remove(set.getIds().filter((id) => !ids.has(id)))
  set.update(items)
}

function show({ network, nodes, edges }, selected) {
  if (selected?.node !== undefined && nodes.get(selected.node)) {
    network.selectNodes([selected.node])
    network.focus(selected.node, { scale: Math.max(network.getScale(), 0.65), animation: true })
  } else if (selected?.edge !== undefined && edges.get(selected.edge)) {
    network.setSelection({ nodes: [], edges: [selected.edge] })
  } else {
    network.unselectAll()
  }
}

// Writes the names, of the chosen and the best connected entities first, wherever there is room. They have the
// same size on the screen at every zoom; zooming in makes room for more.
function label(context, { network, ranked = [], hovered, colors }) {
  if (!colors) return
  const scale = network.getScale()
  const first = new Set([...network.getSelectedNodes(), hovered])
  const most = Math.max(ranked[0]?.value ?? 1, 1)
  const corner = network.DOMtoCanvas({ x: 0, y: 0 })
  const { clientWidth, clientHeight } = context.canvas
  const view = { left: corner.x, top: corner.y, right: corner.x + clientWidth / scale, bottom: corner.y + clientHeight / scale }
  const taken = []
  context.save()
  context.textAlign = "center"
  context.textBaseline = "top"
  context.lineJoin = "round"
  context.lineWidth = 4 / scale
  context.fillStyle = colors.text
  context.strokeStyle = colors.background
  const order = [...ranked.filter(({ id }) => first.has(id)), ...ranked.filter(({ id }) => !first.has(id))]
  for (const node of order) {
    const place = network.getBoundingBox(node.id)
    if (!place) continue
    const size = (13 + 4 * (node.value / most)) / scale
    context.font = `${first.has(node.id) ? "600 " : ""}${size}px ${colors.font}`
    const middle = (place.left + place.right) / 2
    const half = context.measureText(node.label).width / 2 + 3 / scale
    const box = { left: middle - half, right: middle + half, top: place.bottom + 1 / scale, bottom: place.bottom + size * 1.25 }
    if (!overlap(box, view) || (!first.has(node.id) && taken.some((other) => overlap(box, other)))) continue
    taken.push(box)
    context.strokeText(node.label, middle, box.top)
    context.fillText(node.label, middle, box.top)
  }
  context.restore()
}

function overlap(a, b) {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top
}

function options(styles, theme) {
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
    interaction: { hover: true, tooltipDelay: 150, hideEdgesOnDrag: true, keyboard: false },
    nodes: {
      borderWidthSelected: 4,
      // Names are written by label(): vis-network would write them over each other.
      font: { size: 1 },
      scaling: { min: 8, max: 34, label: { enabled: false, drawThreshold: 1e6 } },
    },
    edges: {
      smooth: false,
      color: { color: theme.edge, highlight: theme.accent, hover: theme.text, opacity: 1 },
      scaling: { min: 0.6, max: 4, label: false },
      selectionWidth: 1.5,
      hoverWidth: 0.5,
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

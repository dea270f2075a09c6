// Saves what is drawn as a picture: what is in sight, or all of it; as PNG, or as SVG with texts as texts.
// Stands behind graph.js in one module.

const PICTURES = {
  "png-seen": (held) => saveCanvas(held, "graph.png"),
  "png-all": (held) => saveDrawn(held, ...everything(held), "graph-all.png"),
  "svg-seen": (held) => save(new Blob([svg(held, inSight(held), held.network.getScale())], { type: SVG_TYPE }), "graph.svg"),
  "svg-all": (held) => save(new Blob([svg(held, ...everything(held))], { type: SVG_TYPE }), "graph-all.svg"),
}
const SVG_TYPE = "image/svg+xml;charset=utf-8"
// Pixels of the longer side of a picture of everything: the more dots there are, the more room for names.
const longest = (dots) => Math.max(1400, Math.min(4000, 80 * Math.sqrt(dots)))
const PIXELS = 2 // of a PNG, for one of the screen

// The part of the map that holds all dots and their names, and the scale at which to draw it.
function everything({ network }) {
  const boxes = network.body.nodeIndices.map((id) => network.getBoundingBox(id))
  if (!boxes.length) return [{ left: 0, top: 0, right: 400, bottom: 200 }, 1]
  const extreme = (choose, side) => boxes.reduce((best, box) => choose(best, box[side]), boxes[0][side])
  const box = { left: extreme(Math.min, "left"), top: extreme(Math.min, "top"), right: extreme(Math.max, "right"), bottom: extreme(Math.max, "bottom") }
  const scale = Math.min(2, (longest(boxes.length) - 240) / Math.max(box.right - box.left, box.bottom - box.top, 1))
  const [aside, over] = [120 / scale, 40 / scale]
  return [{ left: box.left - aside, top: box.top - over, right: box.right + aside, bottom: box.bottom + over }, scale]
}

// Elements are made one by one, so that no name can become markup.
function svg(held, view, scale) {
  const { network, host, theme } = held
  const [width, height] = [(view.right - view.left) * scale, (view.bottom - view.top) * scale]
  const root = element(null, "svg", { xmlns: "http://www.w3.org/2000/svg", width: round(width), height: round(height), viewBox: `0 0 ${round(width)} ${round(height)}`, role: "img" })
  element(root, "title").textContent = host.getAttribute("aria-label")
  element(root, "rect", { width: "100%", height: "100%", fill: theme.background })
  const at = ({ x, y }) => [round((x - view.left) * scale), round((y - view.top) * scale)]
  const seen = ({ x, y }, room) => x + room > view.left && x - room < view.right && y + room > view.top && y - room < view.bottom

  for (const { hull, fill, opacity, width: wide } of grounds(held)) {
    const points = hull.map(([x, y]) => at({ x, y }).join()).join(" ")
    element(root, "polygon", { points, fill, stroke: fill, "stroke-width": round(wide * scale), "stroke-linejoin": "round", opacity })
  }
  for (const id of network.body.edgeIndices) {
    const edge = network.body.edges[id]
    if (!edge.connected) continue
    const [[x1, y1], [x2, y2]] = [at(edge.from), at(edge.to)]
    if (Math.max(x1, x2) < 0 || Math.max(y1, y2) < 0 || Math.min(x1, x2) > width || Math.min(y1, y2) > height) continue
    const { color, width: wide } = edge.getFormattingValues()
    const line = element(root, "line", { x1, y1, x2, y2, stroke: color, "stroke-width": round(wide * scale) })
    element(line, "title").textContent = edge.title
  }
  for (const id of network.body.nodeIndices) {
    const node = network.body.nodes[id]
    const { size, color, borderColor, borderWidth } = node.getFormattingValues()
    if (!seen(node, size)) continue
    const [[x, y], r] = [at(node), round(size * scale)]
    const paint = { fill: color, stroke: borderColor, "stroke-width": borderWidth }
    const corners = [[x, y - r], [x + r, y], [x, y + r], [x - r, y]]
    const shape = node.options.shape === "diamond" ? element(root, "polygon", { points: corners.join(" "), ...paint }) : element(root, "circle", { cx: x, cy: y, r, ...paint })
    element(shape, "title").textContent = node.options.title
  }
  const context = network.canvas.frame.canvas.getContext("2d")
  const texts = element(root, "g", { fill: theme.text, stroke: theme.background, "stroke-width": 4, "stroke-linejoin": "round", "paint-order": "stroke", "text-anchor": "middle", "font-family": theme.font })
  for (const { text, middle, top, size, bold, direction } of names(context, held, scale, view)) {
    const [x, y] = at({ x: middle, y: top })
    element(texts, "text", { x, y: round(y + size * scale * 0.85), "font-size": round(size * scale), "font-weight": bold ? 600 : 400, direction }).textContent = text
  }
  return new XMLSerializer().serializeToString(root)
}

function element(parent, tag, attributes = {}) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) name === "xmlns" || made.setAttribute(name, value)
  parent?.append(made)
  return made
}

function round(value) {
  return Math.round(value * 10) / 10
}

// Just the pixels of the screen.
function saveCanvas({ network, theme }, name) {
  const seen = network.canvas.frame.canvas
  const canvas = document.createElement("canvas")
  canvas.width = seen.width
  canvas.height = seen.height
  const context = canvas.getContext("2d")
  context.fillStyle = theme.background
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(seen, 0, 0)
  canvas.toBlob((blob) => save(blob, name))
}

function saveDrawn(held, view, scale, name) {
  const image = new Image()
  const address = URL.createObjectURL(new Blob([svg(held, view, scale)], { type: SVG_TYPE }))
  image.onload = () => {
    const canvas = document.createElement("canvas")
    canvas.width = Math.round(image.width * PIXELS)
    canvas.height = Math.round(image.height * PIXELS)
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height)
    URL.revokeObjectURL(address)
    canvas.toBlob((blob) => save(blob, name))
  }
  image.src = address
}

function save(blob, name) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

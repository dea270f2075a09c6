// Turns an SVG picture into a PNG and saves it. The browser has the fonts that names in every script need.
const SIDE = 8192 // pixels, and
const AREA = 40_000_000 // pixels: what every browser's canvas can hold
const PIXELS = 2 // for one of the picture, where that fits

export default function ({ data, parentElement }) {
  const said = parentElement.querySelector(".said")
  // Called for every change of the page: a picture is saved once.
  if (said.dataset.saved === data.number) return
  said.dataset.saved = data.number
  const failed = () => (said.textContent = "This browser could not draw it. Take the SVG picture.")
  const image = new Image()
  const address = URL.createObjectURL(new Blob([data.svg], { type: "image/svg+xml;charset=utf-8" }))
  image.onerror = () => (URL.revokeObjectURL(address), failed())
  image.onload = () => {
    const { width, height } = image
    const scale = Math.min(PIXELS, SIDE / Math.max(width, height), Math.sqrt(AREA / (width * height)))
    const canvas = document.createElement("canvas")
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height)
    URL.revokeObjectURL(address)
    canvas.toBlob((blob) => (blob ? save(blob, `${canvas.width} × ${canvas.height} pixels`) : failed()))
  }
  const save = (blob, size) => {
    const link = document.createElement("a")
    link.href = URL.createObjectURL(blob)
    link.download = data.name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
    said.textContent = `Saved as ${data.name}, ${size}.`
  }
  said.textContent = "Drawing …"
  image.src = address
}

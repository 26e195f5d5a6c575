/**
 * The script of frames for diagrams. One hidden frame of a page loads the library and draws, one diagram after the other; a visible
 * frame for each diagram shows its drawing. Their documents have an opaque origin and may load nothing.
 */
import type mermaid from 'mermaid'
import type { FromFrame, ToFrame } from './messages.ts'

const answer = (message: FromFrame): void => parent.postMessage(message, '*')

const fontFamily = 'system-ui, sans-serif'

/** Settings of the library that a diagram may not change. */
const fixed = {
  startOnLoad: false,
  // The other layout is not in the bundle.
  layout: 'dagre',
  securityLevel: 'strict',
  // The server decides which diagrams are too long to be drawn.
  maxTextSize: 1_000_000,
  maxEdges: 1000,
  suppressErrorRendering: true,
  deterministicIds: true,
  fontFamily,
  themeCSS: '',
}

const library = (): typeof mermaid => (globalThis as unknown as { readonly mermaid: typeof mermaid }).mermaid

function load(script: string): void {
  const element = document.createElement('script')
  element.src = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))
  element.addEventListener('load', () => answer({ kind: 'ready' }))
  element.addEventListener('error', () => answer({ kind: 'broken' }))
  document.head.append(element)
}

function setColours(isDark: boolean): void {
  document.documentElement.style.colorScheme = isDark ? 'dark' : 'light'
}

/** Returns the size of the drawing, by its view box. */
function sizeOf(svg: string): { readonly width: number; readonly height: number; readonly title: string } {
  const element = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
  const [, , width = 0, height = 0] = (element?.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  return { width, height, title: element?.querySelector(':scope > title')?.textContent ?? '' }
}

async function draw(number: number, text: string, isDark: boolean): Promise<void> {
  try {
    setColours(isDark)
    library().initialize({
      ...fixed,
      theme: isDark ? 'dark' : 'default',
      darkMode: isDark,
      secure: [...Object.keys(fixed), 'secure', 'darkMode', 'dompurifyConfig'],
    })
    const { svg } = await library().render(`diagram-${number}`, text)
    answer({ kind: 'drawn', number, svg, ...sizeOf(svg) })
  } catch (error) {
    answer({ kind: 'failed', number, message: (error as Partial<Error> | undefined)?.message })
  }
}

function show(svg: string, isDark: boolean, isWhole: boolean): void {
  setColours(isDark)
  document.body.innerHTML = svg
  const element = document.querySelector('svg')
  if (element === null) return
  // The library makes a drawing as wide as its surroundings; here it keeps its proportions, and in the whole view its size.
  const [, , width = 0] = (element.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  element.style.maxWidth = isWhole ? 'none' : '100%'
  element.style.width = isWhole ? `max(100vw, ${width}px)` : '100%'
  element.style.height = 'auto'
}

addEventListener('message', (event: MessageEvent<ToFrame>) => {
  if (event.source !== parent) return
  const { data } = event
  if (data.kind === 'library') load(data.script)
  else if (data.kind === 'draw') void draw(data.number, data.text, data.isDark)
  else show(data.svg, data.isDark, data.isWhole)
})

// A link of a diagram would replace the diagram.
addEventListener('click', (event) => {
  if (event.target instanceof Element && event.target.closest('a') !== null) event.preventDefault()
})

answer({ kind: 'loaded' })

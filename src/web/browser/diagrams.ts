/**
 * Draws diagrams in place of their source. What people wrote reaches no document of this site: the library and the drawings are in
 * sandboxed frames, and what a frame answers is only a text for another frame, numbers, and a message that is shown as text.
 */
import type { FromFrame, ToFrame } from './frames/messages.ts'

/** Names of files that the build puts here. */
declare const diagramFrameFile: string
declare const diagramLibraryFile: string

/** Longest time of one drawing, in milliseconds. */
const drawingMs = 5000
/** Longest time to load and compile the library, in milliseconds. */
const loadingMs = 60_000
/** After so many drawings that took too long, a page draws no others. */
const mostOverruns = 3
/** Diagrams are drawn when they are that near to the window. */
const nearby = '400px'
/** Largest shown side of a drawing, in CSS pixels. */
const maxSide = 20_000

interface Drawing {
  readonly svg: string
  readonly width: number
  readonly height: number
  readonly title: string
}

const assets = `${document.querySelector<HTMLMetaElement>('meta[name=site-root]')?.content ?? ''}/assets/`

const parts = (): HTMLTemplateElement => document.querySelector<HTMLTemplateElement>('template#diagram-parts')!
const part = (selector: string): HTMLElement =>
  parts().content.querySelector<HTMLElement>(selector)!.cloneNode(true) as HTMLElement
const textOf = (name: 'title' | 'slow' | 'failed' | 'unloaded'): string => parts().dataset[name] ?? ''

const darkness = matchMedia('(prefers-color-scheme: dark)')
function isDark(): boolean {
  const { theme } = document.documentElement.dataset
  return theme === 'dark' || (theme !== 'light' && darkness.matches)
}

/** A sandboxed frame with an opaque origin. */
class Frame {
  readonly element: HTMLIFrameElement
  readonly #onMessage: (event: MessageEvent) => void

  constructor(receive: (message: FromFrame) => void) {
    this.element = document.createElement('iframe')
    this.element.setAttribute('sandbox', 'allow-scripts')
    this.element.title = textOf('title')
    this.element.src = assets + diagramFrameFile
    this.#onMessage = (event) => {
      const isOwn = event.source === this.element.contentWindow
      if (isOwn && typeof event.data === 'object' && event.data !== null) receive(event.data as FromFrame)
    }
    addEventListener('message', this.#onMessage)
  }

  send(message: ToFrame): void {
    this.element.contentWindow?.postMessage(message, '*')
  }

  remove(): void {
    removeEventListener('message', this.#onMessage)
    this.element.remove()
  }
}

class Failure extends Error {}

let libraryText: Promise<string> | undefined

/** Reads the library once for all frames: browsers do not share what frames with opaque origins load. */
function readLibrary(): Promise<string> {
  libraryText ??= fetch(assets + diagramLibraryFile)
    .then((reply) => {
      if (!reply.ok) throw new Failure(textOf('unloaded'))
      return reply.text()
    })
    .catch((error: unknown) => {
      // The next diagram tries again.
      libraryText = undefined
      throw error instanceof Failure ? error : new Failure(textOf('unloaded'))
    })
  return libraryText
}

/** The hidden frame that draws. */
interface Pen {
  readonly frame: Frame
  readonly ready: Promise<void>
  /** Receives the answers to the drawing at work. */
  receive: (message: FromFrame) => void
}

let pen: Pen | undefined
let overruns = 0
let lastNumber = 0

function removePen(): void {
  pen?.frame.remove()
  pen = undefined
}

/** Ends work that never ends. A browser ends a process only with its last frame, and the frames of a page share one. */
function removeAllFrames(): void {
  removePen()
  for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog.diagram-dialog')) {
    dialog.close()
    dialog.remove()
  }
  const all = [...diagrams.values()]
  for (const diagram of all) diagram.removeFrame()
  for (const diagram of all) diagram.showFrame()
}

/** Rejects when an answer does not come in time, and removes the frame. */
function within<Result>(
  ms: number,
  message: string,
  start: (resolve: (result: Result) => void, reject: (error: Failure) => void) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      removeAllFrames()
      reject(new Failure(message))
    }, ms)
    start(
      (result) => (clearTimeout(timer), resolve(result)),
      (error) => (clearTimeout(timer), reject(error)),
    )
  })
}

function openPen(library: string): Pen {
  const opened: Pen = {
    frame: new Frame((message) => opened.receive(message)),
    receive: () => {},
    ready: within<void>(loadingMs, textOf('unloaded'), (resolve, reject) => {
      queueMicrotask(() => {
        opened.receive = ({ kind }) => {
          if (kind === 'loaded') opened.frame.send({ kind: 'library', script: library })
          else if (kind === 'ready') resolve()
          else if (kind === 'broken') reject(new Failure(textOf('unloaded')))
        }
      })
    }),
  }
  opened.frame.element.className = 'diagram-pen'
  opened.frame.element.ariaHidden = 'true'
  opened.frame.element.tabIndex = -1
  // Outside of the body, which a page change replaces.
  document.documentElement.append(opened.frame.element)
  return opened
}

const beginningOf = (value: unknown, length: number): string =>
  typeof value === 'string' ? value.slice(0, length) : ''

const side = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.min(Math.ceil(value), maxSide) : 0

async function drawNow(text: string, dark: boolean): Promise<Drawing> {
  const library = await readLibrary()
  if (pen !== undefined && !pen.frame.element.isConnected) removePen()
  pen ??= openPen(library)
  const { frame, ready } = pen
  const current = pen
  await ready
  lastNumber += 1
  const number = lastNumber
  let isLate = true
  try {
    return await within<Drawing>(drawingMs, textOf('slow'), (resolve, reject) => {
      current.receive = (message) => {
        if (!('number' in message) || message.number !== number) return
        isLate = false
        if (message.kind === 'failed') {
          reject(new Failure(beginningOf(message.message, 1000) || textOf('failed')))
          return
        }
        const { svg, title } = message
        const [width, height] = [side(message.width), side(message.height)]
        if (width === 0 || height === 0) return reject(new Failure(textOf('failed')))
        resolve({ svg: beginningOf(svg, Infinity), width, height, title: beginningOf(title, 200) })
      }
      frame.send({ kind: 'draw', number, text, isDark: dark })
    })
  } finally {
    if (isLate) overruns += 1
  }
}

const drawings = new Map<string, Drawing>()
let queue: Promise<unknown> = Promise.resolve()

/** Draws one diagram after the other. */
function draw(text: string, isWanted: () => boolean): Promise<Drawing | undefined> {
  const dark = isDark()
  const key = `${dark ? 'dark' : 'light'} ${text}`
  const drawn = queue.then(async () => {
    const known = drawings.get(key)
    if (known !== undefined || !isWanted()) return known
    if (overruns >= mostOverruns) throw new Failure(textOf('slow'))
    const drawing = await drawNow(text, dark)
    drawings.set(key, drawing)
    return drawing
  })
  queue = drawn.catch(() => {})
  return drawn
}

function frameWith({ svg, width, height, title }: Drawing, isWhole: boolean): Frame {
  const frame = new Frame((message) => {
    if (message.kind === 'loaded') frame.send({ kind: 'show', svg, isDark: isDark(), isWhole })
  })
  const { element } = frame
  element.className = 'diagram-frame'
  if (title !== '') element.title = title
  if (!isWhole) {
    element.style.width = `${width}px`
    element.style.aspectRatio = `${width} / ${height}`
  }
  return frame
}

/** Shows a drawing in the whole window. */
function openWhole(drawing: Drawing): void {
  const dialog = part('dialog') as HTMLDialogElement
  const frame = frameWith(drawing, true)
  dialog.append(frame.element)
  dialog.addEventListener('close', () => {
    frame.remove()
    dialog.remove()
  })
  document.body.append(dialog)
  dialog.showModal()
}

/** A diagram in place of the element with its source. */
class Diagram {
  readonly #source: HTMLElement
  readonly #box: HTMLElement
  #text = ''
  #frame: Frame | undefined
  #drawing: Drawing | undefined

  constructor(source: HTMLElement) {
    this.#source = source
    const before = source.previousElementSibling
    // A page that the Back button shows is a copy, whose frames are empty.
    if (before?.matches('.diagram')) before.remove()
    source.hidden = false
    this.#box = part('.diagram')
    this.#box.addEventListener('click', (event) => this.#click(event))
    this.#setState('waiting')
    source.before(this.#box)
  }

  /** Draws, when the source or the colours have changed. */
  async draw(): Promise<void> {
    const text = this.#source.textContent
    this.#text = text
    this.#box.querySelector<HTMLElement>('[data-copy]')!.dataset['copy'] = text
    const isWanted = (): boolean => this.#source.isConnected && this.#text === text
    try {
      const drawing = await draw(text, isWanted)
      if (drawing !== undefined && isWanted()) this.#show(drawing)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (isWanted()) this.#fail(error.message)
    }
  }

  get hasChanged(): boolean {
    return this.#text !== this.#source.textContent
  }

  remove(): void {
    this.removeFrame()
    this.#box.remove()
    this.#source.hidden = false
  }

  #setState(state: 'waiting' | 'drawn' | 'failed'): void {
    this.#box.dataset['state'] = state
  }

  removeFrame(): void {
    this.#frame?.remove()
    this.#frame = undefined
  }

  showFrame(): void {
    if (this.#drawing === undefined) return
    this.#frame = frameWith(this.#drawing, false)
    this.#box.prepend(this.#frame.element)
  }

  #show(drawing: Drawing): void {
    this.removeFrame()
    this.#drawing = drawing
    this.showFrame()
    this.#source.hidden = this.#box.querySelector('[data-diagram=source]')?.ariaPressed !== 'true'
    this.#setState('drawn')
  }

  #fail(message: string): void {
    this.removeFrame()
    this.#drawing = undefined
    this.#source.hidden = false
    this.#box.querySelector('[role=status]')!.textContent = message
    this.#setState('failed')
  }

  #click(event: Event): void {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-diagram]') : null
    if (button === null || this.#drawing === undefined) return
    if (button.dataset['diagram'] === 'whole') openWhole(this.#drawing)
    else {
      const isShown = button.ariaPressed !== 'true'
      this.#source.hidden = !isShown
      button.ariaPressed = String(isShown)
    }
  }
}

const diagrams = new Map<Element, Diagram>()
/** Diagrams that were near to the window once. */
const begun = new Set<Diagram>()

/** Compares two elements by their places in the document. */
const byPlace = (one: Element, other: Element): number =>
  one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1

const watch = new IntersectionObserver(
  (entries) => {
    // Browsers report in any order. People read from the top, and what takes too long ends the drawing of what comes after it.
    for (const { target, isIntersecting } of entries.toSorted((one, other) => byPlace(one.target, other.target))) {
      const diagram = diagrams.get(target)
      if (!isIntersecting || diagram === undefined) continue
      watch.unobserve(target)
      begun.add(diagram)
      void diagram.draw()
    }
  },
  { rootMargin: nearby },
)

darkness.addEventListener('change', () => {
  for (const diagram of begun) void diagram.draw()
})

// A refresh keeps drawings, and draws again what has changed.
document.addEventListener('turbo:before-morph-element', (event) => {
  if (event.target instanceof Element && event.target.matches('.diagram, .diagram *')) event.preventDefault()
})
document.addEventListener('turbo:before-morph-attribute', (event) => {
  const { attributeName } = (event as CustomEvent<{ readonly attributeName: string }>).detail
  const isSource = event.target instanceof Element && diagrams.has(event.target)
  if (isSource && attributeName === 'hidden') event.preventDefault()
})
document.addEventListener('turbo:render', () => {
  for (const diagram of begun) if (diagram.hasChanged) void diagram.draw()
})

/** Connects the element with the source of a diagram. */
export function connectDiagram(source: HTMLElement): () => void {
  const diagram = new Diagram(source)
  diagrams.set(source, diagram)
  watch.observe(source)
  return () => {
    watch.unobserve(source)
    diagrams.delete(source)
    begun.delete(diagram)
    diagram.remove()
  }
}

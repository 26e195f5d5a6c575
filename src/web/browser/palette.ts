import Combobox from '@github/combobox-nav'

const delayMs = 120
const prepared = new WeakSet<HTMLDialogElement>()

/** Returns the text of an answer; undefined when none came, or not the one that was asked for. */
const textOf = (reply: Promise<Response>): Promise<string | undefined> =>
  reply.then((received) => (received.ok ? received.text() : undefined)).catch(() => undefined)

/**
 * Fills the palette and follows what is typed into it. The dialog contains an input and a list box; its `data-url` answers `?q=` with links, each
 * with `role="option"`, and a note in `[data-note]`. The note, or `data-failed` of the status, stands below the list.
 */
export function openPalette(dialog: HTMLDialogElement): void {
  const input = dialog.querySelector('input')
  const results = dialog.querySelector<HTMLElement>('[role=listbox]')
  const status = dialog.querySelector<HTMLElement>('[role=status]')
  // It may be closed before this script is loaded.
  if (!input || !results || !dialog.open) return
  input.focus()
  input.select()
  if (prepared.has(dialog)) return
  prepared.add(dialog)
  const combobox = new Combobox(input, results, { tabInsertsSuggestions: false, firstOptionSelectionMode: 'selected' })
  combobox.start()

  let timer: number | undefined
  let current: AbortController | undefined
  /** The results are not those of what is typed; with `goesOn`, the first one is followed when they come. */
  let isBehind = false
  let goesOn = false
  const load = async () => {
    current?.abort()
    const mine = new AbortController()
    current = mine
    const url = new URL(dialog.dataset['url'] ?? '', location.href)
    url.searchParams.set('q', input.value)
    url.searchParams.set('from', location.pathname)
    const text = await textOf(fetch(url, { signal: mine.signal, headers: { accept: 'text/html' } }))
    // A newer request ended this one.
    if (mine.signal.aborted) return
    if (text === undefined) {
      // The earlier results stay, but Enter does not follow one of another text.
      goesOn = false
      if (status) status.textContent = status.dataset['failed'] ?? ''
      return
    }
    results.innerHTML = text
    const note = results.querySelector('[data-note]')
    note?.remove()
    if (status) status.textContent = note?.textContent ?? ''
    combobox.resetSelection()
    isBehind = false
    if (goesOn) results.querySelector<HTMLElement>('[role=option][aria-selected=true]')?.click()
    goesOn = false
  }
  input.addEventListener('input', () => {
    isBehind = true
    goesOn = false
    clearTimeout(timer)
    timer = setTimeout(() => void load(), delayMs)
  })
  // Enter follows the marked option; without one, it must not close the dialog or send its form.
  input.addEventListener('keydown', (event) => {
    // Browsers only empty a field of a search, and leave the focus there until the next frame, where keys are text.
    if (event.key === 'Escape') {
      dialog.close()
      input.blur()
    }
    if (event.key !== 'Enter') return
    event.preventDefault()
    goesOn = isBehind
  })
  results.addEventListener('combobox-commit', () => dialog.close())
  void load()
}

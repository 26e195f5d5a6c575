import Combobox from '@github/combobox-nav'

const delayMs = 80
const prepared = new WeakSet<HTMLDialogElement>()

const textOf = (asked: Promise<Response>): Promise<string | undefined> =>
  asked.then((reply) => (reply.ok ? reply.text() : undefined)).catch(() => undefined)

/**
 * Fills the palette and follows what is typed into it. The dialog contains an input and a list box; its `data-url` answers `?q=` with links, each with `role="option"`.
 */
export function openPalette(dialog: HTMLDialogElement): void {
  const input = dialog.querySelector('input')
  const results = dialog.querySelector<HTMLElement>('[role=listbox]')
  if (!input || !results) return
  input.focus()
  input.select()
  if (prepared.has(dialog)) return
  prepared.add(dialog)
  const combobox = new Combobox(input, results, { tabInsertsSuggestions: false, firstOptionSelectionMode: 'selected' })
  combobox.start()

  let timer: number | undefined
  let asked: AbortController | undefined
  /** The results are not those of what is typed; with `goesOn`, the first one is followed when they come. */
  let isBehind = false
  let goesOn = false
  const load = async () => {
    asked?.abort()
    asked = new AbortController()
    const url = new URL(dialog.dataset['url'] ?? '', location.href)
    url.searchParams.set('q', input.value)
    url.searchParams.set('from', location.pathname)
    // A newer request ends this one, and the network may fail: the earlier results stay.
    const text = await textOf(fetch(url, { signal: asked.signal, headers: { accept: 'text/html' } }))
    if (text === undefined) return
    results.innerHTML = text
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
    // Browsers only empty a field of a search.
    if (event.key === 'Escape') dialog.close()
    if (event.key !== 'Enter') return
    event.preventDefault()
    goesOn = isBehind
  })
  results.addEventListener('combobox-commit', () => dialog.close())
  void load()
}

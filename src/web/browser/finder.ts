import Combobox from '@github/combobox-nav'
import { FileMatcher, type FoundFile } from './file-match.ts'

/** Files that are shown at once. */
const maxShown = 50

interface FileList {
  readonly paths: readonly string[]
  readonly isWhole: boolean
}

/** The list that was read last, which is most often the next one too. */
let kept: { readonly etag: string; readonly matcher: FileMatcher; readonly isWhole: boolean } | undefined

async function readList(url: string): Promise<NonNullable<typeof kept>> {
  const reply = await fetch(url, { headers: { accept: 'application/json' } })
  if (!reply.ok) throw new Error(`the list of files was answered with ${reply.status}`)
  const etag = reply.headers.get('etag') ?? ''
  if (kept?.etag === etag && etag !== '') return kept
  const { paths, isWhole } = (await reply.json()) as FileList
  return (kept = { etag, matcher: new FileMatcher(paths), isWhole })
}

/** The path with marks around the letters that match. */
function markedPath({ path, ranges }: FoundFile): HTMLElement {
  const text = document.createElement('span')
  text.className = 'mono found-path'
  let shown = 0
  for (let at = 0; at < ranges.length; at += 2) {
    const mark = document.createElement('mark')
    mark.append(path.slice(ranges[at], ranges[at + 1]))
    text.append(path.slice(shown, ranges[at]), mark)
    shown = ranges[at + 1]!
  }
  text.append(path.slice(shown))
  return text
}

function optionOf(file: FoundFile, index: number, openIn: string): HTMLElement {
  const option = document.createElement('a')
  option.setAttribute('role', 'option')
  option.id = `finder-${index}`
  option.tabIndex = -1
  option.href = `${openIn}/${file.path.split('/').map(encodeURIComponent).join('/')}`
  option.append(markedPath(file))
  return option
}

const prepared = new WeakSet<HTMLDialogElement>()

/** Fills the finder and follows what is typed. The list of files is read at each opening; browsers have kept it. */
export function openFinder(dialog: HTMLDialogElement): void {
  const input = dialog.querySelector('input')
  const results = dialog.querySelector<HTMLElement>('[role=listbox]')
  const status = dialog.querySelector<HTMLElement>('[role=status]')
  // It may be closed before this script is loaded.
  if (!input || !results || !status || !dialog.open) return
  input.focus()
  input.select()
  const say = (name: string | undefined): void => {
    status.textContent = name === undefined ? '' : (status.dataset[name] ?? '')
  }
  if (!prepared.has(dialog)) prepare(dialog, input, results)
  let list: typeof kept
  const show = (): void => {
    if (list === undefined) return
    const found = list.matcher.find(input.value, maxShown)
    const openIn = dialog.dataset['openIn'] ?? ''
    results.replaceChildren(...found.map((file, index) => optionOf(file, index, openIn)))
    say(found.length === 0 ? 'none' : list.isWhole ? undefined : 'cut')
    dialog.dispatchEvent(new Event('finder-shown'))
  }
  say('loading')
  input.addEventListener('input', show)
  dialog.addEventListener('close', () => input.removeEventListener('input', show), { once: true })
  void readList(dialog.dataset['url'] ?? '').then(
    (read) => {
      list = read
      show()
    },
    () => say('failed'),
  )
}

function prepare(dialog: HTMLDialogElement, input: HTMLInputElement, results: HTMLElement): void {
  prepared.add(dialog)
  const combobox = new Combobox(input, results, { tabInsertsSuggestions: false, firstOptionSelectionMode: 'selected' })
  combobox.start()
  dialog.addEventListener('finder-shown', () => combobox.resetSelection())
  input.addEventListener('keydown', (event) => {
    // Browsers only empty a field of a search, and leave the focus there until the next frame, where keys are text.
    if (event.key === 'Escape') {
      dialog.close()
      input.blur()
    }
    // Without a marked option, Enter would close the dialog.
    if (event.key === 'Enter') event.preventDefault()
  })
  // A page that is shown again by Back shows no open dialog.
  results.addEventListener('combobox-commit', () => dialog.close())
}

/**
 * Drafts: what somebody has typed into the text areas of a form and not sent is in its field again after a reload, a
 * closed tab, or signing in again. They are kept in the browser for each person; signing out forgets them with the other
 * data of the site.
 */

/** A draft is forgotten after this time, in milliseconds. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000

/** Most characters of all drafts. Browsers keep about 5 million for a site. */
const maxCharacters = 3_000_000

const prefix = 'draft\n'

interface Draft {
  /** The text that the page had in the field; another page than the one it was typed on takes no draft. */
  readonly from: string
  readonly text: string
  /** Time of the last change, in milliseconds since 1970. */
  readonly atMs: number
}

/** Text areas whose texts are kept. Those of secrets are not among them. */
const kept = 'textarea[data-markdown], textarea[data-editor]'

/** The person whose drafts these are: somebody else may sign in in the same tab. */
const person = (): string | undefined => document.querySelector<HTMLMetaElement>('meta[name=viewer]')?.content

/** The path of the page that a field belongs to: a frame may show another page than the address says. */
function pathOf(field: HTMLElement): string {
  const shown = field.closest('turbo-frame[data-turbo-permanent]')?.getAttribute('src') ?? location.href
  return new URL(shown, location.href).pathname
}

/** The key of a field: its page, its form with what it is about, and its name. */
function keyOf(field: HTMLTextAreaElement): string | undefined {
  const { form, name } = field
  const who = person()
  if (!form || name === '' || who === undefined) return undefined
  const about = [...form.querySelectorAll<HTMLInputElement>('input[type=hidden]')]
    .filter((each) => each.name !== '_csrf' && each.name !== form.dataset['once'])
    .map((each) => `${each.name}=${each.value}`)
  const { pathname } = new URL(form.getAttribute('action') ?? '', location.href)
  return [prefix + who, pathOf(field), pathname, ...about, name].join('\n')
}

/** Returns the drafts of all people, the oldest first. */
function readDrafts(): { readonly key: string; readonly size: number; readonly atMs: number }[] {
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const text = localStorage.getItem(key) ?? ''
      return { key, size: key.length + text.length, atMs: parseDraft(text)?.atMs ?? 0 }
    })
    .toSorted((one, other) => one.atMs - other.atMs)
}

/** Forgets what is too old, and the oldest drafts until another one has room. */
function makeRoom(size: number): void {
  const drafts = readDrafts()
  let total = drafts.reduce((sum, each) => sum + each.size, size)
  for (const each of drafts) {
    if (total <= maxCharacters && Date.now() - each.atMs <= maxAgeMs) break
    localStorage.removeItem(each.key)
    total -= each.size
  }
}

/** Returns undefined for what is no draft, as of an earlier version of this program. */
function parseDraft(text: string): Draft | undefined {
  try {
    const { from, text: typed, atMs } = JSON.parse(text) as Partial<Draft>
    if (typeof from !== 'string' || typeof typed !== 'string' || typeof atMs !== 'number') return undefined
    return { from, text: typed, atMs }
  } catch {
    return undefined
  }
}

/** Fields with changed texts that could not be kept: leaving the page asks. */
const unkept = new Set<HTMLTextAreaElement>()

function keep(field: HTMLTextAreaElement): void {
  const key = keyOf(field)
  unkept.delete(field)
  if (key === undefined) return
  if (field.value === field.defaultValue) return localStorage.removeItem(key)
  const draft = JSON.stringify({ from: field.defaultValue, text: field.value, atMs: Date.now() } satisfies Draft)
  localStorage.removeItem(key)
  const size = key.length + draft.length
  try {
    if (size > maxCharacters) throw new Error('the draft is too large')
    makeRoom(size)
    localStorage.setItem(key, draft)
  } catch {
    unkept.add(field)
  }
}

const losesText = (): boolean => [...unkept].some((field) => field.isConnected)

addEventListener('beforeunload', (event) => {
  if (losesText()) event.preventDefault()
})
// The browser asks when it leaves the document, so it follows the link itself.
document.addEventListener('turbo:before-visit', (event) => {
  if (!losesText()) return
  event.preventDefault()
  location.assign((event as CustomEvent<{ url: string }>).detail.url)
})

/** Puts the draft of a field into it. */
export function continueDraft(field: HTMLTextAreaElement): void {
  const key = keyOf(field)
  const draft = key === undefined ? undefined : parseDraft(localStorage.getItem(key) ?? '')
  if (draft === undefined || field.value !== field.defaultValue || draft.from !== field.defaultValue) return
  if (Date.now() - draft.atMs > maxAgeMs) return
  field.value = draft.text
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

document.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLTextAreaElement && target.matches(kept)) keep(target)
})

interface Sent {
  readonly success?: boolean
  readonly fetchResponse?: { readonly location: URL }
}

document.addEventListener('turbo:submit-end', (event) => {
  const { success, fetchResponse } = (event as CustomEvent<Sent>).detail
  const form = event.target
  // Whoever is asked to sign in has sent nothing yet.
  if (!success || !(form instanceof HTMLFormElement) || fetchResponse?.location.pathname.endsWith('/user/login')) return
  for (const field of form.querySelectorAll<HTMLTextAreaElement>(kept)) {
    const key = keyOf(field)
    if (key !== undefined) localStorage.removeItem(key)
    unkept.delete(field)
  }
})

/**
 * Drafts: what somebody has typed into the text areas of a form and not sent is in its field again after a reload, a
 * closed tab, or signing in again. A draft of a text that changed meanwhile is offered above the field. They are kept in the
 * browser for each person; signing out forgets them with the other data of the site.
 */

/** A draft is forgotten after this time, in milliseconds. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000

/** Most characters of all drafts. Browsers keep about 5 million for a site. */
const maxCharacters = 3_000_000

const prefix = 'draft\n'

interface Draft {
  /** The text that the page had in the field. */
  readonly from: string
  readonly text: string
  /** Time of the last change, in milliseconds since 1970. */
  readonly atMs: number
}

/** Text areas whose texts are kept. Those of secrets are not among them. */
const kept = 'textarea:not([data-unkept], [readonly])'

/** The person whose drafts these are: somebody else may sign in in the same tab. */
const person = (): string | undefined => document.querySelector<HTMLMetaElement>('meta[name=viewer]')?.content

/** The path of the page that a field belongs to: a frame may show another page than the address says. */
function pathOf(field: HTMLElement): string {
  const shown = field.closest('turbo-frame[data-turbo-permanent]')?.getAttribute('src') ?? location.href
  return new URL(shown, location.href).pathname
}

/** The key of a field: its page, its form with what it is about, and its name. The version of the text is no part of it. */
function keyOf(field: HTMLTextAreaElement): string | undefined {
  const { form, name } = field
  const who = person()
  if (!form || name === '' || who === undefined) return undefined
  const about = [...form.querySelectorAll<HTMLInputElement>('input[type=hidden]:not([data-version])')]
    .filter((each) => each.name !== '_csrf' && each.name !== '_once')
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

/** Returns the draft with a key, unless it is too old. */
function findDraft(key: string): Draft | undefined {
  const draft = parseDraft(localStorage.getItem(key) ?? '')
  return draft && Date.now() - draft.atMs <= maxAgeMs ? draft : undefined
}

/** Throws when the browser does not keep it. */
function store(key: string, draft: Draft): void {
  const text = JSON.stringify(draft)
  localStorage.removeItem(key)
  const size = key.length + text.length
  if (size > maxCharacters) throw new Error('the draft is too large')
  makeRoom(size)
  localStorage.setItem(key, text)
}

/** Fields with changed texts that could not be kept: leaving the page asks. */
const unkept = new Set<HTMLTextAreaElement>()

/** The texts that fields had before anything was typed. A refused form comes back with what was typed. */
const origins = new WeakMap<HTMLTextAreaElement, string>()

const originOf = (field: HTMLTextAreaElement): string => origins.get(field) ?? field.defaultValue

function keep(field: HTMLTextAreaElement): void {
  const key = keyOf(field)
  unkept.delete(field)
  if (key === undefined) return
  const from = originOf(field)
  if (field.value === from) return localStorage.removeItem(key)
  try {
    store(key, { from, text: field.value, atMs: Date.now() })
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

/** Puts a text into a field; the event `draft` tells an editor in front of it. */
function fill(field: HTMLTextAreaElement, text: string): void {
  field.value = text
  field.dispatchEvent(new Event('draft'))
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Fields whose drafts are looked for. */
const known = new WeakSet<HTMLTextAreaElement>()

/** Puts the draft of a field into it, or offers it when the text changed since. */
export function continueDraft(field: HTMLTextAreaElement): void {
  const key = field.matches(kept) ? keyOf(field) : undefined
  if (key === undefined || known.has(field)) return
  known.add(field)
  const draft = findDraft(key)
  // The page has the draft, as after a refusal.
  if (draft?.text.trim() && `${field.defaultValue}\n`.startsWith(`${draft.text.trimEnd()}\n`)) {
    origins.set(field, draft.from)
  }
  const isTyped = field.value !== field.defaultValue
  if (draft !== undefined && draft.from !== originOf(field)) {
    // What is typed now has the key for itself.
    localStorage.removeItem(key)
    localStorage.setItem(key + earlierMark + draft.atMs, JSON.stringify(draft))
  } else if (draft !== undefined && !isTyped && draft.from === field.defaultValue) {
    fill(field, draft.text)
  }
  // Somebody typed while the script was loaded.
  if (isTyped) keep(field)
  else if (field.value === originOf(field)) continueEarlier(field, key)
  offerEarlier(field, key)
}

/** Between the key of a field and the time of a draft of an earlier version of its text. */
const earlierMark = '\nearlier\n'

/** Returns the keys of the drafts of earlier versions, the latest first. */
const earlierKeys = (key: string): readonly string[] =>
  Object.keys(localStorage)
    .filter((each) => each.startsWith(key + earlierMark))
    .toSorted((one, other) => Number(other.split('\n').at(-1)) - Number(one.split('\n').at(-1)))

/** Puts the latest draft of an earlier version into its field when the field has that text again. */
function continueEarlier(field: HTMLTextAreaElement, key: string): void {
  for (const earlier of earlierKeys(key)) {
    const draft = findDraft(earlier)
    if (draft === undefined || draft.from !== originOf(field)) continue
    localStorage.removeItem(earlier)
    return fill(field, draft.text)
  }
}

/** Shows the latest draft of an earlier version above its field, with buttons to restore it and to forget it. */
function offerEarlier(field: HTMLTextAreaElement, key: string): void {
  const place = field.closest('.editor') ?? field.closest('.field') ?? field
  if (place.previousElementSibling?.matches('[data-draft-offer]')) place.previousElementSibling.remove()
  const [earlier] = earlierKeys(key)
  const draft = earlier === undefined ? undefined : findDraft(earlier)
  const template = document.querySelector<HTMLTemplateElement>('template#draft-offer')
  const copy = template?.content.cloneNode(true)
  const notice = copy instanceof DocumentFragment ? copy.firstElementChild : null
  if (earlier === undefined || draft === undefined || !notice) return
  notice.querySelector('relative-time')?.setAttribute('datetime', new Date(draft.atMs).toISOString())
  const panel = notice.querySelector<HTMLElement>('[data-draft-panel]')
  const forget = () => {
    localStorage.removeItem(earlier)
    offerEarlier(field, key)
  }
  const acts: Readonly<Record<string, (button: HTMLElement) => void>> = {
    discard: forget,
    restore: () => {
      const { value } = field
      const from = originOf(field)
      const atMs = Date.now()
      // What was typed since is offered in turn.
      if (value !== from) store(key + earlierMark + atMs, { from, text: value, atMs })
      fill(field, draft.text)
      forget()
    },
    difference: (button) => {
      if (!panel) return
      const isOpening = panel.hidden !== false
      panel.hidden = !isOpening
      button.setAttribute('aria-expanded', String(isOpening))
      if (!isOpening) return
      void import('./difference.ts').then(({ showDifference }) => showDifference(panel, field.value, draft.text))
    },
  }
  notice.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-draft-act]') : null
    if (button) acts[button.dataset['draftAct'] ?? '']?.(button)
  })
  place.before(notice)
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

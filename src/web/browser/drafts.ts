/**
 * Drafts: what somebody has typed into the text areas of a form and not sent is in its field again after a reload, a
 * closed page, or signing in again. They are kept in the browser's tab and end with it.
 */

interface Draft {
  /** The text that the page had in the field; another page than the one it was typed on takes no draft. */
  readonly from: string
  readonly text: string
}

/** The person whose drafts these are: somebody else may sign in in the same tab. */
const person = (): string | undefined => document.querySelector<HTMLMetaElement>('meta[name=viewer]')?.content

/** The key of a field: its page, its form with what it is about, and its name. */
function keyOf(field: HTMLTextAreaElement): string | undefined {
  const { form, name } = field
  const who = person()
  if (!form || name === '' || who === undefined) return undefined
  const about = [...form.querySelectorAll<HTMLInputElement>('input[type=hidden]')]
    .filter((each) => each.name !== '_csrf')
    .map((each) => `${each.name}=${each.value}`)
  const { pathname } = new URL(form.getAttribute('action') ?? '', location.href)
  return ['draft', who, location.pathname, pathname, ...about, name].join('\n')
}

function keep(field: HTMLTextAreaElement): void {
  const key = keyOf(field)
  if (key === undefined) return
  if (field.value === field.defaultValue) return sessionStorage.removeItem(key)
  const draft: Draft = { from: field.defaultValue, text: field.value }
  try {
    sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // The storage of the tab is full: the text is in its field only.
  }
}

/** Puts the draft of a field into it. */
export function continueDraft(field: HTMLTextAreaElement): void {
  const key = keyOf(field)
  const kept = key === undefined ? null : sessionStorage.getItem(key)
  if (kept === null || field.value !== field.defaultValue) return
  const { from, text } = JSON.parse(kept) as Draft
  if (from !== field.defaultValue) return
  field.value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

document.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLTextAreaElement && target.matches('[data-markdown]')) keep(target)
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
  for (const field of form.querySelectorAll<HTMLTextAreaElement>('textarea[data-markdown]')) {
    const key = keyOf(field)
    if (key !== undefined) sessionStorage.removeItem(key)
  }
})

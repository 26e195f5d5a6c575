/**
 * Pages of one person are not shown to the next one: not by the Back button, which shows pages that the browser or Turbo kept, and not in
 * another tab. All tabs share the name of the person whom the server answered last; the empty name is a guest.
 */
import * as Turbo from '@hotwired/turbo'

const metaOf = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? ''

const key = `viewer ${metaOf('site-root')}`

/** Returns the shared name; undefined where the browser keeps nothing, so that the server's headers are the only protection. */
function sharedViewer(): string | undefined {
  try {
    return localStorage.getItem(key) ?? ''
  } catch {
    return undefined
  }
}

function share(viewer: string): void {
  try {
    if (localStorage.getItem(key) !== viewer) localStorage.setItem(key, viewer)
  } catch {
    // The browser keeps nothing.
  }
}

/** Loads a page again that was made for somebody who has left; until then it is hidden. Pages of guests hide nothing. */
function leaveIfForeign(): void {
  const shown = metaOf('viewer')
  const shared = sharedViewer()
  if (shown === '' || shared === undefined || shown === shared) return
  document.documentElement.hidden = true
  Turbo.cache.clear()
  location.reload()
}

let isRestored = false
/** Whom this document showed pages last. */
let last = metaOf('viewer')

document.addEventListener('turbo:visit', (event) => {
  isRestored = (event as CustomEvent<{ readonly action?: string }>).detail.action === 'restore'
})
document.addEventListener('turbo:render', () => {
  if (isRestored) leaveIfForeign()
})
document.addEventListener('turbo:load', () => {
  isLeaving = false
  const viewer = metaOf('viewer')
  if (viewer !== last) Turbo.cache.clear()
  last = viewer
  if (!isRestored) share(viewer)
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) leaveIfForeign()
})

interface SubmitEnd {
  readonly success: boolean
  readonly fetchResponse?: { readonly redirected: boolean }
}

/** The answer to a form of this tab leads to another page: loading this one again would cancel that. */
let isLeaving = false
document.addEventListener('turbo:submit-start', () => (isLeaving = true))
document.addEventListener('turbo:submit-end', (event) => {
  const { success, fetchResponse } = (event as CustomEvent<SubmitEnd>).detail
  isLeaving = success && fetchResponse?.redirected === true
  if (!isLeaving) leaveIfForeign()
})
addEventListener('storage', (event) => {
  if ((event.key === key || event.key === null) && !isLeaving) leaveIfForeign()
})

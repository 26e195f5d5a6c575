import { around } from './present.ts'

/** From this width, a conversation has room beside the list. The style sheet has the same one. */
const wide = matchMedia('(min-width: 75rem)')

/** A frame of Turbo. */
type Frame = HTMLElement & { src: string | null }

/** The page that a frame shows, without query and fragment. */
const pageOf = (address: string): string => new URL(address, location.href).pathname

/**
 * The list of notifications. On a wide window, its links open conversations in the frame beside it, where links and forms
 * stay in the frame; what is no conversation opens as a page.
 */
export function connectInbox(inbox: HTMLElement): (() => void) | void {
  const frame = inbox.querySelector<Frame>('turbo-frame[data-turbo-permanent]')
  if (!frame) return
  const leaving = new AbortController()
  const { signal } = leaving
  const fit = () => frame.toggleAttribute('disabled', !wide.matches)
  fit()
  wide.addEventListener('change', fit, { signal })
  const markOpen = () => {
    const shown = frame.src ? pageOf(frame.src) : undefined
    for (const link of inbox.querySelectorAll<HTMLAnchorElement>('[data-row-link]')) {
      const isOpen = shown !== undefined && pageOf(link.href) === shown
      if (isOpen) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
      // Its notification was marked as read when the page was loaded.
      if (isOpen) link.closest('li')?.classList.add('is-read')
    }
  }
  /** The frames of comments lead to whole pages elsewhere. */
  const keepInside = () => {
    for (const inner of frame.querySelectorAll('turbo-frame[target=_top]')) inner.setAttribute('target', frame.id)
  }
  markOpen()
  frame.addEventListener('turbo:frame-render', keepInside, { signal })
  frame.addEventListener(
    'turbo:frame-load',
    ({ target }) => {
      if (target !== frame || !frame.src) return
      markOpen()
      const { hash } = new URL(frame.src, location.href)
      const place = hash === '' ? null : frame.querySelector(`[id="${CSS.escape(decodeURIComponent(hash.slice(1)))}"]`)
      if (place) place.scrollIntoView()
      else frame.scrollTop = 0
    },
    { signal },
  )
  frame.addEventListener(
    'turbo:frame-missing',
    (event) => {
      if (around(event, 'turbo-frame') !== frame) return
      const { response, visit } = (event as CustomEvent<{ response: Response; visit: (to: Response) => void }>).detail
      event.preventDefault()
      visit(response)
    },
    { signal },
  )
  document.addEventListener('turbo:render', markOpen, { signal })
  return () => leaving.abort()
}

type Disconnect = () => void

interface Behaviour {
  readonly selector: string
  readonly connect: (element: HTMLElement) => Disconnect | void
  readonly connected: Map<HTMLElement, Disconnect | void>
}

const behaviours: Behaviour[] = []

/**
 * Calls `connect` for each element that matches, now and whenever one enters the document, and the function that it
 * returns when the element leaves. Pages change without a load, so scripts cannot look once.
 */
export function onEach(selector: string, connect: Behaviour['connect']): void {
  const behaviour: Behaviour = { selector, connect, connected: new Map() }
  behaviours.push(behaviour)
  search(behaviour, document.documentElement)
}

function search({ selector, connect, connected }: Behaviour, root: HTMLElement): void {
  const found = [...(root.matches(selector) ? [root] : []), ...root.querySelectorAll<HTMLElement>(selector)]
  for (const element of found) if (!connected.has(element)) connected.set(element, connect(element))
}

function forgetRemoved({ connected }: Behaviour): void {
  for (const [element, disconnect] of connected) {
    if (element.isConnected) continue
    connected.delete(element)
    disconnect?.()
  }
}

new MutationObserver((records) => {
  const added = records.flatMap((record) => [...record.addedNodes]).filter((node) => node instanceof HTMLElement)
  const hasRemoved = records.some((record) => record.removedNodes.length > 0)
  for (const behaviour of behaviours) {
    if (hasRemoved) forgetRemoved(behaviour)
    for (const root of added) if (root.isConnected) search(behaviour, root)
  }
}).observe(document.documentElement, { childList: true, subtree: true })

/** Returns the nearest matching element around the target of an event. */
export const around = (event: Event, selector: string): HTMLElement | null =>
  event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null

/** Whether keys typed there are text. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=submit])'))

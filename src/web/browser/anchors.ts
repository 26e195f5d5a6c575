/**
 * Scrolls to the part of a text that the address names. The ids of a text have the prefix `user-content-` and, except in the main text
 * of a page, a scope (`comment-12:user-content-install`). People write addresses without them (`README.md#install`), as in a file or on
 * another forge, and a text may link to a part of the page around it (`#issuecomment-12`).
 */
const scrollToPart = () => {
  const id = decodePart(location.hash.slice(1))
  if (id === '' || document.getElementById(id)) return
  partOf(id.replace(/^(?:[\w-]+:)?user-content-/, ''))?.scrollIntoView()
}

/** A comment is the page's own: no text of the page stands in for it. */
const partOf = (name: string): Element | null =>
  (/^issuecomment-\d+$/.test(name) ? document.getElementById(name) : null) ??
  document.getElementById(`user-content-${name}`) ??
  document.getElementById(name) ??
  document.querySelector(`[id$="${CSS.escape(`:user-content-${name}`)}"]`)

/** Returns the name of a part; an address that is not encoded well names it as it stands. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Scrolls when the address has the part of a followed link; on a busy machine that is some frames after the click. */
function followPart(hash: string, untilMs: number): void {
  if (location.hash === hash) {
    scrollToPart()
    requestAnimationFrame(scrollToPart)
  } else if (performance.now() < untilMs) requestAnimationFrame(() => followPart(hash, untilMs))
}

/** Longest wait for the address to change after a click, in milliseconds. */
const changeMs = 5000

document.addEventListener('turbo:load', scrollToPart)
addEventListener('hashchange', scrollToPart)
document.addEventListener('click', ({ target }) => {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href*="#"]') : null
  if (link?.pathname !== location.pathname || link.search !== location.search) return
  followPart(link.hash, performance.now() + changeMs)
})

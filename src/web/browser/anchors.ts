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

const partOf = (name: string): Element | null =>
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

document.addEventListener('turbo:load', scrollToPart)
addEventListener('hashchange', scrollToPart)

/**
 * Scrolls to the part of a text that the address names without the prefix of ids in texts (`README.md#install`), as people
 * write addresses that they have from a file or from another forge.
 */
const scrollToPart = () => {
  const id = decodePart(location.hash.slice(1))
  if (id === '' || document.getElementById(id)) return
  document.getElementById(`user-content-${id}`)?.scrollIntoView()
}

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

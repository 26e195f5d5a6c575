import * as Turbo from '@hotwired/turbo'

/** Addresses whose last part may look like a file while they are pages: `…/src/branch/main/app.js`. */
const filePages = /\/(?:src|blame|commits)\/(?:branch|tag|commit)\//
/** Addresses of files, whatever their last part looks like. */
const files = /\/(?:raw|media|archive|attachments|assets|releases\/download)\//

const fileExtensions = Turbo.config.drive.unvisitableExtensions
Turbo.config.drive.unvisitableExtensions = new Set()

const isFile = (path: string): boolean => {
  if (files.test(path)) return true
  const [extension] = /\.[^./]*$/.exec(path) ?? []
  return extension !== undefined && fileExtensions.has(extension.toLowerCase()) && !filePages.test(path)
}

// The browser follows links to files itself.
document.addEventListener('turbo:click', (event) => {
  const { url } = (event as CustomEvent<{ url: string }>).detail
  if (isFile(new URL(url).pathname)) event.preventDefault()
})

const isChanged = (element: EventTarget | null): boolean =>
  (element instanceof HTMLTextAreaElement && element.value !== element.defaultValue) ||
  (element instanceof HTMLInputElement && element.type !== 'hidden' && element.value !== element.defaultValue)

// A refresh keeps what somebody has typed and not sent.
document.addEventListener('turbo:before-morph-element', (event) => {
  if (isChanged(event.target)) event.preventDefault()
})
// A menu that a person opened stays open.
document.addEventListener('turbo:before-morph-attribute', (event) => {
  const { attributeName } = (event as CustomEvent<{ attributeName: string }>).detail
  if (attributeName === 'open' && event.target instanceof HTMLDetailsElement) event.preventDefault()
  if (attributeName === 'open' && event.target instanceof HTMLDialogElement) event.preventDefault()
})

// The page that the Back button shows has no open menus or dialogs.
document.addEventListener('turbo:before-cache', () => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) menu.open = false
  for (const dialog of document.querySelectorAll('dialog')) dialog.close()
})

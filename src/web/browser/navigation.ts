import * as Turbo from '@hotwired/turbo'
import { around } from './present.ts'

/** Addresses whose last part may look like a file while they are pages: `…/src/branch/main/app.js`, `…/_edit/main/app.js`. */
const filePages = /\/(?:src|blame|commits)\/(?:branch|tag|commit)\/|\/_[a-z]+\//
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

// A page that somebody opens may mark a notification as read, so a pointer over its link must not load it.
document.addEventListener('turbo:before-prefetch', (event) => event.preventDefault())

/** Forms that were sent and accepted since the page was loaded: their texts are no longer drafts. */
const accepted = new Set<HTMLFormElement>()
document.addEventListener('turbo:submit-end', (event) => {
  const { success } = (event as CustomEvent<{ success?: boolean }>).detail
  if (success && event.target instanceof HTMLFormElement) accepted.add(event.target)
})
document.addEventListener('turbo:load', () => accepted.clear())

const isDraft = (element: HTMLTextAreaElement | HTMLInputElement): boolean =>
  element.type !== 'hidden' &&
  element.value !== element.defaultValue &&
  !(element.form !== null && accepted.has(element.form))

// A refresh keeps what somebody has typed and not sent, and the editor that a script put there.
document.addEventListener('turbo:before-morph-element', (event) => {
  const { target } = event
  const isField = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement
  const isEditor = target instanceof Element && target.matches('.code-editor, textarea[data-editor]')
  if (isEditor || (isField && isDraft(target))) event.preventDefault()
})

interface AttributeChange {
  readonly attributeName: string
  readonly mutationType: 'update' | 'remove'
}

/** Attributes that say which tab of a text area is shown. */
const tabAttributes = new Set(['hidden', 'aria-selected', 'tabindex'])

/** Parts that somebody has folded or unfolded. */
const folded = new WeakSet<Element>()
document.addEventListener('click', (event) => {
  const part = around(event, 'summary')?.parentElement
  if (part) folded.add(part)
})

// A refresh leaves what somebody has folded or unfolded, and closes nothing; it opens what the page now opens.
document.addEventListener('turbo:before-morph-attribute', (event) => {
  const { attributeName, mutationType } = (event as CustomEvent<AttributeChange>).detail
  const { target } = event
  const isOpened =
    attributeName === 'open' &&
    (target instanceof HTMLDialogElement ||
      (target instanceof HTMLDetailsElement && (mutationType === 'remove' || folded.has(target))))
  const isTab = tabAttributes.has(attributeName) && around(event, '[data-preview-url]') !== null
  if (isOpened || isTab) event.preventDefault()
})

// The page that the Back button shows has no open menus or dialogs.
document.addEventListener('turbo:before-cache', () => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) menu.open = false
  for (const dialog of document.querySelectorAll('dialog')) dialog.close()
})
